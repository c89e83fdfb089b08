"""The public names: what there is, where it comes from, and what importing it costs."""

from __future__ import annotations

import ast
import inspect
import json
import re
import subprocess
import sys
from importlib import import_module
from importlib.metadata import distribution
from pathlib import Path
from pkgutil import iter_modules, walk_packages
from typing import TYPE_CHECKING, Any

import pytest
from tests._layers import ROW_OF

import rampart

if TYPE_CHECKING:
    from types import ModuleType

ROOT_NAMES = [
    "AgentAdapter",
    "AppManifest",
    "BaseEvaluator",
    "BaseExecution",
    "ConfigurationError",
    "DataSource",
    "DriverError",
    "EvalContext",
    "EvalOutcome",
    "EvalResult",
    "Evaluator",
    "EvaluatorError",
    "ExecutionEvent",
    "ExecutionEventData",
    "ExecutionEventHandler",
    "HarmCategory",
    "InfrastructureError",
    "InjectionHandle",
    "InjectionRecord",
    "Limits",
    "LLMConfig",
    "ObservabilityLevel",
    "Payload",
    "PayloadFormat",
    "Persona",
    "PopulationRef",
    "PopulationResult",
    "PromptDecision",
    "PromptDriver",
    "RampartError",
    "Request",
    "Response",
    "Result",
    "SafetyStatus",
    "Session",
    "SideEffect",
    "Surface",
    "ToolCall",
    "ToolDeclaration",
    "Turn",
    "Usage",
    "execute_trials_async",
    "record_result",
]

LAZY_NAMES = {
    "Attacks": ("rampart.attacks", "Attacks"),
    "LLMDriver": ("rampart.drivers.llm", "LLMDriver"),
    "LLMJudge": ("rampart.evaluators", "LLMJudge"),
    "Probes": ("rampart.probes", "Probes"),
    "ResponseScope": ("rampart.evaluators", "ResponseScope"),
    "TranscriptScope": ("rampart.evaluators", "TranscriptScope"),
}

_EXECUTION_NAMES = {
    "BaseExecution",
    "ExecutionEvent",
    "ExecutionEventData",
    "ExecutionEventHandler",
    "execute_trials_async",
}

PACKAGE_NAMES: dict[str, set[str]] = {
    "core": set(ROOT_NAMES) - _EXECUTION_NAMES
    | {
        "ChatMessage",
        "ChatModel",
        "Completion",
        "EvaluationPurpose",
        "PayloadConverter",
        "PopulationSummary",
        "ReportSink",
        "SchemaError",
        "TestRunReport",
        "TraceEndReason",
        "UnsupportedSchemaVersionError",
        "resolve_attack_verdict",
        "resolve_probe_verdict",
    },
    "execution": _EXECUTION_NAMES
    | {"EvaluationRecord", "TraceRun", "evaluate_final_trace_async", "run_trace_async"},
    "records": {
        "TRACE_SCHEMA_VERSION",
        "Loss",
        "ResultRecord",
        "deserialize_record",
        "iter_records",
        "prepare_record",
        "serialize_record",
    },
    "probes": {
        "BehaviorExecution",
        "ConsistencyExecution",
        "LookAlike",
        "OverRefusalExecution",
        "Probes",
        "Variant",
        "VariantKind",
        "Variants",
        "shipped_look_alikes",
    },
    "attacks": {
        "Adaptation",
        "Attacks",
        "Budget",
        "CrescendoExecution",
        "GoatExecution",
        "MemoryExecution",
        "PairExecution",
        "PromptExecution",
        "Recall",
        "TapExecution",
        "XPIAExecution",
    },
    "payloads": {"PayloadStore", "PayloadTemplate", "Payloads"},
    "integrations.otel": {"OtelAddress", "OtelCollector"},
    "integrations.pyrit": {"PyRITChatModel", "PyRITConverterBridge", "adapt_converter"},
    "evaluators": {
        "ArgumentMatches",
        "CanaryLeaked",
        "Channel",
        "HallucinatedTool",
        "JudgePanel",
        "LLMJudge",
        "LanguageIs",
        "MISSING",
        "MaxToolCalls",
        "MentionsAny",
        "NEUTRAL_EVALUATOR",
        "NoToolCalled",
        "PersonalData",
        "PersonalDataEngine",
        "PersonalFinding",
        "PresidioEngine",
        "Refused",
        "ResponseContains",
        "ResponseEquals",
        "ResponseMatchesSchema",
        "ResponseScope",
        "Rubric",
        "SecretLeaked",
        "SideEffectOccurred",
        "SimilarTo",
        "StateChanged",
        "StateEquals",
        "StateUnchanged",
        "SystemPromptLeaked",
        "ToolBefore",
        "ToolCalled",
        "ToolExecuted",
        "ToolFailed",
        "ToolSequence",
        "TranscriptScope",
        "evaluator",
        "make_canary",
        "namespaced",
    },
    "drivers": {"ConversationEnd", "LLMDriver", "SimulatedUser", "StaticDriver"},
    "reporting": {"JsonFileReportSink", "PopulationSummary", "ReportSink", "TestRunReport"},
    "pytest_plugin": {"TrialConfig", "TrialMismatchWarning", "UncheckedResultWarning", "record_result"},
    "adapters": {
        "connect",
        "explain",
        "A2AAdapter",
        "AdkAdapter",
        "AnthropicClientAdapter",
        "CallableAdapter",
        "FilesState",
        "LangGraphAdapter",
        "LlamaIndexAdapter",
        "OpenAIAgentsAdapter",
        "OpenAIClientAdapter",
        "SqlState",
        "SubprocessAdapter",
        "StrandsAdapter",
        "record_tools",
        "with_state",
        "with_tools_from",
    },
    "text": {"redact", "register_secret", "safe_float", "safe_str", "safe_str_list", "strip_ansi"},
    "statistics": {"wilson_interval"},
    "calibration": {
        "Calibration",
        "JudgeCheck",
        "LabelledSet",
        "LabelledTranscript",
        "check_judge_async",
        "read_calibration",
        "read_labels",
        "shipped_labels",
        "write_calibration",
    },
}
# What these hold besides is open: more places and transforms, and checks that users run on what they write.
LEAST_NAMES = {
    "converters": {"Base64Converter", "DocxConverter", "Rot13Converter", "chain"},
    "llm": {
        "LocalChatModel",
        "OpenAIChatModel",
        "PydanticAIChatModel",
        "create_chat_model",
        "limit_endpoint",
        "set_price",
    },
    "servers": {"ExfiltrationSink"},
    "servers.llm_gateway": {"GatewayFailure", "GatewayReply", "GatewayRequest", "LlmGateway"},
    "servers.mcp": {"McpProxy"},
    "surfaces": {
        "CallbackSurface",
        "FileSurface",
        "MailboxSurface",
        "McpSurface",
        "OneDriveSurface",
        "SqlSurface",
        "ToolResultSurface",
        "WebPageSurface",
    },
    "testing": {"ScriptedAgent", "ScriptedChatModel", "SurfaceConformance"},
}

PACKAGES = ["rampart", *(f"rampart.{name}" for name in sorted(PACKAGE_NAMES | LEAST_NAMES))]


EVERY_PACKAGE = [
    "rampart",
    *(found.name for found in walk_packages(rampart.__path__, "rampart.") if found.ispkg),
]

PUBLIC_NAMES = [(package, name) for package in PACKAGES for name in import_module(package).__all__]


def own_doc(value: object) -> str:
    """The docstring that a class or function was written with; not an inherited or a generated one."""
    doc = vars(value).get("__doc__") if isinstance(value, type) else getattr(value, "__doc__", None)
    generated = isinstance(value, type) and (doc or "").startswith(f"{value.__name__}(")
    return "" if doc is None or generated else inspect.cleandoc(doc)


def returns_awaitable(function: object) -> bool:
    """Whether what a function returns has to be awaited."""
    function = getattr(function, "__func__", function)  # of a static method
    promised = getattr(function, "__annotations__", {}).get("return", "")
    return inspect.iscoroutinefunction(function) or str(promised).startswith(("Coroutine[", "Awaitable["))


class TestRoot:
    def test_names(self) -> None:
        assert sorted(rampart.__all__) == sorted([*ROOT_NAMES, *LAZY_NAMES])

    def test_lazy_names_and_their_homes(self) -> None:
        assert rampart.__lazy_imports__ == LAZY_NAMES
        for name, (module, attribute) in rampart.__lazy_imports__.items():
            assert getattr(rampart, name) is getattr(import_module(module), attribute)

    def test_unknown_names_are_refused_in_the_usual_words(self) -> None:
        with pytest.raises(AttributeError, match=r"^module 'rampart' has no attribute 'Nope'$"):
            rampart.Nope  # type: ignore[attr-defined]  # noqa: B018  # the point of the test
        with pytest.raises(ImportError, match="cannot import name 'Nope' from 'rampart'"):
            exec("from rampart import Nope")

    def test_dir_lists_all_names(self) -> None:
        listed = dir(rampart)
        assert {*rampart.__all__, "__all__", "__lazy_imports__", "__doc__"} <= set(listed)
        assert listed == sorted(listed)

    def test_a_star_import_brings_all_names(self) -> None:
        names: dict[str, Any] = {}
        exec("from rampart import *", names)
        assert set(rampart.__all__) <= names.keys()

    def test_type_information_is_shipped(self) -> None:
        assert (Path(rampart.__file__).parent / "py.typed").is_file()

    def test_the_plugin_and_the_command_are_declared(self) -> None:
        points = {(point.group, point.name): point.value for point in distribution("rampart").entry_points}
        assert points["pytest11", "rampart"] == "rampart.pytest_plugin.plugin"
        assert points["console_scripts", "rampart"] == "rampart.cli.main:main"


class TestPackages:
    @pytest.mark.parametrize("package", PACKAGE_NAMES)
    def test_names(self, package: str) -> None:
        assert set(import_module(f"rampart.{package}").__all__) == PACKAGE_NAMES[package]

    @pytest.mark.parametrize("package", LEAST_NAMES)
    def test_least_names(self, package: str) -> None:
        assert LEAST_NAMES[package] <= set(import_module(f"rampart.{package}").__all__)

    @pytest.mark.parametrize("package", PACKAGES)
    def test_no_name_is_listed_twice(self, package: str) -> None:
        names = import_module(package).__all__
        assert len(names) == len(set(names))

    @pytest.mark.parametrize("package", EVERY_PACKAGE)
    def test_no_name_is_that_of_a_submodule(self, package: str) -> None:
        """Once imported, a submodule takes the place of whatever has its name."""
        module = import_module(package)
        submodules = {found.name for found in iter_modules(module.__path__)}
        assert not submodules & set(getattr(module, "__all__", ()))

    def test_names_of_submodules_are_looked_for_everywhere(self) -> None:
        assert {"rampart.surfaces", "rampart.servers.mcp"} <= set(EVERY_PACKAGE)
        assert set(PACKAGES) <= set(EVERY_PACKAGE)

    @pytest.mark.parametrize("package", PACKAGES)
    def test_each_says_what_it_is(self, package: str) -> None:
        assert len(import_module(package).__doc__ or "") > 20

    @pytest.mark.parametrize(("package", "name"), PUBLIC_NAMES)
    def test_every_name_resolves(self, package: str, name: str) -> None:
        value = getattr(import_module(package), name)
        if package == "rampart" and name not in LAZY_NAMES:
            home = "execution" if name in _EXECUTION_NAMES else "core"
            assert value is getattr(import_module(f"rampart.{home}"), name)

    @pytest.mark.parametrize(("package", "name"), PUBLIC_NAMES)
    def test_every_class_and_function_is_documented(self, package: str, name: str) -> None:
        value = getattr(import_module(package), name)
        if isinstance(value, type) or inspect.isroutine(value):
            assert len(own_doc(value)) > 20
            assert "TODO" not in own_doc(value)

    @pytest.mark.parametrize(("package", "name"), PUBLIC_NAMES)
    def test_every_awaitable_function_says_so_in_its_name(self, package: str, name: str) -> None:
        value = getattr(import_module(package), name)
        functions = {name: value} if inspect.isfunction(value) else {}
        if isinstance(value, type) and value.__module__.startswith("rampart."):
            functions = {
                name: one for name, one in vars(value).items() if not name.startswith(("_", "test_"))
            }
        for function_name, function in functions.items():
            assert function_name.endswith("_async") is returns_awaitable(function)

    def test_the_checks_of_docstrings_can_fail(self) -> None:
        from dataclasses import dataclass

        @dataclass
        class Generated:
            field: int

        class InheritsError(ValueError):
            pass

        assert own_doc(Generated) == own_doc(InheritsError) == own_doc(lambda: None) == ""


def lazy_packages() -> list[ModuleType]:
    return [module for module in map(import_module, PACKAGES) if hasattr(module, "_HOMES")]


def names_for_type_checkers(module: ModuleType) -> dict[str, str]:
    """What the `if TYPE_CHECKING:` block of a package imports, and from where."""
    tree = ast.parse(inspect.getsource(module))
    return {
        alias.asname or alias.name: str(node.module)
        for block in tree.body
        if isinstance(block, ast.If) and isinstance(block.test, ast.Name) and block.test.id == "TYPE_CHECKING"
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


@pytest.mark.parametrize("module", lazy_packages(), ids=lambda module: module.__name__)
class TestLazyPackages:
    """Packages that import at first use say the same thing in several places; they must agree."""

    def test_homes_are_the_names(self, module: ModuleType) -> None:
        assert sorted(module._HOMES) == sorted(module.__all__)

    def test_type_checkers_see_what_is_there(self, module: ModuleType) -> None:
        assert names_for_type_checkers(module) == module._HOMES

    def test_homes_lie_in_the_package_or_below(self, module: ModuleType) -> None:
        if module is rampart:
            return
        own = module.__name__.split(".")[1]
        folders = {home.split(".")[1] for home in module._HOMES.values()}
        assert all(folder == own or ROW_OF[folder] < ROW_OF[own] for folder in folders)

    def test_unknown_names_are_refused_in_the_usual_words(self, module: ModuleType) -> None:
        text = f"module '{module.__name__}' has no attribute 'Nope'"
        with pytest.raises(AttributeError, match=f"^{re.escape(text)}$"):
            module.Nope  # noqa: B018  # the point of the test

    def test_dir_lists_all_names(self, module: ModuleType) -> None:
        assert set(module.__all__) <= set(dir(module))


def modules_after(code: str) -> set[str]:
    """The modules that a fresh interpreter holds after running some code."""
    code += "\nimport json, sys; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout))


OPTIONAL = {
    "aiosmtpd",
    "anyio",
    "azure",
    "docx",
    "genai_prices",
    "httpx2",
    "hypothesis",
    "jinja2",
    "kiota_abstractions",
    "mcp",
    "mcp_types",
    "msgraph",
    "numpy",
    "openai",
    "openpyxl",
    "opentelemetry",
    "PIL",
    "pydantic",
    "pydantic_ai",
    "pyrit",
    "ray",
    "reportlab",
    "rich",
    "scipy",
    "sqlalchemy",
    "stamina",
    "starlette",
    "trio",
    "uvicorn",
    "xdist",
    "xllamacpp",
}
HEAVY = {"argparse", "email", "http", "multiprocessing", "sqlite3", "unittest", "urllib.request"}
ATTACK_PACKAGES = {f"rampart.{name}" for name in ("converters", "payloads", "servers", "surfaces")}
EVERY_NAME = "import rampart\nfor name in rampart.__all__: getattr(rampart, name)"


class TestCost:
    def test_importing_the_package_imports_next_to_nothing(self) -> None:
        loaded = modules_after("import rampart")
        assert {"rampart", "rampart.core"} <= loaded
        assert not loaded & (OPTIONAL | HEAVY | {"pytest", "click", "msgspec", "asyncio", "dataclasses"})

    def test_using_every_name_imports_no_library(self) -> None:
        loaded = modules_after(EVERY_NAME)
        assert {"rampart.attacks.factory", "rampart.probes.factory", "asyncio"} <= loaded
        assert not loaded & (OPTIONAL | HEAVY | ATTACK_PACKAGES | {"pytest", "click", "msgspec"})

    def test_the_plugin_imports_no_optional_library(self) -> None:
        loaded = modules_after("import rampart.pytest_plugin.plugin")
        assert "pytest" in loaded
        assert not loaded & (OPTIONAL | {"asyncio"} | ATTACK_PACKAGES) - modules_after("import pytest")

    def test_a_lazy_name_is_imported_at_its_first_use_and_kept(self) -> None:
        code = """
            import sys, rampart
            assert "Probes" not in vars(rampart) and "rampart.probes" not in sys.modules
            first = rampart.Probes
            assert vars(rampart)["Probes"] is first and "rampart.probes" in sys.modules
            del sys.modules["rampart.probes"]
            assert rampart.Probes is first and "rampart.probes" not in sys.modules
        """
        subprocess.run([sys.executable, "-c", inspect.cleandoc(code)], check=True)

    @pytest.mark.parametrize("package", [name for name in PACKAGES if name != "rampart"])
    def test_each_package_can_be_imported_first(self, package: str) -> None:
        code = f"import {package} as package\nfor name in package.__all__: getattr(package, name)"
        loaded = modules_after(code)
        assert package in loaded
        assert not loaded & OPTIONAL - modules_after("import pytest")
