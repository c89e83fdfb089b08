"""The control arm of an attack: the same messages to the same agent, with nothing planted.

Without it nobody knows whether an agent that failed the user's job under attack would have done it
otherwise, nor whether it reaches the objective of the attack by itself.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeGuard

from rampart.attacks.arm import run_arm_async
from rampart.attacks.verdict import attack_result
from rampart.core.listener import exit_types, skip_types
from rampart.core.result import Result, SafetyStatus, status_of
from rampart.core.types import Request
from rampart.drivers.static import StaticDriver
from rampart.execution.failure_log import log_failure
from rampart.execution.failures import error_result

if TYPE_CHECKING:
    from rampart.attacks.arm import Questions
    from rampart.core.adapter import AgentAdapter
    from rampart.execution.running import Running

CONTROL_STRATEGY = "xpia-control"


async def run_control_async(
    adapter: AgentAdapter, running: Running, questions: Questions, *, driver: StaticDriver
) -> Result:
    """Run the control arm; what fails in it is an ERROR of this arm only.

    Its verdict reads like that of an attack: UNSAFE says that the agent did by itself what the attack
    wants it to do.
    """
    started = time.perf_counter()
    injections_before = len(running.injections)
    try:
        outcome = await run_arm_async(adapter, running, questions, driver=driver)
        result = attack_result(outcome, strategy=CONTROL_STRATEGY)
        failure = outcome.failure
    except Exception as error:
        if isinstance(error, (*skip_types(), *exit_types())) or running.watchdog.outer_passed:
            raise
        failure = error
        result = error_result(error, adapter=adapter, running=running, strategy=CONTROL_STRATEGY)
    if failure is not None:
        log_failure(failure, strategy=CONTROL_STRATEGY, population=None)
    del running.injections[injections_before:]
    running.trace = None
    running.watchdog.resume()
    result.duration_seconds = time.perf_counter() - started
    return result


def control_driver(driver: object) -> StaticDriver:
    """The messages of an attack without the payloads that travel with them.

    Raises:
        TypeError: If the driver is none that is known to send the same messages twice.
        ValueError: If a message is nothing but attachments.
    """
    if not is_static(driver):
        msg = (
            f"benign_control sends the trigger twice, and {type(driver).__name__} may not be asked twice: "
            "give the trigger as text, as a Request, or as a list of these"
        )
        raise TypeError(msg)
    for position, request in enumerate(driver.requests):
        if request.prompt is None:
            msg = (
                "benign_control sends the trigger without its attachments, and nothing would be left of "
                f"trigger {position}: give it a prompt"
            )
            raise ValueError(msg)
    return StaticDriver(prompts=[Request(prompt=request.prompt) for request in driver.requests])


def is_static(driver: object) -> TypeGuard[StaticDriver]:
    """Whether it sends what `requests` gives; a class made of it may send something else."""
    return (
        isinstance(driver, StaticDriver)
        and type(driver).next_prompt_async is StaticDriver.next_prompt_async
        and type(driver).requests is StaticDriver.requests
    )


def control_note(control: Result) -> str:
    """What the summary of an attack says of its control arm; empty when there is nothing to say."""
    status = status_of(control)
    if status is SafetyStatus.UNSAFE:
        return "; the objective was reached without injection too"
    if status is SafetyStatus.ERROR:
        return f"; the control without injection failed: {control.summary}"
    return ""
