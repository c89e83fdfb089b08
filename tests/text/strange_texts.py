"""Texts for property tests: any Unicode, with what the transforms treat in a special way coming up often."""

from hypothesis import strategies as st

_SPECIAL = (
    "abzAZ09 \t\n\r(){}<>&%+=/\\'\"\u00e4\u00df\u0301\u200b\u200c\u200d\ufe0f\u3000\uff21\u0430"
    "\u05d0\u0627\u4e2d\U0001f600\U0001f3fd\U000e0041\U0010ffff\ufffe\x00\x85"
)

any_text = st.text(st.sampled_from(_SPECIAL) | st.characters(), max_size=25)
"""Any text, lone surrogates included."""

utf8_text = st.text(
    st.sampled_from(_SPECIAL) | st.characters(exclude_categories=["Cs"]),
    max_size=25,
)
"""Any text without lone surrogates."""
