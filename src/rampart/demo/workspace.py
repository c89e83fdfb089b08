"""The folder of a demo run: the suite's copy, the journal and the report."""

from dataclasses import dataclass
from importlib import resources
from pathlib import Path

_PYTEST_INI = """\
[pytest]
addopts =
"""


@dataclass(frozen=True, kw_only=True)
class Workspace:
    """Where one demo run puts things.

    Attributes:
        root: pytest's root folder; all else is in `.rampart` below it.
    """

    root: Path

    @property
    def suite(self) -> Path:
        """The copy of the suite that is run, for people to read and run again."""
        return self.root / ".rampart" / "demo"

    @property
    def pytest_ini(self) -> Path:
        """Settings that keep those of a project around the folder out of the demo."""
        return self.suite / "demo.ini"

    @property
    def pytest_output(self) -> Path:
        """What pytest printed."""
        return self.suite / "pytest.txt"

    def prepare(self) -> None:
        """Write the suite; a file that somebody changed is kept with the ending `.bak`."""
        self.suite.mkdir(parents=True, exist_ok=True)
        for source in resources.files("rampart.demo.suite").iterdir():
            if source.name.endswith(".py") and source.name != "__init__.py":
                _write(self.suite / source.name, source.read_text(encoding="utf-8"))
        _write(self.pytest_ini, _PYTEST_INI)
        for folder in (self.suite, self.root / ".rampart" / "reports"):
            folder.mkdir(exist_ok=True)
            _write(folder / ".gitignore", "*\n")

    def journals(self) -> set[Path]:
        """The journals of all runs so far."""
        return set((self.root / ".rampart" / "runs").glob("*/results.jsonl"))

    def reports(self) -> set[Path]:
        """The JSON reports of all runs so far."""
        return set((self.root / ".rampart" / "reports").glob("run_report_*.json"))


def _write(path: Path, text: str) -> None:
    if path.is_file():
        if path.read_text(encoding="utf-8", errors="replace") == text:
            return
        path.replace(path.with_name(f"{path.name}.bak"))
    path.write_text(text, encoding="utf-8")
