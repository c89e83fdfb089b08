"""`rampart connect`: what is chosen for a target, or why nothing is."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from rampart.cli.main import main


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_shop_agent.py").write_text(
        "def shop(prompt, history):\n    return 'Hello.'\n\n\nNUMBER = 3\n", encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path)


def test_a_function_of_a_module() -> None:
    ran = CliRunner().invoke(main, ["connect", "my_shop_agent:shop"])
    assert ran.exit_code == 0, ran.output
    assert ran.output.startswith(
        "CallableAdapter for the function 'shop' (response_only). Observed: replies."
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["my_shop_agent:other"], "has no attribute 'other'; write module:name"),
        (["no_such_module_here:x"], "No module named 'no_such_module_here'"),
        (["my_shop_agent:NUMBER"], "no adapter is known for int"),
    ],
)
def test_what_cannot_be_connected_to(words: list[str], message: str) -> None:
    ran = CliRunner().invoke(main, ["connect", *words])
    assert ran.exit_code == 1
    assert message in ran.output
