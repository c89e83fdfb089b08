"""What all of rampart's own tests share."""

from collections.abc import Iterator

import pytest

from rampart.core.limits import DEFAULT_TRIAL_CONCURRENCY, Limits, configure_defaults, preserved_defaults
from rampart.core.listener import listening, runner_outcomes
from rampart.text.secrets import _isolated_secrets

pytest_plugins = ["pytester"]


@pytest.fixture(autouse=True)
def _apart_from_the_plugin() -> Iterator[None]:
    """Undo what the plugin has set for the run that tests rampart.

    Nothing collects, and judges, the results that tests make; settings are as without pytest. And no test
    sees `***` where another one has used a secret.
    """
    with (
        listening(None),
        runner_outcomes(skips=(), exits=()),
        preserved_defaults(),
        _isolated_secrets(),
    ):
        configure_defaults(limits=Limits(), trial_concurrency=DEFAULT_TRIAL_CONCURRENCY)
        yield
