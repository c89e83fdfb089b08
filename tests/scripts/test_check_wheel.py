"""The check of the built wheel passes on a good wheel and finds what is wrong with a bad one."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from scripts.check_wheel import WheelError, check

_ROOT = Path(__file__).resolve().parents[2]
_WHEELS = Path(sys.prefix) / ".stamps/wheels"
_ENTRY_POINTS = "rampart-{version}.dist-info/entry_points.txt"
_NO_PLUGIN = "[console_scripts]\nrampart = rampart.cli.main:main\n"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not _WHEELS.is_dir(), reason="`make check-wheel` fetches what an installation needs"),
]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of the files as they are."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=_ROOT, capture_output=True, check=True)
    [path] = folder.glob("*.whl")
    return path


def _with(wheel: Path, folder: Path, *, name: str, text: str | None) -> Path:
    """A copy of a wheel with one file replaced, or taken out if `text` is None."""
    copy = folder / wheel.name
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(copy, "w") as new:
        names = old.namelist()
        assert name in names
        for entry in names:
            if entry != name:
                new.writestr(entry, old.read(entry))
            elif text is not None:
                new.writestr(entry, text)
    return copy


def test_a_good_wheel_passes(wheel: Path, tmp_path: Path) -> None:
    check(wheel, wheels=_WHEELS, folder=tmp_path)


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        pytest.param("rampart/text/fold.py", None, "No module named 'rampart.text.fold'", id="file-left-out"),
        pytest.param(
            "rampart/core/result.py",
            "import hypothesis\n",
            "No module named 'hypothesis'",
            id="tool-of-tests",
        ),
        pytest.param(_ENTRY_POINTS, _NO_PLUGIN, "-m pytest exits 1, expected 0", id="no-plugin"),
    ],
)
def test_a_bad_wheel_is_found(
    wheel: Path, tmp_path: Path, name: str, text: str | None, complaint: str
) -> None:
    version = wheel.name.split("-")[1]
    bad = _with(wheel, tmp_path, name=name.format(version=version), text=text)
    with pytest.raises(WheelError) as caught:
        check(bad, wheels=_WHEELS, folder=tmp_path)
    assert complaint in str(caught.value)
