"""The test suite that `rampart demo` runs: what a team would write for its own agent."""
