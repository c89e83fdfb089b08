"""Print what rampart costs, beside floors and, where one is installed, a peer: `python -m benchmarks`.

Each figure is measured in this one run, on this machine; CPU time where not said otherwise. Names on
the command line choose suites.
"""

from __future__ import annotations

import os
import platform
import sys

from benchmarks import (
    adapter_overhead,
    checks,
    conversation,
    evaluator_cost,
    import_cost,
    injections,
    install_size,
    judge_correction,
    plugin_cost,
    report_cost,
    throttled_calls,
    trials,
)
from benchmarks.table import Row, print_rows

SUITES = {
    "adapters": adapter_overhead.rows,
    "import": import_cost.rows,
    "install": install_size.rows,
    "plugin": plugin_cost.rows,
    "checks": checks.rows,
    "trials": trials.rows,
    "conversation": conversation.rows,
    "evaluators": evaluator_cost.rows,
    "report": report_cost.rows,
    "injections": injections.rows,
    "throttled": throttled_calls.rows,
    "judge": judge_correction.rows,
}


def main() -> int:
    chosen = sys.argv[1:] or list(SUITES)
    unknown = sorted(set(chosen) - set(SUITES))
    if unknown:
        print(f"no suite {', '.join(unknown)}; there are {', '.join(SUITES)}", file=sys.stderr)
        return 2
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores{load}\n")
    for name in chosen:
        rows: list[Row] = SUITES[name]()
        print_rows(name, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
