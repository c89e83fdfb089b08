"""Reading pytest's JUnit file: how the tests of each file ended."""

from pathlib import Path
from xml.etree import ElementTree as ET


def read_outcomes(path: Path) -> dict[str, list[str]]:
    """Return for each test module, by its name without folder and suffix, how its tests ended.

    The words are `passed`, `failed`, `error` and `skipped`. A file that is not there gives an empty dict.
    """
    if not path.is_file():
        return {}
    outcomes: dict[str, list[str]] = {}
    for case in ET.parse(path).iter("testcase"):
        # A module that cannot be imported is a case without a class, named like the module.
        module = (case.get("classname") or case.get("name") or "").split(".")[0]
        outcomes.setdefault(module, []).append(_outcome(case))
    return outcomes


def _outcome(case: ET.Element) -> str:
    for tag, outcome in (("failure", "failed"), ("error", "error"), ("skipped", "skipped")):
        if case.find(tag) is not None:
            return outcome
    return "passed"
