"""Pages are understood, and what is not understood is refused."""

import pytest
from tests.docs.blocks import Kind, PageError, parse_blocks


def _page(*lines: str) -> str:
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("language", "body", "kind"),
    [
        pytest.param("python", "def test_it(): pass", Kind.TESTS, id="test"),
        pytest.param("python", "async def test_it(): pass", Kind.TESTS, id="async-test"),
        pytest.param("python", "class TestIt:\n    def test_it(self): pass", Kind.TESTS, id="method"),
        pytest.param("python", "print(1)", Kind.SCRIPT, id="script"),
        pytest.param("Python title=x", "print(1)", Kind.SCRIPT, id="first-word-counts"),
        pytest.param("bash", "pytest", Kind.COMMANDS, id="bash"),
        pytest.param("console", "$ pytest", Kind.COMMANDS, id="console"),
        pytest.param("ini", "[pytest]", Kind.SETTINGS, id="ini"),
        pytest.param("toml", "a = 1", Kind.SETTINGS, id="toml"),
        pytest.param("json", "{}", Kind.SETTINGS, id="json"),
        pytest.param("text", "def test_it(): pass", Kind.SHOWN, id="text"),
    ],
)
def test_language_decides(language: str, body: str, kind: Kind) -> None:
    [block] = parse_blocks(_page("Words.", "", f"```{language}", body, "```"))
    assert (block.kind, block.text, block.line, block.fails) == (kind, f"{body}\n", 3, None)


def test_comments_above_a_fence() -> None:
    blocks = parse_blocks(
        _page(
            "<!-- file: conftest.py -->",
            "```python",
            "x = 1",
            "```",
            "<!-- fails: 0/5 trials: safe -->",
            "```python",
            "def test_it(): assert False",
            "```",
            "<!-- output -->",
            "```text",
            "1 failed",
            "```",
            "<!-- not run: it asks: the network -->",
            "```powershell",
            "pip install rampart",
            "```",
        )
    )
    assert [block.kind for block in blocks] == [Kind.FILE, Kind.TESTS, Kind.OUTPUT, Kind.NOT_RUN]
    assert blocks[0].file == "conftest.py"
    assert blocks[1].fails == "0/5 trials: safe"
    assert blocks[3].reason == "it asks: the network"


def test_a_comment_that_is_no_directive_needs_no_fence_and_spoils_none() -> None:
    assert parse_blocks(_page("<!-- a remark -->", "", "```text", "a", "```"))[0].kind is Kind.SHOWN


def test_blocks_in_lists_lose_their_indentation() -> None:
    [block] = parse_blocks(
        _page("- item", "", "      ```python", "      if 1:", "          print()", "      ```")
    )
    assert block.text == "if 1:\n    print()\n"


def test_a_longer_fence_holds_a_shorter_one() -> None:
    [block] = parse_blocks(_page("````text", "```python", "```", "````"))
    assert block.text == "```python\n```\n"


_RUN = ("```bash", "pytest", "```")


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        pytest.param(("```", "x", "```"), "line 1: a block in no language", id="no-language"),
        pytest.param(
            ("```py", "x", "```"), "line 1: a block in py would be passed over", id="unknown-language"
        ),
        pytest.param(("```sh", "x", "```"), "line 1: a block in sh would be passed over", id="other-shell"),
        pytest.param(("~~~pycon", "x", "~~~"), "line 1: a block in pycon", id="tilde"),
        pytest.param(("", "```python", "x"), "line 2: the fence is never closed", id="open"),
        pytest.param(
            ("see ```x```",), "line 1: a fence has to stand on a line of its own", id="inline-fence"
        ),
        pytest.param(("> ```python", "> 1", "> ```"), "line 1: a fence has to stand", id="quoted"),
        pytest.param(("<pre>x</pre>",), "line 1: use a fence instead of HTML", id="html"),
        pytest.param(("<!-- not run -->", "```sh", "x", "```"), "line 2: say why", id="no-reason"),
        pytest.param(("<!-- not run: -->", "```sh", "x", "```"), "line 2: say why", id="empty-reason"),
        pytest.param(
            ("<!-- not run: x -->", "", "```sh", "x", "```"), "line 1: the comment has to", id="gap"
        ),
        pytest.param(("<!-- skip: x -->", *_RUN), "line 2: the comment above the bash block", id="unknown"),
        pytest.param(("<!-- a remark -->", *_RUN), "line 2: the comment above the bash block", id="remark"),
        pytest.param(("<!-- fails -->", *_RUN), "line 2: the comment above", id="fails-without-text"),
        pytest.param(("<!-- fails: x -->", "```text", "x", "```"), "line 2: the comment", id="text-fails"),
        pytest.param((*_RUN, "<!-- output -->", *_RUN), "line 5: the comment above", id="output-of-commands"),
        pytest.param(("<!-- file: a.sh -->", *_RUN), "line 2: the comment above", id="file-of-commands"),
        pytest.param(
            ("<!-- file: ../x -->", "```text", "x", "```"), "line 2: '../x' is no file", id="parent"
        ),
        pytest.param(("<!-- file: /x -->", "```text", "x", "```"), "line 2: '/x' is no file", id="absolute"),
        pytest.param(("<!-- file: -->", "```text", "x", "```"), "line 2: '' is no file", id="no-name"),
        pytest.param(
            ("<!-- output -->", "```text", "x", "```"), "line 2: no block that is run", id="output-first"
        ),
        pytest.param(
            ("<!-- file: test_a.py -->", "```python", "def test_a(): pass", "```", "```python", "1", "```"),
            "line 2: nothing on the page runs test_a.py",
            id="test-file-never-run",
        ),
        pytest.param(
            ("<!-- file: agent.py -->", "```python", "x = 1", "```"),
            "line 2: nothing on the page runs agent.py",
            id="module-never-run",
        ),
    ],
)
def test_what_is_not_understood_is_refused(lines: tuple[str, ...], text: str) -> None:
    with pytest.raises(PageError) as caught:
        parse_blocks(_page(*lines))
    assert text in str(caught.value)
