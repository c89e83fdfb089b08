"""Markers: what is legal, and what is refused before anything runs."""

from typing import Any

import pytest

BAD_TRIALS = [
    ("n=5, treshold=0.8", "trial marker has unsupported argument(s): treshold; it takes n and threshold"),
    ("b=1, a=2", "trial marker has unsupported argument(s): a, b"),
    ("5, 0.8, 1", "trial marker accepts at most two positional arguments"),
    ("5, n=5", "trial n was provided both positionally and by keyword"),
    ("5, 0.5, threshold=0.5", "trial threshold was provided both positionally and by keyword"),
    ("n=0", "trial n must be a positive integer, got 0"),
    ("n=-1", "trial n must be a positive integer, got -1"),
    ("n=True", "trial n must be a positive integer, got True"),
    ("n=2.0", "trial n must be a positive integer, got 2.0"),
    ("n='3'", "trial n must be a positive integer, got '3'"),
    ("threshold='0.8'", "trial threshold must be a number, got '0.8'"),
    ("threshold=True", "trial threshold must be a number, got True"),
    ("threshold=None", "trial threshold must be a number, got None"),
    ("threshold=80", "trial threshold must be between 0.0 and 1.0, got 80; for 80% write 0.8"),
    ("threshold=1.01", "trial threshold must be between 0.0 and 1.0, got 1.01"),
    ("threshold=-0.1", "trial threshold must be between 0.0 and 1.0, got -0.1"),
    ("threshold=float('nan')", "trial threshold must be between 0.0 and 1.0, got nan"),
    ("threshold=float('inf')", "trial threshold must be between 0.0 and 1.0, got inf"),
]
BAD_HARMS = [
    ("", "harm marker needs at least one category"),
    ("' '", "harm category must be a non-blank string or a HarmCategory, got ' '"),
    ("3", "harm category must be a non-blank string or a HarmCategory, got 3"),
    ("'a', None", "harm category must be a non-blank string or a HarmCategory, got None"),
    ("'a', kind='b'", "harm marker has unsupported argument(s): kind"),
]


def test_markers_are_listed(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest_inprocess("-p", "no:asyncio", "--markers")
    result.stdout.fnmatch_lines(
        [
            "@pytest.mark.harm(*categories): categorize by harm type",
            "@pytest.mark.trial(n=, threshold=): statistical repetition",
        ]
    )


@pytest.mark.parametrize("flags", [(), ("-n", "1")], ids=["one-process", "xdist"])
def test_s56_s57_s74_malformed_markers_are_collection_errors(project: Any, flags: tuple[str, ...]) -> None:
    """All at once: every malformed marker is named with its test, and nothing runs."""
    cases = [("trial", *case) for case in BAD_TRIALS] + [("harm", *case) for case in BAD_HARMS]
    for number, (marker, arguments, _) in enumerate(cases):
        project.write(
            f"""
            @pytest.mark.{marker}({arguments})
            async def test_{marker}_{number}():
                open("ran", "w").close()
                await one(SAFE)
            """,
            name=f"test_case_{number}",
        )
    project.write("def test_fine(): open('ran', 'w').close()", name="test_zz")
    result = project.run_apart(*flags) if flags else project.run()
    assert result.ret == (1 if flags else pytest.ExitCode.INTERRUPTED)
    output = result.stdout.str()
    for number, (marker, _, text) in enumerate(cases):
        assert f"ERROR collecting test_case_{number}.py" in output
        lines = [line for line in output.splitlines() if text in line]
        assert any(f"test_case_{number}.py::test_{marker}_{number}" in line for line in lines), text
    assert not (project.path / "ran").exists()
    assert not project.journals


def test_every_fault_of_a_file_is_shown(project: Any) -> None:
    project.write(
        """
        @pytest.mark.trial(n=0)
        def test_a(): pass

        class TestB:
            @pytest.mark.harm()
            @pytest.mark.trial(threshold=2)
            def test_b(self): pass
        """
    )
    result = project.run()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(
        [
            "*trial n must be a positive integer, got 0: test_it.py::test_a*",
        ]
    )


def test_faults_in_a_class(project: Any) -> None:
    project.write(
        """
        class TestB:
            @pytest.mark.harm()
            @pytest.mark.trial(threshold=2)
            def test_b(self): pass
        """
    )
    result = project.run()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(
        [
            "*ERROR collecting test_it.py *",
            "harm marker needs at least one category*: test_it.py::TestB::test_b",
            "trial threshold must be between 0.0 and 1.0, got 2*: test_it.py::TestB::test_b",
        ]
    )


@pytest.mark.parametrize(
    "decorators",
    [
        pytest.param("@pytest.mark.trial(n=2)\n@pytest.mark.trial(n=3)\ndef test_it(): pass", id="function"),
        pytest.param(
            "@pytest.mark.parametrize('x', [pytest.param(1, marks=pytest.mark.trial(n=2))])\n"
            "@pytest.mark.trial(n=3)\ndef test_it(x): pass",
            id="function-and-parameter",
        ),
        pytest.param(
            "pytestmark = [pytest.mark.trial(1), pytest.mark.trial(2)]\ndef test_it(): pass", id="module"
        ),
        pytest.param(
            "@pytest.mark.trial(1)\n@pytest.mark.trial(2)\nclass TestC:\n    def test_it(self): pass",
            id="class",
        ),
    ],
)
def test_s74_a_second_trial_marker_on_one_thing_is_refused(project: Any, decorators: str) -> None:
    project.write(decorators)
    result = project.run()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["trial is given twice on test_it.py::*test_it*"])


def test_s74_the_closest_marker_counts_alone(project: Any) -> None:
    project.write(
        """
        pytestmark = pytest.mark.trial(n=9, threshold=0.9)

        def test_module(trial_config):
            assert (trial_config.n, trial_config.threshold) == (9, 0.9)

        @pytest.mark.trial(n=7)
        class TestBase:
            def test_class(self, trial_config):
                assert (trial_config.n, trial_config.threshold) == (7, 1.0)

            @pytest.mark.trial(3, 0.5)
            def test_method(self, trial_config):
                assert (trial_config.n, trial_config.threshold) == (3, 0.5)

        @pytest.mark.trial(n=2)
        class TestChild(TestBase):
            def test_class(self, trial_config):
                assert trial_config.n == 2

        @pytest.mark.trial()
        def test_defaults(trial_config):
            assert (trial_config.n, trial_config.threshold) == (1, 1.0)

        @pytest.mark.trial(5, 0)
        def test_zero_threshold(trial_config):
            assert trial_config.threshold == 0.0
            assert type(trial_config.threshold) is float
        """
    )
    project.run("-o", "rampart_unchecked=ignore").assert_outcomes(passed=7)


def test_s65_unittest_methods_are_refused(project: Any) -> None:
    project.write(
        """
        import unittest

        class TestOld(unittest.TestCase):
            @pytest.mark.trial(n=5)
            def test_method(self):
                open("ran", "w").close()
        """,
        name="test_method",
    )
    project.write(
        """
        import unittest

        @pytest.mark.trial(n=5)
        class TestMarked(unittest.TestCase):
            def test_method(self): pass
        """,
        name="test_class",
    )
    result = project.run()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(
        [
            "trial is not supported on unittest.TestCase methods: test_class.py::TestMarked::test_method",
            "trial is not supported on unittest.TestCase methods: test_method.py::TestOld::test_method",
        ]
    )
    assert not (project.path / "ran").exists()


def test_harm_on_unittest_methods_is_legal(project: Any) -> None:
    project.write(
        """
        import unittest

        class TestOld(unittest.TestCase):
            @pytest.mark.harm("jailbreak")
            def test_method(self):
                assert one_now(SAFE)

            @pytest.mark.harm("jailbreak")
            def test_without_results(self): pass

            def test_failing(self):
                one_now(UNSAFE)
                self.fail("its own reason")
        """
    )
    result = project.run()
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(["*is marked @harm but recorded no results", "*its own reason*"])
    assert "never checked" not in result.stdout.str()
    project.run("-o", "rampart_unchecked=warn").assert_outcomes(passed=2, failed=1, warnings=1)


def test_a_trial_marker_on_something_else_than_a_function_is_refused(project: Any) -> None:
    project.pytester.makeconftest(
        """
        import pytest

        class Case(pytest.Item):
            def runtest(self): pass

        class CaseFile(pytest.File):
            def collect(self):
                case = Case.from_parent(self, name="case")
                case.add_marker(pytest.mark.trial(n=3))
                yield case

        def pytest_collect_file(file_path, parent):
            if file_path.suffix == ".case":
                return CaseFile.from_parent(parent, path=file_path)
        """
    )
    (project.path / "a.case").touch()
    result = project.run()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["trial is supported on test functions and methods only: a.case::case"])


def test_a_marker_added_late_is_checked_too(project: Any) -> None:
    project.pytester.makeconftest(
        """
        import pytest

        def pytest_collection_modifyitems(items):
            items[0].add_marker(pytest.mark.trial(n=0))
        """
    )
    project.write("def test_it(): open('ran', 'w').close()")
    result = project.run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*trial n must be a positive integer, got 0: test_it.py::test_it"])
    assert not (project.path / "ran").exists()


def test_trial_config_without_a_marker_is_an_error_of_that_test(project: Any) -> None:
    project.write(
        """
        def test_it(trial_config): pass
        def test_other(): pass
        """
    )
    result = project.run()
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["trial_config requires @pytest.mark.trial on test_it.py::test_it"])


def test_harm_categories_fill_in_on_the_copy_only(project: Any) -> None:
    project.write(
        """
        kept = []

        @pytest.mark.harm("from the class")
        class TestC:
            @pytest.mark.harm(HarmCategory.JAILBREAK, "second")
            async def test_a(self):
                kept.append(await one(SAFE))
                assert kept[0] and kept[0].harm_category is None and kept[0].metadata == {}

            async def test_b(self):
                assert await one(SAFE, harm_category="its own")

            async def test_c(self):
                assert await one(SAFE)

        async def test_d():
            assert await one(SAFE)
        """
    )
    project.run().assert_outcomes(passed=4)
    harms = {result["name"]: result["harm"] for result in project.dump["results"]}
    assert harms == {"test_a": "jailbreak", "test_b": "its own", "test_c": "from the class", "test_d": None}
