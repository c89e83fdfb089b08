"""The control of the documentation tests: run on a broken page, they fail and say where."""

import os
import subprocess
import sys
from pathlib import Path

_TESTS = Path(__file__).with_name("test_pages.py")
_BROKEN = """# Broken

```python
assert 1 + 1 == 2
```

```python
def test_wrong():
    assert 1 + 1 == 3
```
"""


def test_a_broken_page_fails(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text(_BROKEN, encoding="utf-8")
    docs = tmp_path / "docs"
    docs.mkdir()
    needs = "<!-- needs: no_such.module -->\n\n```python\nassert False\n```\n"
    (docs / "framework.md").write_text(needs, encoding="utf-8")
    (docs / "other.md").write_text("```sh\nrm\n```\n", encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(_TESTS)],
        cwd=_TESTS.parents[2],
        env=os.environ | {"RAMPART_DOCS_ROOT": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert ran.returncode == 1
    assert "test_block[README.md:7]" in ran.stdout
    assert "assert (1 + 1) == 3" in ran.stdout
    assert "a block in sh would be passed over in silence" in ran.stdout
    assert "2 failed, 1 passed, 1 skipped" in ran.stdout
