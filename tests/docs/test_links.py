"""Links between the pages lead somewhere."""

import re
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parents[2]
_PAGES = [_ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
_PAGES += sorted((_ROOT / "docs").rglob("*.md"))
_FENCED = re.compile(r"^( *)(```+).*?^ *\2", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def anchors(text: str) -> set[str]:
    """The anchors that headings get, as GitHub makes them."""
    headings = re.findall(r"^#+ +(.*?) *$", _FENCED.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in headings}


def dead_links(page: Path) -> list[str]:
    """The links of a page to files or headings that do not exist; links to other sites are not followed."""
    dead = []
    for link in _LINK.findall(_FENCED.sub("", page.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        if not target.exists() or (anchor and anchor not in anchors(target.read_text(encoding="utf-8"))):
            dead.append(link)
    return dead


@pytest.mark.parametrize(
    "page", [pytest.param(page, id=page.relative_to(_ROOT).as_posix()) for page in _PAGES]
)
def test_links(page: Path) -> None:
    assert dead_links(page) == []


def test_every_page_is_in_the_index() -> None:
    index = (_ROOT / "docs/index.md").read_text(encoding="utf-8")
    readme = (_ROOT / "README.md").read_text(encoding="utf-8")
    for page in (_ROOT / "docs").glob("*.md"):
        assert page.name == "index.md" or f"]({page.name})" in index
        assert f"](docs/{page.name})" in readme


def test_dead_links_are_found(tmp_path: Path) -> None:
    (tmp_path / "other.md").write_text("# The `other` page!\n```text\n# no heading\n```\n", encoding="utf-8")
    good = "# Here\n\n[a](other.md#the-other-page) [b](#here) [c](https://x.org)\n"
    text = f"{good}[d](no.md) [e](other.md#no-heading) [f](#there)\n"
    page = tmp_path / "page.md"
    page.write_text(text, encoding="utf-8")
    assert dead_links(page) == ["no.md", "other.md#no-heading", "#there"]
