"""Letters of other scripts, and Latin small capitals, that look like a Latin letter; drawn up by eye.

Greek, Cyrillic, Armenian, Cherokee, Coptic, Lisu, Georgian, the phonetic alphabet. What normalisation makes
Latin anyway (full-width, mathematical, circled letters) is not repeated here.
"""

_CAPITAL = {
    "A": "ΑАᎪꓮ",
    "B": "ΒВᏴꓐ",
    "C": "СᏟⲤꓚ",
    "D": "Ꭰꓓ",
    "E": "ΕЕᎬꓰ",
    "F": "Ϝꓝ",
    "G": "ԌᏀᏳꓖ",
    "H": "ΗНᎻⲎꓧ",
    "I": "ΙІӀⲒꓲ",
    "J": "ͿЈᎫꓙ",
    "K": "ΚКᏦⲔꓗ",
    "L": "ԼᏞꓡ",
    "M": "ΜϺМᎷⲘꓟ",
    "N": "ΝⲚꓠ",
    "O": "ΟОՕⲞꓳ",
    "P": "ΡРᏢⲢꓑ",
    "Q": "Ԛ",
    "R": "ᎡᏒꓣ",
    "S": "ЅՏᏕᏚꓢ",
    "T": "ΤТᎢⲦꓔ",
    "U": "Սꓴ",
    "V": "ѴᏙꓦ",
    "W": "ԜᎳᏔꓪ",
    "X": "ΧХⲬꓫ",
    "Y": "ΥУҮᎩᎽⲨꓬ",
    "Z": "ΖᏃⲌꓜ",
}
_SMALL = {
    "a": "ɑαаᴀ",
    "b": "ʙЬвьᏏ",
    "c": "сᴄⲥ",
    "d": "ԁᏧᴅ",
    "e": "еҽᴇ℮",
    "f": "ꜰ",
    "g": "ɡɢց",
    "h": "ʜнҺһհᏂ",
    "i": "ıɩɪιіᎥⲓ",
    "j": "ϳјյᴊ",
    "k": "κкᴋ",
    "l": "ʟӏ",
    "m": "мᴍ",
    "n": "ɴηոռ",
    "o": "οσоօᴏⲟ",
    "p": "ρрᴘⲣ",
    "q": "ԛզ",
    "r": "ʀг",
    "s": "ѕꜱ",
    "t": "τтᴛ",
    "u": "ʋμυսᴜ",
    "v": "νѵᴠ",
    "w": "ωѡԝաᴡ",
    "x": "χхⲭ",
    "y": "ʏγуүყ",
    "z": "ᴢ",
}

# Letters in squares and circles that normalisation leaves alone, and the letters that flags are made of.
_ALPHABETS_FROM = (0x1F150, 0x1F170, 0x1F1E6)


def latin_look_alikes(*, case_sensitive: bool) -> dict[int, str]:
    """Map code points of already folded text to the Latin letters they look like.

    With case ignored a pair is mapped as a whole, also where only one of the two looks Latin, and to a small
    letter; where they look like different letters (Greek eta: H and n) the small one decides.
    """
    capitals = {ord(sign): letter for letter, signs in _CAPITAL.items() for sign in signs}
    smalls = {ord(sign): letter for letter, signs in _SMALL.items() for sign in signs}
    for first in _ALPHABETS_FROM:
        capitals |= {first + place: chr(ord("A") + place) for place in range(26)}
    if case_sensitive:
        return capitals | smalls
    return {
        ord(chr(code).casefold()): letter.lower()
        for table in (capitals, smalls)
        for code, letter in table.items()
    }
