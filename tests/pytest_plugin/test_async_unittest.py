"""Async methods of unittest cases, which only some of these await."""

from typing import Any

import pytest

CASES = """
    import unittest

    class TestPlain(unittest.TestCase):
        async def test_it(self):
            raise AssertionError("never run")

        def test_sync(self): pass

    class TestAwaits(unittest.IsolatedAsyncioTestCase):
        async def test_it(self):
            assert await one(SAFE)

    class TestOtherFramework(unittest.TestCase):
        def _callTestMethod(self, method):
            asyncio.run(method())

        async def test_it(self):
            assert await one(SAFE)

    class TestClass:
        async def test_it(self):
            assert await one(SAFE)
"""


def test_a_test_that_nobody_awaits_fails(project: Any) -> None:
    project.write(CASES)
    result = project.run()
    result.assert_outcomes(passed=4, failed=1)
    text = (
        "test_it.py::TestPlain::test_it is an async method of a unittest.TestCase, which never awaits it, so "
        "nothing was tested: derive the class from unittest.IsolatedAsyncioTestCase, or from nothing"
    )
    result.stdout.fnmatch_lines([text])


def test_it_is_left_alone_where_rampart_runs_marked_tests_only(project: Any) -> None:
    project.write(CASES)
    result = project.run("-o", "rampart_async=marked", "-k", "TestPlain")
    result.assert_outcomes(passed=2)


@pytest.mark.parametrize("how", ["@unittest.skip('why')", "@pytest.mark.skip"])
def test_a_skipped_one_is_skipped(project: Any, how: str) -> None:
    project.write(
        f"""
        import unittest

        class TestPlain(unittest.TestCase):
            {how}
            async def test_it(self): pass

        class TestSetUp(unittest.TestCase):
            def setUp(self): self.skipTest("why")
            async def test_it(self): pass
        """
    )
    project.run().assert_outcomes(skipped=2)
