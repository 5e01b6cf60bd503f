"""Writes the fonts of the gallery: subsets of the fonts of @fontsource, merged so that a single file has every script of a weight.

    pip install fonttools brotli
    npm install --prefix FOLDER @fontsource/fraunces @fontsource/shippori-mincho …   (the packages of FONTS)
    python3 templates/source/gallery/fonts.py FOLDER [NAME…]
"""

import json
import shutil
import sys
from pathlib import Path

from drawn_fonts import EPOCH, write_bars, write_figures, write_stars, write_wave
from fontTools import merge, subset
from fontTools.ttLib import TTFont

GALLERY = Path(__file__).resolve().parents[3] / "gallery"
LATIN = ["latin", "latin-ext"]

# Template → font → parts. A part is a package, its weight, and what of it is kept: subsets, or (subset, how many of the
# most frequent numbered ranges) for scripts of thousands of characters; the characters of the examples are always kept.
FONTS = json.loads((Path(__file__).parent / "fonts.json").read_text())


def frequent_characters(package: Path, count: int) -> set[int]:
    """Returns the characters of the last numbered ranges of a package, which hold the most frequent ones."""
    ranges = json.loads((package / "unicode.json").read_text())
    numbered = sorted((int(name[1:-1]), text) for name, text in ranges.items() if name.startswith("["))
    found: set[int] = set()
    for _, text in numbered[-count:]:
        for part in text.split(","):
            first, _, last = part.removeprefix("U+").partition("-")
            found.update(range(int(first, 16), int(last or first, 16) + 1))
    return found


def example_characters(template: str) -> set[int]:
    files = [*(GALLERY / "examples" / template).glob("*.yaml"), *(GALLERY / "showcase").glob("*.csv")]
    texts = [file.read_text() for file in files]
    return {ord(character) for text in texts for character in text}


def read_part(modules: Path, template: str, part: dict, folder: Path, index: int) -> list[Path]:
    name = part["package"]
    package = modules / "@fontsource" / name
    written = []
    for script in part["subsets"]:
        file = package / "files" / f"{name}-{script}-{part['weight']}-{part.get('style', 'normal')}.woff2"
        font = TTFont(file)
        font.flavor = None
        if "frequent" in part and script not in LATIN:
            options = subset.Options(layout_features=["kern", "palt", "ccmp", "locl", "liga"], hinting=False)
            pruner = subset.Subsetter(options)
            kept = frequent_characters(package, part["frequent"]) | example_characters(template)
            pruner.populate(unicodes=kept)
            pruner.subset(font)
        if "upm" in part:
            from fontTools.ttLib.scaleUpem import scale_upem

            scale_upem(font, part["upm"])
        for table in ("DSIG", "vhea", "vmtx", "VORG", "STAT", "meta", "BASE", "gasp", "fpgm", "prep", "cvt ", "hdmx"):
            if table in font:
                del font[table]
        target = folder / f"{index}-{script}.ttf"
        font.save(target)
        written.append(target)
    return written


def write_font(modules: Path, template: str, name: str, parts: list[dict]) -> None:
    scratch = GALLERY / template / "fonts" / ".parts"
    scratch.mkdir(parents=True, exist_ok=True)
    files = [file for index, part in enumerate(parts) for file in read_part(modules, template, part, scratch, index)]
    options = merge.Options(drop_tables=["vmtx", "vhea"])
    font = merge.Merger(options=options).merge([str(file) for file in files]) if len(files) > 1 else TTFont(files[0])
    font["head"].created = font["head"].modified = EPOCH
    font.recalcTimestamp = False
    font.flavor = "woff2"
    font.save(GALLERY / template / "fonts" / f"{name}.woff2")
    shutil.rmtree(scratch)
    for part in parts:
        package = part["package"]
        target = GALLERY / template / "fonts" / f"OFL-{package}.txt"
        shutil.copyfile(modules / "@fontsource" / package / "LICENSE", target)


def write_drawn(modules: Path, template: str, name: str, kind: dict) -> None:
    target = GALLERY / template / "fonts"
    target.mkdir(parents=True, exist_ok=True)
    if "figures" in kind:
        package = modules / "@fontsource" / kind["figures"]
        source = package / "files" / f"{kind['figures']}-latin-{kind['weight']}-normal.woff2"
        write_figures(source, target, name, kind["steps"])
        shutil.copyfile(package / "LICENSE", target / f"OFL-{kind['figures']}.txt")
    elif "bars" in kind:
        write_bars(target, name, **kind["bars"])
    elif "stars" in kind:
        write_stars(target, name)
    else:
        write_wave(target, name, **kind["wave"])


def main() -> None:
    modules = Path(sys.argv[1]) / "node_modules"
    wanted = sys.argv[2:]
    for template, fonts in FONTS.items():
        if wanted and template not in wanted:
            continue
        for name, parts in fonts.items():
            if isinstance(parts, dict):
                write_drawn(modules, template, name, parts)
            else:
                write_font(modules, template, name, parts)


if __name__ == "__main__":
    main()
