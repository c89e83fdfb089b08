"""The command line: what there is, and how it refuses."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rampart.cli.main import main


def _invoke(*arguments: str, environ: dict[str, str] | None = None) -> Result:
    return CliRunner().invoke(main, arguments, env=environ)


def test_help_lists_the_commands() -> None:
    done = _invoke("--help")
    assert done.exit_code == 0
    assert "demo" in done.output


def test_version_is_that_of_the_distribution() -> None:
    from importlib.metadata import version

    assert _invoke("--version").output == f"main {version('rampart')}\n"


def test_help_of_the_demo_names_every_way_to_choose_a_model() -> None:
    text = _invoke("demo", "--help").output
    for name in (
        "--scripted",
        "--output",
        "RAMPART_LOCAL_MODEL",
        "RAMPART_LLM_ENDPOINT",
        "RAMPART_LLM_MODEL",
    ):
        assert name in text


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        pytest.param({"RAMPART_DEMO_MODEL": "gpt"}, "'gpt' is no kind of model", id="unknown-kind"),
        pytest.param(
            {"RAMPART_LOCAL_MODEL": "/none.gguf"}, "'/none.gguf': there is no such file", id="no-file"
        ),
        pytest.param(
            {"RAMPART_LLM_ENDPOINT": "http://host"}, "RAMPART_LLM_MODEL is not set", id="no-model-name"
        ),
        pytest.param(
            {"RAMPART_LLM_ENDPOINT": "host", "RAMPART_LLM_MODEL": "m"},
            "'host' is no http or https",
            id="no-url",
        ),
    ],
)
def test_demo_refuses_with_status_2_and_without_a_traceback(
    tmp_path: Path, environ: dict[str, str], said: str
) -> None:
    done = _invoke("demo", "--output", str(tmp_path), environ=environ)
    assert done.exit_code == 2
    assert done.stderr.startswith("Error: ")
    assert said in done.stderr
    assert "Traceback" not in done.output
