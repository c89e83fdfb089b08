"""An agent: `brain_agent.py lines` serves a session, `brain_agent.py once DIR ID PROMPT` a turn."""

import json
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from tests.adapters.frameworks.brain import (  # the path has to be there first
    INPUT_TOKENS,
    OUTPUT_TOKENS,
    TOOLS,
    Calls,
    Fail,
    Hang,
    Say,
    next_step,
)

_TOOLS = {tool.__name__: tool for tool in TOOLS}


def tell(**fields: Any) -> None:
    """Print a line."""
    print(json.dumps(fields), flush=True)


def answer(prompts: list[str]) -> None:
    """Do what the brain says, and tell each thing as it happens."""
    results: list[str] = []
    while True:
        step = next_step(prompts, results)
        if isinstance(step, Fail):
            tell(error=step.status)
            sys.exit(4)
        if isinstance(step, Hang):
            time.sleep(600)
        usage = {"input_tokens": INPUT_TOKENS, "output_tokens": OUTPUT_TOKENS}
        if isinstance(step, Say):
            tell(text=step.text, usage=usage)
            return
        assert isinstance(step, Calls)
        tell(usage=usage)
        for ask in step.asked:
            call: dict[str, Any] = {"name": ask.name, "arguments": ask.arguments, "id": ask.id}
            tell(tool_calls=[call])
            if ask.name not in _TOOLS or isinstance(ask.arguments, str):
                results.append("not valid")
                tell(tool_calls=[{**call, "executed": False}])
                continue
            try:
                results.append(_TOOLS[ask.name](**ask.arguments))
                tell(tool_calls=[{**call, "executed": True, "result": results[-1]}])
            except RuntimeError as error:
                results.append("it failed")
                tell(tool_calls=[{**call, "executed": True, "error": str(error)}])


def main() -> None:
    """Serve a session, or one turn of it that keeps its conversation in a file."""
    if sys.argv[1] == "lines":
        prompts: list[str] = []
        for line in sys.stdin:
            prompts.append(json.loads(line)["prompt"])
            answer(prompts)
        return
    kept = Path(sys.argv[2]) / f"{sys.argv[3]}.json"
    prompts = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else []
    prompts.append(sys.argv[-1])
    kept.write_text(json.dumps(prompts), encoding="utf-8")
    answer(prompts)


main()
