"""Check digits, against numbers that their issuers or standards publish as examples."""

from __future__ import annotations

import pytest

from rampart.text.check_digits import CHECKS, luhn

RIGHT = {
    "card": [
        "4111111111111111",
        "5555555555554444",
        "378282246310005",
        "6011111111111117",
        "3530111333300000",
    ],
    "iban": ["DE89370400440532013000", "GB82WEST12345698765432", "FR1420041010050500013M02606"],
    "de_tax_id": ["86095742719", "47036892816", "65929970489"],
    "fr_nir": ["255081416802538", "180126955222380"],
    "es_dni": ["12345678Z", "X1234567L", "Y1234567X", "Z1234567R"],
    "it_codice_fiscale": ["RSSMRA85T10A562S", "MRTMTT91D08F205J"],
    "uk_nhs": ["9434765919", "4505577104"],
    "us_ssn": ["536221234"],
    "br_cpf": ["11144477735", "52998224725"],
    "nl_bsn": ["111222333", "123456782"],
    "pl_pesel": ["44051401359", "02070803628"],
    "cn_resident_id": ["11010519491231002X", "34052419800101001X"],
    "ipv4": ["8.8.4.4"],
    "phone": ["+442079460958"],
}
WRONG = {
    "card": ["4111111111111112", "1234567812345670", "0000000000000000"],
    "iban": ["DE88370400440532013000", "DE8937040044053201300", "ZZ89370400440532013000"],
    "de_tax_id": ["86095742718", "01234567890", "12345678903"],
    "fr_nir": ["255081416802539"],
    "es_dni": ["12345678A", "X1234567Z"],
    "it_codice_fiscale": ["RSSMRA85T10A562T"],
    "uk_nhs": ["9434765918", "0000000000"],
    "us_ssn": ["000123456", "666123456", "900123456", "123004567", "123450000", "078051120"],
    "br_cpf": ["11144477736", "11111111111"],
    "nl_bsn": ["111222334", "000000000"],
    "pl_pesel": ["44051401358", "44133101352"],
    "cn_resident_id": ["110105194912310021", "11010519491331002X"],
    "ipv4": ["10.0.0.1", "256.1.1.1", "192.0.2.7", "172.16.0.1"],
    "phone": ["1111111111", "1234567", "0123456789", "1234567890123456"],
}


def test_every_check_has_examples() -> None:
    assert RIGHT.keys() == WRONG.keys() == CHECKS.keys()


@pytest.mark.parametrize(("kind", "number"), [(kind, one) for kind, some in RIGHT.items() for one in some])
def test_right(kind: str, number: str) -> None:
    assert CHECKS[kind](number)


@pytest.mark.parametrize(("kind", "number"), [(kind, one) for kind, some in WRONG.items() for one in some])
def test_wrong(kind: str, number: str) -> None:
    assert not CHECKS[kind](number)


def test_luhn_finds_every_single_wrong_digit() -> None:
    number = "4111111111111111"
    changed = [
        number[:at] + str(digit) + number[at + 1 :]
        for at in range(16)
        for digit in range(10)
        if str(digit) != number[at]
    ]
    assert not any(map(luhn, changed))
