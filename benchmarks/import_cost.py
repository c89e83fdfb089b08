"""What `import rampart` costs above an interpreter that does nothing."""

from __future__ import annotations

from benchmarks.child import child_cpu_seconds, child_output
from benchmarks.table import Row

# Linux only: `ru_maxrss` would hold the peak of the process that started this one.
_PEAK = """
{statement}
lines = open("/proc/self/status").read().splitlines()
print(next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024)
"""


_ALL_NAMES = """
import rampart
for name in set(rampart.__all__) - set(rampart.__lazy_imports__):
    getattr(rampart, name)
"""


def rows() -> list[Row]:
    """Measure."""
    bare = child_cpu_seconds(["-c", "pass"])
    asyncio_alone = child_cpu_seconds(["-c", "import asyncio"])
    ours = child_cpu_seconds(["-c", "import rampart"])
    all_names = child_cpu_seconds(["-c", _ALL_NAMES])
    peak_bare = float(child_output(_PEAK.format(statement="pass")))
    peak = float(child_output(_PEAK.format(statement=_ALL_NAMES)))
    return [
        Row(what="import rampart, CPU", value=ours - bare, unit="s"),
        Row(
            what="import rampart and all its eager names, CPU",
            value=all_names - bare,
            unit="s",
            goal=0.10,
            floor=asyncio_alone - bare,
            note="floor: import asyncio",
        ),
        Row(what="the same, peak memory", value=peak, unit="MiB", floor=peak_bare, goal=40),
    ]
