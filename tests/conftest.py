"""What all of rampart's own tests share."""

from collections.abc import Iterator

import pytest

from rampart.core.limits import DEFAULT_TRIAL_CONCURRENCY, Limits, configure_defaults, preserved_defaults
from rampart.core.listener import listening, runner_outcomes

pytest_plugins = ["pytester"]


@pytest.fixture(autouse=True)
def _apart_from_the_plugin() -> Iterator[None]:
    """Undo what the plugin has set for the run that tests rampart.

    Nothing collects, and judges, the results that tests make; settings are as without pytest.
    """
    with listening(None), runner_outcomes(skips=(), exits=()), preserved_defaults():
        configure_defaults(limits=Limits(), trial_concurrency=DEFAULT_TRIAL_CONCURRENCY)
        yield
