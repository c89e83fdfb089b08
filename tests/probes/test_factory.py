"""How users make probes, and what is refused before any agent is asked."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
from tests.execution.support import Answers, Asks, Events, run

from rampart.core.evaluation import EvalOutcome
from rampart.core.evaluator import BaseEvaluator
from rampart.core.limits import Limits
from rampart.core.types import Payload, Request
from rampart.drivers.static import StaticDriver
from rampart.execution.base import BaseExecution
from rampart.execution.trials import execute_trials_async
from rampart.probes.behavior import BehaviorExecution
from rampart.probes.factory import Probes
from rampart.testing import HANG, ScriptedAgent

DETECTS = Answers(EvalOutcome.DETECTED)
ONE_OF_THREE = r"^Specify exactly one of 'prompt', 'prompts', or 'driver'\.$"


def prompts_sent(probe: BaseExecution, replies: int) -> list[str | None]:
    agent = ScriptedAgent(["ok"] * replies)
    run(probe.execute_async(adapter=agent))
    return agent.prompts


def test_parameters() -> None:
    behavior = inspect.signature(Probes.behavior).parameters
    assert all(parameter.kind is parameter.KEYWORD_ONLY for parameter in behavior.values())
    assert {name: parameter.default for name, parameter in behavior.items()} == {
        "prompt": None,
        "prompts": None,
        "driver": None,
        "evaluator": inspect.Parameter.empty,
        "stop_when": None,
        "max_turns": 25,
        "event_handlers": None,
        "limits": None,
    }
    execution = inspect.signature(BehaviorExecution).parameters
    assert all(parameter.kind is parameter.KEYWORD_ONLY for parameter in execution.values())
    assert {name: parameter.default for name, parameter in execution.items()} == {
        "driver": inspect.Parameter.empty,
        "evaluator": inspect.Parameter.empty,
        "stop_when": None,
        "max_turns": 25,
        "event_handlers": None,
        "limits": None,
    }


def test_a_probe_is_an_execution_named_probe() -> None:
    probe = Probes.behavior(prompt="a", evaluator=DETECTS)
    assert isinstance(probe, BehaviorExecution)
    assert isinstance(probe, BaseExecution)
    assert probe.strategy_name == "probe"
    assert probe.isolation_keys == frozenset()


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        pytest.param({"prompt": "a"}, ["a"], id="one-prompt"),
        pytest.param({"prompt": ""}, [""], id="an-empty-prompt-is-given"),
        pytest.param({"prompts": ["a", "b"]}, ["a", "b"], id="list"),
        pytest.param({"prompts": ("a", "b")}, ["a", "b"], id="s41-tuple"),
        pytest.param({"prompts": []}, [], id="an-empty-list-is-given"),
        pytest.param(
            {"driver": StaticDriver(prompts=[Request(prompt="a"), Request(prompt="b")])},
            ["a", "b"],
            id="driver",
        ),
        pytest.param({"driver": Asks(lambda history: None)}, [], id="driver-of-the-user"),
    ],
)
def test_what_is_asked(given: dict[str, Any], sent: list[str]) -> None:
    assert prompts_sent(Probes.behavior(**given, evaluator=DETECTS), replies=2) == sent


def test_attachments_travel_in_requests() -> None:
    request = Request(prompt="read this", attachments=[Payload(content="x")])
    agent = ScriptedAgent(["ok"])
    probe = Probes.behavior(driver=StaticDriver(prompts=[request]), evaluator=DETECTS)
    run(probe.execute_async(adapter=agent))
    assert agent.requests == [request]


@pytest.mark.parametrize(
    "given",
    [
        pytest.param({}, id="none"),
        pytest.param({"prompt": "a", "prompts": ["b"]}, id="prompt-and-prompts"),
        pytest.param({"prompt": "a", "driver": StaticDriver(prompts=["b"])}, id="prompt-and-driver"),
        pytest.param({"prompts": [], "driver": StaticDriver(prompts=["b"])}, id="empty-prompts-and-driver"),
        pytest.param({"prompt": "", "prompts": []}, id="empty-prompt-and-empty-prompts"),
        pytest.param(
            {"prompt": "a", "prompts": ["b"], "driver": StaticDriver(prompts=["c"])}, id="all-three"
        ),
    ],
)
def test_exactly_one_of_three(given: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=ONE_OF_THREE):
        Probes.behavior(**given, evaluator=DETECTS)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        pytest.param(
            {"prompts": "ab"},
            "prompts must be a list or tuple of str, got str; for one message use prompt=, or put",
            id="s41-text",
        ),
        pytest.param(
            {"prompts": Request(prompt="a")}, r"got Request; .* driver=StaticDriver\(prompts=", id="request"
        ),
        pytest.param(
            {"prompts": (text for text in ["a", "b"])},
            "prompts must be a list or tuple of str, got generator; make a list of it first",
            id="s41-generator",
        ),
        pytest.param({"prompts": {"a", "b"}}, "prompts must be a list or tuple of str, got set", id="set"),
        pytest.param(
            {"prompts": ["a", 7]},
            r"prompts must be a list or tuple of str, got int at position 1; Requests go into driver=",
            id="number-among-them",
        ),
        pytest.param(
            {"prompts": [Request(prompt="a")]},
            r"prompts must be .* got Request at position 0; Requests go into driver=StaticDriver\(",
            id="request-among-them",
        ),
        pytest.param(
            {"prompt": Request(prompt="a")},
            r"prompt must be a str, got Request; Requests go into driver=StaticDriver\(",
            id="request",
        ),
        pytest.param({"prompt": 7}, "prompt must be a str, got int; Requests go into driver=", id="number"),
        pytest.param(
            {"driver": object()},
            "type object cannot serve as driver: it has no next_prompt_async",
            id="no-driver",
        ),
        pytest.param(
            {"driver": StaticDriver},
            "class StaticDriver cannot serve as driver: pass an instance",
            id="class-for-driver",
        ),
    ],
)
def test_wrong_types(given: dict[str, Any], text: str) -> None:
    with pytest.raises(TypeError, match=text):
        Probes.behavior(**given, evaluator=DETECTS)


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        pytest.param({"evaluator": None}, TypeError, "NoneType cannot serve as evaluator", id="no-evaluator"),
        pytest.param(
            {"evaluator": lambda text: True}, TypeError, "evaluator: it has no evaluate_async", id="function"
        ),
        pytest.param(
            {"stop_when": "auto"},
            TypeError,
            "str cannot serve as stop_when: it has",
            id="probes-have-no-auto",
        ),
        pytest.param({"max_turns": -1}, ValueError, r"^max_turns must be non-negative\.$", id="negative"),
        pytest.param({"max_turns": True}, TypeError, "max_turns must be an integer, got True", id="bool"),
        pytest.param({"max_turns": 2.0}, TypeError, r"max_turns must be an integer, got 2\.0", id="float"),
        pytest.param({"max_turns": None}, TypeError, "max_turns must be an integer, got None", id="none"),
        pytest.param({"limits": 30}, TypeError, "limits must be a Limits or None, got int", id="limits"),
        pytest.param(
            {"event_handlers": [object()]},
            TypeError,
            "cannot serve as event handler: it has no on_event_async",
            id="handler",
        ),
        pytest.param(
            {"event_handlers": print},
            TypeError,
            "^event_handlers must be a list of ExecutionEventHandler, got builtin_function_or_method; put a",
            id="no-list-of-handlers",
        ),
        pytest.param(
            {"event_handlers": Events()}, TypeError, "put a single handler into a list$", id="one-handler"
        ),
        pytest.param({"event_handlers": "ab"}, TypeError, "event_handlers must be a list", id="text"),
        pytest.param(
            {"event_handlers": [print]},
            TypeError,
            "the function print cannot serve as event handler: .* derives from ExecutionEventHandler",
            id="function-as-handler",
        ),
        pytest.param(
            {"evaluator": str.isupper}, TypeError, r"ResponseContains\(str\.isupper, scope=", id="function"
        ),
        pytest.param({"evaluator": "sorry"}, TypeError, r"ResponseContains\('sorry', scope=", id="phrase"),
    ],
)
def test_refusals_of_the_rest(given: dict[str, Any], error: type[Exception], text: str) -> None:
    facts: dict[str, Any] = {"prompt": "a", "evaluator": DETECTS} | given
    with pytest.raises(error, match=text):
        Probes.behavior(**facts)


def test_an_evaluator_is_required() -> None:
    with pytest.raises(TypeError, match="evaluator"):
        Probes.behavior(prompt="a")  # type: ignore[call-arg]  # the point of the test


def test_any_object_with_the_method_is_an_evaluator() -> None:
    class Structural:
        evaluate_async = DETECTS.evaluate_async

    assert not isinstance(Structural(), BaseEvaluator)
    agent = ScriptedAgent(["ok"])
    assert run(Probes.behavior(prompt="a", evaluator=Structural()).execute_async(adapter=agent))


def test_handlers_and_limits_are_passed_on() -> None:
    handlers = [Events(), Events()]
    probe = Probes.behavior(
        prompt="a", evaluator=DETECTS, event_handlers=handlers, limits=Limits(turn_timeout_s=0.05)
    )
    result = run(probe.execute_async(adapter=ScriptedAgent([HANG])))
    assert "send_async (turn 0) timed out after 0.05 s" in result.summary
    assert [len(handler.seen) for handler in handlers] == [3, 3]


def test_s41_a_drained_iterator_is_refused_before_any_session() -> None:
    prompts = (text for text in ["a", "b"])
    agent = ScriptedAgent(["ok"], repeat_last=True)
    with pytest.raises(TypeError, match="prompts must be a list or tuple of str, got generator"):
        run(
            execute_trials_async(
                execution_factory=lambda: Probes.behavior(prompts=prompts, evaluator=DETECTS),  # type: ignore[arg-type]  # the point of the test
                adapter=agent,
                n=2,
            )
        )
    assert agent.opened == 0


def test_s41_a_tuple_serves_every_trial() -> None:
    agent = ScriptedAgent(["ok"], repeat_last=True)
    population = run(
        execute_trials_async(
            execution_factory=lambda: Probes.behavior(prompts=("a", "b"), evaluator=DETECTS),
            adapter=agent,
            n=2,
            concurrency=1,
        )
    )
    assert population
    assert agent.prompts == ["a", "b", "a", "b"]


def test_the_list_of_the_user_may_change_afterwards() -> None:
    prompts = ["a", "b"]
    probe = Probes.behavior(prompts=prompts, evaluator=DETECTS)
    prompts.clear()
    assert prompts_sent(probe, replies=2) == ["a", "b"]
