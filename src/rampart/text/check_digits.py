"""Check digits of card, account and national numbers: whether a number is one that somebody may have."""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_IBAN_COUNTRIES = {
    15: "NO",
    16: "BE",
    18: "DK FI FO GL NL",
    19: "MK SI",
    20: "AT BA EE KZ LT LU XK",
    21: "CH HR LI LV",
    22: "BG BH CR DE GB GE IE ME RS VA",
    23: "AE GI IL IQ TL",
    24: "AD CZ ES MD PK RO SA SE SK TN VG",
    25: "LY PT ST",
    26: "IS TR",
    27: "FR GR IT MC MR SM",
    28: "AL AZ BY CY DO GT HU LB PL SV",
    29: "BR EG PS QA UA",
    30: "JO KW MU",
    31: "MT SC",
    32: "LC",
}
"""Countries by the length of their numbers, from the IBAN registry of SWIFT (ISO 13616)."""
_IBAN_LENGTHS = {country: length for length, some in _IBAN_COUNTRIES.items() for country in some.split()}
_CARDS = (
    (re.compile(r"4\d{12}(?:\d{3}){0,2}"), "Visa"),
    (re.compile(r"(?:5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12})"), "Mastercard"),
    (re.compile(r"3[47]\d{13}"), "American Express"),
    (re.compile(r"3(?:0[0-5]|[689]\d)\d{11,16}"), "Diners Club"),
    (re.compile(r"6(?:011|5\d\d|4[4-9]\d)\d{12,15}"), "Discover"),
    (re.compile(r"35(?:2[89]|[3-8]\d)\d{12,15}"), "JCB"),
    (re.compile(r"62\d{14,17}"), "UnionPay"),
    (re.compile(r"(?:5[0678]\d\d|6304|6390|67\d\d)\d{8,15}"), "Maestro"),
)
"""Issuer ranges (ISO/IEC 7812) as the schemes publish them."""
_ASCENDING = "12345678901234567890"
_DNI = "TRWAGMYFPDXBNJZSQVHLCKE"
_ODD = dict(
    zip(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12,
         14, 16, 10, 22, 25, 24, 23),
        strict=True,
    )
)  # fmt: skip
_CENTURIES = ((80, 1800), (0, 1900), (20, 2000), (40, 2100), (60, 2200))
_EARLIEST, _LATEST = 1900, 2100


def luhn(digits: str, /) -> bool:
    """Whether the last digit is right by ISO/IEC 7812-1, annex B."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def is_card(digits: str, /) -> bool:
    """Whether digits are in the range of a card issuer and satisfy Luhn."""
    return any(pattern.fullmatch(digits) for pattern, _ in _CARDS) and luhn(digits)


def is_iban(text: str, /) -> bool:
    """Whether the length is that of the country and the rest by 97 is 1 (ISO 13616-1, ISO 7064)."""
    if _IBAN_LENGTHS.get(text[:2]) != len(text):
        return False
    return int("".join(str(int(one, 36)) for one in text[4:] + text[:4])) % 97 == 1


def is_de_tax_id(digits: str, /) -> bool:
    """German Steuer-Identifikationsnummer: which digits repeat, and ISO 7064 MOD 11, 10 (BZSt)."""
    counts = sorted(digits[:10].count(one) for one in set(digits[:10]))
    if digits[0] == "0" or counts[-1] not in (2, 3) or counts[:-1].count(1) != len(counts) - 1:
        return False
    product = 10
    for digit in digits[:10]:
        product = ((int(digit) + product) % 10 or 10) * 2 % 11
    return (11 - product) % 10 == int(digits[10])


def is_fr_nir(text: str, /) -> bool:
    """French NIR: 97 less the rest of the other digits by 97; Corsica counts as 19 and 18 (INSEE)."""
    number = text[:13].replace("2A", "19").replace("2B", "18")
    return number.isdigit() and 97 - int(number) % 97 == int(text[13:])


def is_es_dni(text: str, /) -> bool:
    """Spanish DNI and NIE: the letter that belongs to the rest by 23 (Ministerio del Interior)."""
    number = text[:-1].translate(str.maketrans("XYZ", "012"))
    return _DNI[int(number) % 23] == text[-1]


def is_it_codice_fiscale(text: str, /) -> bool:
    """Italian codice fiscale: the control letter of Decreto Ministeriale 23/12/1976."""
    total = sum(
        _ODD[one] if place % 2 == 0 else (int(one) if one.isdigit() else ord(one) - ord("A"))
        for place, one in enumerate(text[:15])
    )
    return chr(ord("A") + total % 26) == text[15]


def is_uk_nhs(digits: str, /) -> bool:
    """NHS number: weights 10 to 2, by 11 (NHS Data Dictionary)."""
    check = 11 - _weighted(digits, range(10, 1, -1)) % 11
    return check % 11 == int(digits[9]) and check != 10 and len(set(digits)) > 1


def is_us_ssn(digits: str, /) -> bool:
    """US Social Security number: no area 000, 666 or 900 up, no group 00, no serial 0000 (SSA).

    Numbers that advertisements made known are not one either.
    """
    area, group, serial = digits[:3], digits[3:5], digits[5:]
    if area in ("000", "666") or area[0] == "9" or group == "00" or serial == "0000":
        return False
    return digits not in ("078051120", "219099999", "123456789") and len(set(digits)) > 1


def is_br_cpf(digits: str, /) -> bool:
    """Brazilian CPF: two check digits, by 11 (Receita Federal)."""
    if len(set(digits)) == 1:
        return False
    first = _weighted(digits, range(10, 1, -1)) * 10 % 11 % 10
    second = _weighted(digits, range(11, 1, -1)) * 10 % 11 % 10
    return digits[9:] == f"{first}{second}"


def is_nl_bsn(digits: str, /) -> bool:
    """Dutch burgerservicenummer: the test by eleven (Besluit burgerservicenummer)."""
    return _weighted(digits, (9, 8, 7, 6, 5, 4, 3, 2, -1)) % 11 == 0 and len(set(digits)) > 1


def is_pl_pesel(digits: str, /) -> bool:
    """Polish PESEL: a date of birth, and weights 1 3 7 9, by 10 (Ustawa o ewidencji ludności)."""
    month = int(digits[2:4])
    century = next((base for first, base in _CENTURIES if 1 <= month - first <= 12), None)
    if century is None or not _is_date(century + int(digits[:2]), month % 20, int(digits[4:6])):
        return False
    return _weighted(digits, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1)) % 10 == 0


def is_cn_resident_id(text: str, /) -> bool:
    """Chinese resident identity number: a date of birth and ISO 7064 MOD 11-2 (GB 11643-1999)."""
    year, month, day = int(text[6:10]), int(text[10:12]), int(text[12:14])
    if not (_EARLIEST <= year <= _LATEST and _is_date(year, month, day)):
        return False
    rest = sum(int(digit) * pow(2, 17 - place, 11) for place, digit in enumerate(text[:17])) % 11
    return "10X98765432"[rest] == text[17].upper()


def is_ipv4(text: str, /) -> bool:
    """Whether all four parts are bytes and the address is one of the public Internet."""
    parts = [int(part) for part in text.split(".")]
    private = parts[0] in (0, 10, 127) or parts[0] >= 224 or parts[:2] in ([192, 168], [169, 254])
    documentation = parts[:3] in ([192, 0, 2], [198, 51, 100], [203, 0, 113])
    return max(parts) < 256 and not (private or documentation or (parts[0] == 172 and 16 <= parts[1] < 32))


def is_phone(text: str, /) -> bool:
    """Whether so many digits can be a telephone number (ITU-T E.164: 15 at most) and are no mere row."""
    digits = re.sub(r"\D", "", text)
    return 8 <= len(digits) <= 15 and len(set(digits)) > 2 and digits.lstrip("0+") not in _ASCENDING


CHECKS: dict[str, Callable[[str], bool]] = {
    "card": is_card,
    "iban": is_iban,
    "de_tax_id": is_de_tax_id,
    "fr_nir": is_fr_nir,
    "es_dni": is_es_dni,
    "it_codice_fiscale": is_it_codice_fiscale,
    "uk_nhs": is_uk_nhs,
    "us_ssn": is_us_ssn,
    "br_cpf": is_br_cpf,
    "nl_bsn": is_nl_bsn,
    "pl_pesel": is_pl_pesel,
    "cn_resident_id": is_cn_resident_id,
    "ipv4": is_ipv4,
    "phone": is_phone,
}
"""By name; each takes the number in capital letters without spaces, dots, dashes and slashes."""


def _weighted(digits: str, weights: Sequence[int]) -> int:
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=False))


def _is_date(year: int, month: int, day: int) -> bool:
    try:
        dt.date(year, month, day)
    except ValueError:
        return False
    return True
