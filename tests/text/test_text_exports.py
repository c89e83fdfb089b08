import subprocess
import sys

import pytest

import rampart.text


def test_package_exports() -> None:
    assert sorted(rampart.text.__all__) == [
        "redact",
        "register_secret",
        "safe_float",
        "safe_str",
        "safe_str_list",
        "strip_ansi",
    ]
    assert all(callable(getattr(rampart.text, name)) for name in rampart.text.__all__)


@pytest.mark.parametrize(
    ("fold", "loaded"),
    [
        pytest.param("fold('Plain text', confusables=True)", [], id="ascii-needs-no-tables"),
        pytest.param("fold('\\u00fc')", ["_characters"], id="other-text-does"),
        pytest.param(
            "fold('\\u0430', confusables=True)", ["_characters", "_look_alikes"], id="look-alikes-on-request"
        ),
    ],
)
def test_tables_are_loaded_when_first_needed(fold: str, loaded: list[str]) -> None:
    code = (
        "import sys; from rampart.text.fold import fold\n"
        f"{fold}\n"
        "print(*(n for n in ('_characters', '_look_alikes') if f'rampart.text.{n}' in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == loaded
