"""Text that others wrote, made safe to compare, quote and print: pure functions, standard library only."""

from rampart.text.ansi import strip_ansi
from rampart.text.safe import safe_float, safe_str, safe_str_list
from rampart.text.secrets import redact, register_secret

__all__ = ["redact", "register_secret", "safe_float", "safe_str", "safe_str_list", "strip_ansi"]
