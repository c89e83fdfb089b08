"""A slip in a data file is an error that names the family."""

from __future__ import annotations

import pytest

from rampart import PayloadFormat
from rampart.payloads.family_file import read_family
from rampart.payloads.placeholders import fill

SOUND = """
name = "Sample"
description = "A sample."
owasp_llm = ["LLM01:2025"]
owasp_agentic = ["ASI01"]
atlas = ["AML.T0051.001"]
placements = ["file"]

[phrases.say]
en = "Please: {{goal}}"
de = "Bitte: {{goal}}"

[[variants]]
id = "one"
text = "{{say|html}}"

[[variants]]
id = "two"
format = "html"
placements = ["web_alt_text"]
[variants.texts]
en = ["{{goal|rot13|html}}", "{{address_query}}"]
"""


def test_a_sound_file() -> None:
    sample = read_family(SOUND, family_id="sample")
    one, two = sample.variants
    assert (sample.id, sample.name, sample.languages) == ("sample", "Sample", ("en", "de"))
    assert one.texts == {"en": ("{{say|html}}",), "de": ("{{say|html}}",)}
    assert (one.placements, one.format, one.parameters, one.encodings) == (
        ("file",),
        PayloadFormat.TEXT,
        ("goal",),
        (),
    )
    assert two.texts == {"en": ("{{goal|rot13|html}}", "{{address_query}}")}
    assert (two.placements, two.format, two.parameters, two.encodings) == (
        ("web_alt_text",),
        PayloadFormat.HTML,
        ("goal", "address"),
        ("rot13",),
    )
    assert sample.placements == ("file", "web_alt_text")
    assert sample.needs == ("goal",)
    assert sample.parameters == ("goal", "address")


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        pytest.param('name = "Sample"', "name = ", "is no TOML", id="toml"),
        pytest.param('name = "Sample"', "", r"lacks \['name'\]", id="missing-key"),
        pytest.param('name = "Sample"', 'name = "S"\nnmae = "S"', r"unknown \['nmae'\]", id="unknown-key"),
        pytest.param(
            'id = "one"', 'id = "one"\nformt = "html"', r"unknown \['formt'\]", id="key-of-a-variant"
        ),
        pytest.param('"LLM01:2025"', '"LLM1"', "has a tag 'LLM1', which is none of LLM01", id="tag"),
        pytest.param('["file"]', '["fiel"]', "has a placement 'fiel'", id="placement"),
        pytest.param('["web_alt_text"]', '["alt"]', "has a placement 'alt'", id="placement-of-a-variant"),
        pytest.param('"html"', '"pdf"', "has the format 'pdf', which is no text format", id="format"),
        pytest.param('id = "two"', 'id = "one"', "distinct ids, has ", id="same-ids"),
        pytest.param("{{say|html}}", "{{sya|html}}", "has a placeholder 'sya'", id="placeholder"),
        pytest.param("{{say|html}}", "{{say|htm}}", "has a filter 'htm'", id="filter"),
        pytest.param("Please: {{goal}}", "{{gaol}}", "has a placeholder 'gaol'", id="in-a-phrase"),
        pytest.param("Please: {{goal}}", "{{say}}", "has a placeholder 'say'", id="phrase-in-a-phrase"),
        pytest.param("{{say|html}}", "{{say|html} }", "braces that are no placeholder", id="open-braces"),
        pytest.param("{{say|html}}", "{{ say }}{{say}}", "braces that are no placeholder", id="spaces"),
        pytest.param("{{goal|rot13|html}}", "nothing", "variant 'two' does not carry the goal", id="no-goal"),
        pytest.param("[phrases.say]", "[phrases.goal]", "a phrase 'goal'", id="phrase-of-a-parameters-name"),
        pytest.param('text = "{{say|html}}"', "", "needs either 'text' or 'texts'", id="no-text"),
        pytest.param(
            'de = "Bitte: {{goal}}"',
            '[phrases.more]\nfr = "{{goal}}"',
            "has phrases in different languages",
            id="languages-of-phrases",
        ),
        pytest.param(
            '[phrases.say]\nen = "Please: {{goal}}"\nde = "Bitte: {{goal}}"',
            "",
            "one text for all languages, but there are no phrases",
            id="no-phrases",
        ),
    ],
)
def test_a_slip_is_refused(old: str, new: str, complaint: str) -> None:
    assert old in SOUND
    with pytest.raises(ValueError, match=r"^payload family 'sample' ") as caught:
        read_family(SOUND.replace(old, new, 1), family_id="sample")
    assert caught.match(complaint)


def test_what_is_filled_in_is_not_looked_at_again() -> None:
    assert fill("{{a}} {{b|json}}", {"a": "{{b}}", "b": '{{a}}"'}) == '{{b}} {{a}}\\"'


def test_filters_apply_in_order() -> None:
    assert fill("{{a|rot13|html}}", {"a": "<n>"}) == "&lt;a&gt;"
    assert fill("{{a|html|rot13}}", {"a": "<n>"}) == "&yg;a&tg;"
