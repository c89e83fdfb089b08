"""What happens where PyRIT is not installed."""

import subprocess
import sys

import pytest

from rampart import ConfigurationError
from rampart.integrations.pyrit import PyRITChatModel


def test_the_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rampart.integrations.pyrit.chat_model.find_spec", lambda _name: None)
    with pytest.raises(ConfigurationError, match=r'pip install "rampart\[pyrit\]"'):
        PyRITChatModel(target=object())


def test_the_package_and_its_bridge_import_no_pyrit() -> None:
    code = (
        "import sys\n"
        "from rampart.integrations.pyrit import PyRITChatModel, PyRITConverterBridge, adapt_converter\n"
        "assert 'pyrit' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
