"""Credentials made up while tests run: none stands in a file, none is valid anywhere."""

from __future__ import annotations

import base64
import json
import random
import string

from rampart.text.token_checks import base62_crc32

_BASE62 = string.ascii_letters + string.digits
_URL = _BASE62 + "-_"
_HEX = "0123456789abcdef"


def made_secrets(seed: int) -> dict[str, str]:
    """One of each kind; the same for the same seed."""
    chance = random.Random(seed)

    def some(alphabet: str, count: int) -> str:
        return "".join(chance.choice(alphabet) for _ in range(count))

    def checked(prefix: str) -> str:
        body = some(_BASE62, 30)
        return prefix + body + base62_crc32(body)

    def part(value: dict[str, object]) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    rows = "\n".join(some(_BASE62 + "+/", 64) for _ in range(10))
    frame = "-----{} RSA " + "PRIVATE KEY-----"
    user = base64.b64encode(("1" + some(string.digits, 17)).encode()).decode().rstrip("=")
    digits = "123456789"
    capitals = string.ascii_uppercase + string.digits
    return {
        "aws-access-key": "AK" + "IA" + some(string.ascii_uppercase + "234567", 16),
        "aws-secret-key": "aws_secret_access_key" + " = " + some(_BASE62 + "/+", 40),
        "github-token": checked("gh" + "p_"),
        "github-fine-grained-token": "github" + "_pat_" + some(_BASE62, 22) + "_" + some(_BASE62, 59),
        "gitlab-token": "gl" + "pat-" + some(_URL, 19) + "k",
        "slack-token": "xo" + f"xb-{some(digits, 12)}-{some(digits, 13)}-{some(_BASE62, 24)}",
        "slack-webhook": "https://hooks." + f"slack.com/services/T{some(capitals, 9)}/B{some(capitals, 9)}/"
        + some(_BASE62, 24),
        "stripe-key": "sk" + "_live_" + some(_BASE62, 24),
        "stripe-webhook-secret": "wh" + "sec_" + some(_BASE62, 32),
        "google-api-key": "AI" + "za" + some(_URL, 34) + "a",
        "google-oauth-secret": "GOC" + "SPX-" + some(_URL, 27) + "a",
        "google-oauth-token": "ya" + "29." + some(_URL, 160),
        "openai-key": "sk" + "-proj-" + some(_BASE62, 60),
        "anthropic-key": "sk" + "-ant-api03-" + some(_URL, 94) + "A",
        "hugging-face-token": "h" + "f_" + some(string.ascii_letters, 34),
        "groq-key": "gs" + "k_" + some(_BASE62, 52),
        "jwt": f"{part({'alg': 'HS256'})}.{part({'sub': some(string.digits, 9)})}.{some(_URL, 43)}",
        "private-key": f"{frame.format('BEGIN')}\n{rows}\n{frame.format('END')}",
        "azure-storage-key": "Account" + "Key=" + some(_BASE62 + "+/", 86) + "==",
        "azure-client-secret": some(_BASE62, 3) + "8" + "Q~" + some(_BASE62, 34),
        "azure-shared-access-signature": "https://x.blob.example/f?sv=2022-11-02&sp=r&"
         "sig=" + some(_BASE62, 43) + "%3D",
        "npm-token": checked("np" + "m_"),
        "pypi-token": "py" + "pi-AgEIcHlwaS5vcmc" + some(_URL, 120),
        "twilio-key": "S" + "K" + some(_HEX, 32),
        "sendgrid-key": "S" + "G." + some(_URL, 22) + "." + some(_URL, 42) + "a",
        "telegram-bot-token": some(digits, 10) + ":" + "AA" + some(_URL, 32) + "a",
        "discord-bot-token": f"{user}.{some(_BASE62, 6)}.{some(_URL, 37)}a",
        "mailgun-key": "ke" + "y-" + some(_HEX, 32),
        "mailchimp-key": some(_HEX, 32) + "-u" + "s14",
        "shopify-token": "shp" + "at_" + some(_HEX, 32),
        "digitalocean-token": "dop" + "_v1_" + some(_HEX, 64),
        "databricks-token": "da" + "pi" + some(_HEX, 32),
        "linear-key": "lin" + "_api_" + some(_BASE62, 40),
        "postman-key": "PM" + "AK-" + some(_HEX, 24) + "-" + some(_HEX, 34),
        "vault-token": "hv" + "s." + some(_URL, 94) + "a",
        "docker-token": "dckr" + "_pat_" + some(_URL, 26) + "a",
        "password-in-url": "postgres" + "://app:" + some(_BASE62, 14) + "@db.internal/prod",
    }  # fmt: skip
