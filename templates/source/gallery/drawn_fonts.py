"""Fonts that turn data into pictures: rolling figures, bars and waveforms. `fonts.py` writes them.

A template has no expressions, but text is data. A number written in any of these fonts is drawn as a bar, a wave or a
position of a counter, so that a text editable, and with it a column of a CSV file, drives the picture.
"""

import math
from pathlib import Path

from fontTools import subset
from fontTools.feaLib.builder import addOpenTypeFeaturesFromString
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTFont

EPOCH = 3_800_000_000
# What figures may stand with: blank in the fonts of the other positions, so that only digits roll.
BESIDE = " .,:%+-−–/€$£¥'\u00a0\u202f()"


def empty_glyph():
    return TTGlyphPen(None).glyph()


def write_figures(source: Path, target: Path, name: str, steps: int) -> None:
    """Writes name0 … name<steps>: in the font of position k, a digit looks like the digit k before it.

    Layers of all positions, stacked, make a counter that rolls. All digits get the same width.
    """
    for position in range(steps + 1):
        font = TTFont(source)
        font.flavor = None
        options = subset.Options(layout_features=[], hinting=False, notdef_outline=True, glyph_names=False)
        pruner = subset.Subsetter(options)
        pruner.populate(text="0123456789" + BESIDE)
        pruner.subset(font)
        cmap = font.getBestCmap()
        glyf, hmtx = font["glyf"], font["hmtx"].metrics
        digits = [cmap[ord(digit)] for digit in "0123456789"]
        widest = max(hmtx[digit][0] for digit in digits)
        for digit in digits:
            advance, _ = hmtx[digit]
            shift = (widest - advance) // 2
            glyph = glyf[digit]
            glyph.coordinates.translate((shift, 0))
            glyph.recalcBounds(glyf)
            hmtx[digit] = (widest, glyph.xMin)
        moved = {ord(str(value)): digits[(value - position) % 10] for value in range(10)}
        for table in font["cmap"].tables:
            for code, glyph in moved.items():
                if code in table.cmap:
                    table.cmap[code] = glyph
        if position > 0:
            for code, glyph in cmap.items():
                if not 0x30 <= code <= 0x39:
                    glyf[glyph] = empty_glyph()
        for table in ("GSUB", "GPOS", "GDEF", "STAT", "kern", "DSIG"):
            if table in font:
                del font[table]
        save(font, target / f"{name}{position}.woff2")


def rounded_bar(left: int, bottom: int, right: int, top: int, radius: int):
    """A bar with round corners, in quadratic curves, clockwise."""
    pen = TTGlyphPen(None)
    radius = min(radius, (right - left) // 2, (top - bottom) // 2)
    pen.moveTo((left, bottom + radius))
    pen.lineTo((left, top - radius))
    pen.qCurveTo((left, top), (left + radius, top))
    pen.lineTo((right - radius, top))
    pen.qCurveTo((right, top), (right, top - radius))
    pen.lineTo((right, bottom + radius))
    pen.qCurveTo((right, bottom), (right - radius, bottom))
    pen.lineTo((left + radius, bottom))
    pen.qCurveTo((left, bottom), (left, bottom + radius))
    pen.closePath()
    return pen.glyph()


def build(name: str, glyphs: dict, widths: dict, cmap: dict, features: str, ascent: int, descent: int) -> FontBuilder:
    builder = FontBuilder(1000, isTTF=True)
    builder.setupGlyphOrder(list(glyphs))
    builder.setupCharacterMap(cmap)
    builder.setupGlyf(glyphs)
    table = builder.font["glyf"]
    metrics = {glyph: (widths[glyph], getattr(table[glyph], "xMin", 0)) for glyph in glyphs}
    builder.setupHorizontalMetrics(metrics)
    builder.setupHorizontalHeader(ascent=ascent, descent=-descent)
    builder.setupNameTable({"familyName": name, "styleName": "Regular"})
    builder.setupOS2(sTypoAscender=ascent, sTypoDescender=-descent, usWinAscent=ascent, usWinDescent=descent)
    builder.setupPost(keepGlyphNames=False)
    if features:
        addOpenTypeFeaturesFromString(builder.font, features)
    return builder


def write_bars(target: Path, name: str, width: int, gap: int, radius: int) -> None:
    """Writes a font in which `0` to `100` is a bar of that many per cent of the em, and a space is the gap.

    `<name>Top` draws bars of 100 alone: laid over the others in another colour, it marks the largest.
    """
    words = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
    for top_only in (False, True):
        glyphs = {".notdef": empty_glyph(), "space": empty_glyph()}
        widths = {".notdef": width, "space": gap}
        cmap = {0x20: "space", 0xA0: "space"}
        for digit, word in enumerate(words):
            shows = not top_only
            glyphs[word] = rounded_bar(0, 0, width, max(12, digit * 10), radius) if shows else empty_glyph()
            widths[word] = width
            cmap[0x30 + digit] = word
        rules = []
        for value in range(10, 101):
            glyph = f"bar{value}"
            shows = not top_only or value == 100
            glyphs[glyph] = rounded_bar(0, 0, width, value * 10, radius) if shows else empty_glyph()
            widths[glyph] = width
            rules.append(f"sub {' '.join(words[int(digit)] for digit in str(value))} by {glyph};")
        # The longer ligature has to come first.
        rules.reverse()
        features = "languagesystem DFLT dflt; languagesystem latn dflt; feature liga { " + " ".join(rules) + " } liga;"
        font = build(name, glyphs, widths, cmap, features, 1000, 0).font
        save(font, target / f"{name}{'Top' if top_only else ''}.woff2")


def write_wave(target: Path, name: str, width: int, gap: int) -> None:
    """Writes a font in which `a` to `z` is a bar around the middle of the em, from a dot to the whole height."""
    glyphs = {".notdef": empty_glyph(), "space": empty_glyph()}
    widths = {".notdef": width + gap, "space": width + gap}
    cmap = {0x20: "space"}
    for index in range(26):
        half = round((width + (1000 - width) * index / 25) / 2)
        letter = chr(0x61 + index)
        glyphs[letter] = rounded_bar(gap // 2, 500 - half, gap // 2 + width, 500 + half, width // 2)
        widths[letter] = width + gap
        cmap[0x61 + index] = letter
    save(build(name, glyphs, widths, cmap, "", 1000, 0).font, target / f"{name}.woff2")


def write_stars(target: Path, name: str) -> None:
    """Writes a font in which `*` and `★` are a star as wide as the em."""
    pen = TTGlyphPen(None)
    points = []
    for index in range(10):
        angle = math.pi * index / 5 + math.pi / 2
        radius = 440 if index % 2 == 0 else 200
        points.append((round(500 - radius * math.cos(angle)), round(500 + radius * math.sin(angle))))
    pen.moveTo(points[0])
    for point in points[1:]:
        pen.lineTo(point)
    pen.closePath()
    glyphs = {".notdef": empty_glyph(), "space": empty_glyph(), "star": pen.glyph()}
    widths = {glyph: 1000 for glyph in glyphs}
    cmap = {0x20: "space", 0x2A: "star", 0x2605: "star"}
    save(build(name, glyphs, widths, cmap, "", 1000, 0).font, target / f"{name}.woff2")


def save(font: TTFont, target: Path) -> None:
    font["head"].created = font["head"].modified = EPOCH
    font.recalcTimestamp = False
    font.flavor = "woff2"
    font.save(target)
