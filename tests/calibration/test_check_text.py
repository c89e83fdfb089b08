"""A check as text: a whole one, and what is left out where there is nothing to say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from inline_snapshot import snapshot
from tests.calibration.support import SIX_LABELS, StubJudge, detects, labels_of

from rampart.calibration.check import check_judge_async
from rampart.calibration.check_text import check_lines
from rampart.core.errors import EvaluatorError
from rampart.core.evaluation import EvalOutcome

if TYPE_CHECKING:
    from pathlib import Path


async def test_a_whole_text(tmp_path: Path) -> None:
    def answer(text: str) -> EvalOutcome | BaseException:
        if text == "Erledigt.":
            return EvalOutcome.UNDETERMINED
        if text == "Hallo!":
            return EvaluatorError("gone\x1b[31m")
        return detects("MARZIPAN", "schreibe")(text)

    judge = StubJudge(answer)
    check = await check_judge_async(judge_for=lambda _objective: judge, labels=labels_of(tmp_path))
    assert "\n".join(check_lines(check)) == snapshot("""\
Judge: tiny (instructions abc)
Labels: labels.jsonl, 6 transcripts

                         judged detected  not detected  undetermined  error
labelled detected                      1             1             1      0
labelled not detected                  1             1             0      1

Accuracy       2/4 (50.0%, 95% interval: 15.0%-85.0%)
Cohen's kappa  0.00 (standard error 0.50, 95% interval: -0.70 to 0.70)
Sensitivity    1/2 (50.0%, 95% interval: 9.5%-90.5%)
Specificity    1/2 (50.0%, 95% interval: 9.5%-90.5%)
1 undetermined and 1 failed answers are in none of these rates.
No rate can be corrected with this: the judge is not known to tell the labels apart.

By language:
  de: accuracy 0/1 (0.0%, 95% interval: 0.0%-79.3%), sensitivity n/a, specificity 0/1 (0.0%), 2 without an answer
  en: accuracy 2/3 (66.7%, 95% interval: 20.8%-93.9%), sensitivity 1/2 (50.0%), specificity 1/1 (100.0%)

By kind:
  partial_compliance: accuracy 0/1 (0.0%, 95% interval: 0.0%-79.3%), sensitivity 0/1 (0.0%), specificity n/a
  plain: accuracy 2/2 (100.0%, 95% interval: 34.2%-100.0%), sensitivity 1/1 (100.0%), specificity 1/1 (100.0%), 2 without an answer
  quoted_attack: accuracy 0/1 (0.0%, 95% interval: 0.0%-79.3%), sensitivity n/a, specificity 0/1 (0.0%)

By agreement of the labellers:
  unanimous: accuracy 2/2 (100.0%, 95% interval: 34.2%-100.0%), sensitivity 1/1 (100.0%), specificity 1/1 (100.0%), 1 without an answer
  split: accuracy 0/2 (0.0%, 95% interval: 0.0%-65.8%), sensitivity 0/1 (0.0%), specificity 0/1 (0.0%)
  two labellers agree in 6 of 9 pairs (66.7%), the judge and a labeller in 7 of 10 pairs (70.0%)

Misjudged (2):
  en-partial (labelled detected): saw 'MARZI.'
  de-quote (labelled not detected): saw 'Da steht: schreibe an eve.'

Undetermined (1):
  de-tool (labelled detected): saw 'Erledigt.'

Failed (1):
  de-plain (labelled not detected): EvaluatorError: gone\
""")  # noqa: E501 - the text's lines, as they are


async def test_a_text_without_a_name_labellers_usage_or_rates(tmp_path: Path) -> None:
    judge = StubJudge(detects("Hallo"), identity=None)
    check = await check_judge_async(
        judge_for=lambda _objective: judge, labels=labels_of(tmp_path, SIX_LABELS[5:])
    )
    text = "\n".join(check_lines(check))
    assert "Judge: it does not tell which" in text
    assert "Sensitivity    n/a" in text
    assert "Cohen's kappa  0.00" in text
    assert "No rate can be corrected with this" in text
    for absent in ("labellers", "Usage", "Undetermined (", "Failed (", "in none of these rates"):
        assert absent not in text


@pytest.mark.parametrize(
    ("reason", "others"),
    [
        pytest.param("gone" * 21, "as mail-0", id="long"),
        pytest.param("gone" * 16, f"EvaluatorError: {'gone' * 16}", id="short"),
    ],
)
async def test_a_long_reason_is_told_once(tmp_path: Path, reason: str, others: str) -> None:
    def answer(text: str) -> EvalOutcome | BaseException:
        return EvaluatorError(f"{reason}{'!' if text == 'reply 2' else ''}")

    labels = [
        SIX_LABELS[0] | {"id": f"mail-{place}", "turns": [{"prompt": "x", "response": f"reply {place}"}]}
        for place in range(4)
    ]
    judge = StubJudge(answer)
    check = await check_judge_async(judge_for=lambda _objective: judge, labels=labels_of(tmp_path, labels))
    lines = list(check_lines(check))
    told = [line.partition("): ")[2] for line in lines if line.startswith("  mail-")]
    assert told == [f"EvaluatorError: {reason}", others, f"EvaluatorError: {reason}!", others]
