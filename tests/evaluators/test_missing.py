"""The mark for an argument that is not there."""

from __future__ import annotations

import copy
import pickle

from rampart.evaluators import MISSING


def test_there_is_one_missing_whatever_is_done_to_it() -> None:
    assert copy.copy(MISSING) is MISSING
    assert copy.deepcopy({"x": [MISSING]})["x"][0] is MISSING
    assert pickle.loads(pickle.dumps(MISSING)) is MISSING


def test_it_is_shown_by_its_name_and_is_not_none() -> None:
    assert repr(MISSING) == "MISSING"
    assert MISSING is not None
    assert MISSING != None  # noqa: E711  # equality is what is tested
