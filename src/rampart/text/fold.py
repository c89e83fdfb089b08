"""Placeholder until the folding is in."""


def fold(text: str, /, *, case_sensitive: bool = False, confusables: bool = False) -> str:
    """Fold `text` for matching (not complete yet)."""
    del confusables
    return text if case_sensitive else text.casefold()
