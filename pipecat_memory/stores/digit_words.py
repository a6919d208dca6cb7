"""Words for digits and for two digits at once, as people dictate numbers: en, es, de, zh and more."""

from __future__ import annotations

_DIGITS = """
0 zero oh o nought cero null zéro 零 〇
1 one uno una eins ein un uma 一 幺
2 two dos zwei zwo deux due dois duas 二 两
3 three tres drei trois tre três 三
4 four cuatro vier quatre quattro quatro 四
5 five cinco fünf cinq cinque 五
6 six seis sechs sei meia 六
7 seven siete sieben sept sette sete 七
8 eight ocho acht huit otto oito 八
9 nine niner nueve neun neuf nove 九
"""
_TENS = """
10 ten diez zehn
11 eleven once elf
12 twelve doce zwölf
13 thirteen trece dreizehn
14 fourteen catorce vierzehn
15 fifteen quince fünfzehn
16 sixteen dieciséis sechzehn
17 seventeen diecisiete siebzehn
18 eighteen dieciocho achtzehn
19 nineteen diecinueve neunzehn
20 twenty veinte zwanzig
21 veintiuno
22 veintidós
23 veintitrés
24 veinticuatro
25 veinticinco
26 veintiséis
27 veintisiete
28 veintiocho
29 veintinueve
30 thirty treinta dreißig
40 forty cuarenta vierzig
50 fifty cincuenta fünfzig
60 sixty sesenta sechzig
70 seventy setenta siebzig
80 eighty ochenta achtzig
90 ninety noventa neunzig
"""
_GERMAN_UNITS = "ein zwei drei vier fünf sechs sieben acht neun"
_TIMES = "double 2 doble 2 doppel 2 triple 3 treble 3 quadruple 4"
_SMALL = "and then dash hyphen space uh um uhm er erm dot y e luego guión und dann strich äh"


def _table(lines: str) -> dict[str, str]:
    rows = [line.split() for line in lines.strip().splitlines()]
    return {word: digits for digits, *words in rows for word in words}


DIGITS = _table(_DIGITS)
HAN = frozenset("零〇一二三四五六七八九幺两")
"""Chinese digits, which are said and written without a space between them."""
TENS = _table(_TENS)
for _tens, _word in [(digits, word) for word, digits in TENS.items() if word.endswith(("zig", "ßig"))]:
    # German says the unit first, in one word: zweiundvierzig.
    TENS.update({f"{unit}und{_word}": _tens[0] + str(n) for n, unit in enumerate(_GERMAN_UNITS.split(), 1)})
TIMES = {word: int(n) for word, n in zip(_TIMES.split()[::2], _TIMES.split()[1::2], strict=True)}
SMALL = frozenset(_SMALL.split())
"""Words that people put between the groups of a number."""
