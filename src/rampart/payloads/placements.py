"""Places in which a payload makes sense.

What follows `web_` is the placement of a web page surface; HTML stands in `web_visible` as it is.
"""

from typing import Final

PLACEMENTS: Final = {
    "file": "the text of a file",
    "file_name": "the name of a file",
    "code": "source code",
    "web_visible": "the visible text of a web page",
    "web_comment": "a comment of a web page",
    "web_hidden": "text of a web page that its style hides",
    "web_alt_text": "the alternative text of an image",
    "web_title": "the title of a web page",
    "web_metadata": "the metadata of a web page",
    "mail_subject": "the subject of a mail",
    "mail_body": "the body of a mail",
    "mail_attachment": "a file attached to a mail",
    "sql_row": "a value in a table",
    "sql_column": "the name of a column",
    "tool_result": "what a tool returns",
    "tool_description": "how a tool describes itself",
    "resource": "a document or record that a server offers",
    "calendar": "an entry of a calendar",
    "prompt": "a message that a user types",
}
"""Every placement by name, with what it is."""
