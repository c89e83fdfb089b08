"""Where downloads are kept."""

from pathlib import Path

import pytest

from rampart.demo.cache import cache_folder


@pytest.mark.parametrize(
    ("environ", "platform", "expected"),
    [
        pytest.param(
            {"RAMPART_CACHE_DIR": "/a", "XDG_CACHE_HOME": "/b"}, "linux", "/a", id="own-variable-wins"
        ),
        pytest.param({"RAMPART_CACHE_DIR": "", "XDG_CACHE_HOME": "/b"}, "linux", "/b/rampart", id="xdg"),
        pytest.param({"XDG_CACHE_HOME": "/b"}, "darwin", "/b/rampart", id="xdg-everywhere"),
        pytest.param({"LOCALAPPDATA": "/l"}, "win32", "/l/rampart/Cache", id="windows"),
    ],
)
def test_environment_names_the_folder(environ: dict[str, str], platform: str, expected: str) -> None:
    assert cache_folder(environ=environ, platform=platform) == Path(expected)


@pytest.mark.parametrize(
    ("environ", "platform", "below_home"),
    [
        pytest.param({}, "linux", ".cache/rampart", id="linux"),
        pytest.param({"XDG_CACHE_HOME": "relative"}, "linux", ".cache/rampart", id="relative-xdg-is-ignored"),
        pytest.param({}, "darwin", "Library/Caches/rampart", id="mac"),
        pytest.param({}, "win32", ".cache/rampart", id="windows-without-variable"),
    ],
)
def test_else_it_is_the_usual_place(environ: dict[str, str], platform: str, below_home: str) -> None:
    assert cache_folder(environ=environ, platform=platform) == Path.home() / below_home


def test_tilde_means_home() -> None:
    assert cache_folder(environ={"RAMPART_CACHE_DIR": "~/x"}) == Path.home() / "x"
