"""The small agent that a newcomer meets first, the suite that tests it, and what shows the two together."""
