"""Test the adapters on the real frameworks, each with its own fake model.

    scripts/test-adapters                      the frameworks that are always tested
    scripts/test-adapters adk strands          environments or adapters by name
    scripts/test-adapters --all                all of them, some 1.5 GB
    scripts/test-adapters --all --write        and write the table in docs/adapters/versions.md
    scripts/test-adapters --all --measure      what each adapter adds to a turn, in place of its tests

Frameworks that cannot share a virtual environment have one each, in `.venvs/`. An environment is made anew
when pyproject.toml asks for something else, and otherwise used as it is; remove it to get newer versions.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

from scripts.adapter_environments import ENVIRONMENTS, FRAMEWORKS, Framework
from scripts.adapter_table import Outcome, write_table
from scripts.environment_tests import ROOT, development, make, python_of, run

_TEST_TOOLS = ("hypothesis", "markdown-it-py", "pytest-asyncio", "pytest-rerunfailures", "pytest-timeout")
_OLD_MCP = "mcp1"


def main(arguments: list[str]) -> None:
    """Make the environments that are asked for, run their tests, and end with 1 if any failed."""
    options = _options(arguments)
    chosen = _chosen(options.names, everything=options.all)
    failed: list[str] = []
    outcomes: list[Outcome] = []
    versions: dict[str, str] = {}
    for name in dict.fromkeys(one.environment for one in chosen):
        frameworks = [one for one in chosen if one.environment == name]
        python = _environment(name)
        versions |= {one.adapter: _version(python, one) for one in frameworks}
        print(
            f"\n=== {name}: {', '.join(f'{one.adapter} {versions[one.adapter]}' for one in frameworks)}",
            flush=True,
        )
        if options.measure:
            run([str(python), "-m", "benchmarks", "adapters"])
            continue
        status, seen = _tested(python, name, frameworks, rest=shlex.split(" ".join(options.pytest)))
        outcomes += seen
        if status:
            failed.append(name)
    if options.write:
        write_table(ROOT / "docs" / "adapters" / "versions.md", outcomes=outcomes, versions=versions)
    if failed:
        raise SystemExit(f"tests failed in: {', '.join(failed)}")


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/test-adapters", description=__doc__.partition("\n")[0])
    known = [*ENVIRONMENTS, *(one.adapter for one in FRAMEWORKS)]
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one or more of {', '.join(known)}")
    parser.add_argument("--all", action="store_true", help="test all frameworks")
    parser.add_argument("--write", action="store_true", help="write the table in docs/adapters/versions.md")
    parser.add_argument("--measure", action="store_true", help="measure what the adapters cost; run no test")
    parser.add_argument(
        "--pytest", action="append", default=[], metavar="OPTIONS", help="hand pytest options"
    )
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in known]
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}; the names are {', '.join(known)}")
    if options.measure and options.write:
        parser.error("--write makes the table of what was tested; --measure tests nothing")
    return options


def _chosen(names: list[str], *, everything: bool) -> list[Framework]:
    if names:
        return [one for one in FRAMEWORKS if one.environment in names or one.adapter in names]
    return [one for one in FRAMEWORKS if everything or ENVIRONMENTS[one.environment].in_ci]


def _environment(name: str) -> Path:
    """The interpreter of an environment that is there now."""
    environment, folder = ENVIRONMENTS[name], ROOT / ".venvs" / name
    lines = development().splitlines()
    tools = [line for line in lines if line.startswith(_TEST_TOOLS)]
    wanted = "\n".join([*tools, *environment.packages, lines[-1], ""])
    make(folder, extras=",".join(environment.extras), wanted=wanted)
    return python_of(folder)


def _old_mcp() -> Path:
    """An interpreter with a client of the 1.x line of MCP, and nothing of rampart."""
    folder = ROOT / ".venvs" / _OLD_MCP
    stamp = folder / "installed.txt"
    if not stamp.is_file():
        run([sys.executable, "-m", "venv", "--clear", "--without-pip", str(folder)])
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(python_of(folder))]
        run([*pip, "install", "--quiet", "mcp<2"])
        stamp.write_text("mcp<2\n", encoding="utf-8")
    return python_of(folder)


def _tested(
    python: Path, name: str, frameworks: list[Framework], *, rest: list[str]
) -> tuple[int, list[Outcome]]:
    report = ROOT / ".venvs" / name / "outcomes.jsonl"
    report.unlink(missing_ok=True)
    environment = os.environ | {"RAMPART_FRAMEWORKS": "needed", "RAMPART_ADAPTER_OUTCOMES": str(report)}
    if any("test_mcp_old_clients" in path for one in frameworks for path in one.tests):
        environment["RAMPART_MCP1_PYTHON"] = str(_old_mcp())
    command = [str(python), "-m", "pytest", "-p", "tests.adapters.frameworks.outcomes"]
    tests = [path for one in frameworks for path in one.tests]
    pages = " or ".join(f"adapters/{one.page}" for one in frameworks if one.page)
    status = subprocess.run([*command, *rest, *tests], cwd=ROOT, env=environment, check=False).returncode
    if pages and "-k" not in rest:
        page_tests = [*command, *rest, "tests/docs/test_pages.py", "-k", pages]
        status |= subprocess.run(page_tests, cwd=ROOT, env=environment, check=False).returncode
    if not report.is_file():
        return status, []
    lines = report.read_text(encoding="utf-8").splitlines()
    return status, [Outcome(**json.loads(line)) for line in lines]


def _version(python: Path, framework: Framework) -> str:
    if not framework.distribution:
        settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
        return str(settings["project"]["version"])
    code = f"from importlib.metadata import version; print(version({framework.distribution!r}))"
    return subprocess.run(
        [str(python), "-c", code], check=True, capture_output=True, text=True
    ).stdout.strip()


if __name__ == "__main__":
    main(sys.argv[1:])
