"""The example pictures: `blender --background --factory-startup --python scenes.py -- OUT_DIR [--scale 0.9] [--samples 16] [NAME…]`

Writes a PNG for each scene; `pictures.ts` turns those into the JPEGs of the packages and the videos.
"""

import math
import os
import random
import sys

sys.path.append(os.path.dirname(os.path.abspath(__file__)))

import studio as s  # noqa: E402
from products import dune_lamp, globe, halo_lamp, pebble_lantern, plinth, tide_speaker  # noqa: E402

HERO, DETAIL, STORY = (1296, 1296), (1080, 1296), (1080, 1920)


def plaster(color, grain=0.18):
    return s.material(color, rough=0.85, grain=grain, grain_scale=22)


# ---------------------------------------------------------------- launch: Pebble (the template's own pictures)


def pebble_set():
    s.cyclorama(plaster("#DDD3C4"), wall=2.6)
    s.slab([s.rectangle(9, 7), s.arch_outline(2.5, 3.35)], 0.5, plaster("#D3C8B6"), at=(0, 1.9, -0.15), edge=0.03)
    plinth((0, 0, 0), 1.05, 0.34, "#C9BEA9")
    plinth((-1.3, 0.55, 0), 0.6, 0.95, "#9DA388")
    s.ball(0.3, s.material("#7F8B69", rough=0.5, grain=0.2), (-1.3, 0.55, 1.25))
    s.ball(0.17, s.material("#B98B52", rough=0.22, metal=1.0), (0.86, -0.62, 0.17))
    s.ambient("#EDF0F4", 0.42)
    s.sun((-4.5, -4.2, 5.6), (0, 0.6, 0.6), 2.3, "#FFF3E2", angle=2.0)


def pebble_hero():
    pebble_set()
    pebble_lantern((0, 0, 0.34))
    s.camera((0.5, -7.4, 1.85), (-0.06, 0, 1.05), lens=92, fstop=4.0, focus=(0, -0.4, 1.0))


def pebble_detail():
    pebble_set()
    pebble_lantern((0, 0, 0.34))
    s.camera((1.9, -3.9, 2.25), (0.06, 0, 1.16), lens=72, fstop=2.0, focus=(0.2, -0.42, 1.2))


# ---------------------------------------------------------------- launch: Dune


def dune_set():
    s.cyclorama(plaster("#F4D9C6"), wall=2.8)
    s.slab([s.arch_outline(3.3, 3.75)], 0.16, plaster("#EFC4AA"), at=(0.0, 2.2, 0), edge=0.05)
    s.slab([s.arch_outline(2.5, 3.1)], 0.16, plaster("#E9A98A"), at=(0.0, 2.02, 0), edge=0.05)
    plinth((0, 0, 0), 1.15, 0.3, "#F1CDB6")
    plinth((0, 0, 0.3), 0.82, 0.16, "#F6DFCF")
    s.ball(0.24, s.material("#F6E7D6", rough=0.35, coat=0.3), (1.24, -0.42, 0.24))
    s.ball(0.13, s.material("#1E5B57", rough=0.22, coat=0.6), (0.92, -0.86, 0.13))
    s.ambient("#FFF0E6", 0.26)
    s.softbox((-3.6, -2.6, 4.6), (0, 0, 0.8), 2.4, 230, "#FFF3E8")
    s.softbox((4.2, -1.0, 2.2), (0, 0, 0.9), 1.6, 70, "#FFB59A")


def dune_hero():
    dune_set()
    dune_lamp((0, 0, 0.46), body="#C9502F", shade="#D4582F", power=52)
    s.camera((-0.5, -7.6, 1.0), (0.05, 0, 1.06), lens=98, fstop=4.5, focus=(0, -0.6, 1.2))


def dune_detail():
    dune_set()
    dune_lamp((0, 0, 0.46), body="#C9502F", shade="#D4582F", power=52)
    s.camera((-1.9, -3.7, 0.72), (-0.1, 0, 1.32), lens=68, fstop=2.2, focus=(-0.35, -0.6, 1.4))


# ---------------------------------------------------------------- launch: Tide


def tide_set():
    sand = s.ribbed(s.material("#143A4A", rough=0.75, grain=0.15, grain_scale=160), 1.6, 0.9, "Z", "RINGS")
    s.disc(9, 0.02, sand, (0, 0, -0.02))
    s.slab([s.rectangle(30, 14)], 0.2, plaster("#0F3040"), at=(0, 4.4, -1))
    moon = s.gradient_glow("#FF9A62", "#FFD9A6", 1.5, 0.3, 3.3)
    s.disc(1.62, 0.05, moon, (0.0, 4.1, 1.75), turn=(90, 0, 0))
    for at, r, squash in (((-1.75, -0.25, 0.1), 0.34, 0.5), ((-1.35, -0.9, 0.06), 0.2, 0.5), ((1.75, 0.6, 0.14), 0.42, 0.55)):
        s.ball(r, s.material("#1B4A58", rough=0.45, grain=0.2), at, squash)
    s.ambient("#2E6C86", 0.28)
    s.softbox((-4.2, -2.4, 3.6), (0, 0, 0.7), 2.0, 300, "#BFE6F2")
    s.softbox((3.9, 1.8, 2.4), (0, 0, 0.8), 1.6, 420, "#FF9B66")
    s.softbox((0, -1.0, 5.0), (0, 0, 0.8), 1.4, 90, "#DFF3F7")


def tide_hero():
    tide_set()
    tide_speaker((0, 0, 0))
    s.camera((0.0, -7.2, 2.0), (0, 0, 1.17), lens=72, fstop=5.0, focus=(0, -0.8, 0.8))


def tide_detail():
    tide_set()
    tide_speaker((0, 0, 0))
    s.camera((1.3, -3.1, 2.9), (0.05, 0, 0.93), lens=62, fstop=2.4, focus=(0.15, -0.5, 1.2))


# ---------------------------------------------------------------- launch: Halo


def halo_set():
    s.cyclorama(s.material("#B9A2E3", rough=0.42, grain=0.05), wall=2.9)
    for k, (r, h) in enumerate(((1.7, 0.12), (1.3, 0.12), (0.92, 0.12))):
        plinth((0, 0, 0.12 * k), r, h, "#C9B6EC", rough=0.4)
    s.slab([s.rectangle(0.55, 3.4)], 0.55, plaster("#A78CD9"), at=(-2.1, 1.2, 0), edge=0.06)
    s.slab([s.rectangle(0.55, 2.3)], 0.55, plaster("#A78CD9"), at=(2.0, 1.5, 0), edge=0.06)
    s.ball(0.26, s.material("#F4B6C2", rough=0.25, coat=0.5), (1.12, -0.72, 0.38))
    s.ball(0.12, s.material("#5A3FA0", rough=0.2, coat=0.6), (-1.06, -0.88, 0.24))
    s.ambient("#CDB8FF", 0.24)
    s.softbox((-3.8, -3.2, 4.6), (0, 0, 0.8), 2.4, 210, "#E6DAFF")
    s.softbox((4.0, -1.6, 1.6), (0, 0, 0.9), 1.8, 90, "#FF9EC0")


def halo_hero():
    halo_set()
    halo_lamp((0, 0, 0.36), stone="#6F52B5", power=9)
    s.camera((0.9, -7.4, 1.95), (0, 0, 1.12), lens=84, fstop=4.5, focus=(0, -0.2, 1.2))


def halo_detail():
    halo_set()
    halo_lamp((0, 0, 0.36), stone="#6F52B5", power=9)
    s.camera((2.6, -3.0, 1.5), (0.42, 0, 1.36), lens=84, fstop=2.0, focus=(0.62, -0.1, 1.25))


# ---------------------------------------------------------------- story: an arch at the sea (the template's own picture)


def shore():
    s.slab([s.rectangle(60, 40)], 0.1, s.gradient_glow("#F9D3B0", "#7FB2C6", 1.0, 0.5, 11.0), at=(0, 30, -2))
    sand = s.ribbed(s.material("#E2CDB2", rough=0.9, grain=0.3, grain_scale=12), 0.55, 0.5, "X")
    s.disc(40, 0.02, sand, (0, 8, -0.02))
    s.disc(1.15, 0.05, s.glow("#FFF0D6", 2.2), (0.35, 24, 4.6), turn=(90, 0, 0))
    for w, h, y, color in ((3.6, 5.6, 3.6, "#DDB49A"), (3.0, 4.9, 2.4, "#E6C7AE"), (2.4, 4.2, 1.2, "#EFD9C4")):
        s.slab([s.arch_outline(w + 0.75, h + 0.4), s.arch_outline(w, h)], 0.5, plaster(color), at=(0, y, -0.15), edge=0.05)
    plinth((0, 1.2, 0), 1.5, 0.16, "#E8D3BC")
    pebble_lantern((0, 1.1, 0.16), base="#B5654A", size=0.72)
    s.ambient("#E3ECF2", 0.5)
    s.sun((-5.5, -5.5, 5.0), (0, 0, 0), 2.3, "#FFEBD0", angle=1.2)
    s.camera((0, -9.2, 2.35), (0, 0, 2.35), lens=46, shift=(0, -0.15))


# ---------------------------------------------------------------- story: Berlin, stairs and globes


def berlin():
    s.slab([s.rectangle(30, 16), s.arch_outline(2.3, 3.9, x=0.62, z=1.75)], 0.8, plaster("#D9503A"), at=(0, 3.4, 0), edge=0.05)
    s.slab([s.rectangle(30, 16)], 0.1, s.gradient_glow("#FFC79A", "#FFF0DC", 1.15, 1.5, 6.5), at=(0, 7.5, 0))
    s.box((30, 30, 0.1), plaster("#C8432F"), at=(0, 4, -0.1))
    for k in range(9):
        s.box((2.3, 0.42, 0.2 * (k + 1)), plaster("#F4B8A6"), at=(0.62, -0.55 + 0.42 * k, 0), edge=0.025)
    s.box((1.3, 3.4, 2.9), plaster("#B93A2B"), at=(-1.35, 1.9, 0), edge=0.04)
    s.box((1.2, 1.3, 1.3), plaster("#F6DCC8"), at=(-1.3, -0.7, 0), edge=0.04)
    s.disc(0.3, 3.2, plaster("#F6DCC8"), (2.12, 0.2, 0))
    globe((-1.25, -0.7, 1.76), 0.46)
    globe((-1.2, 1.0, 3.2), 0.3)
    globe((2.12, 0.2, 3.46), 0.26)
    s.ambient("#FFD9CC", 0.36)
    s.sun((-4.6, -6.0, 6.4), (0, 1, 1), 2.5, "#FFF0DF", angle=1.0)
    s.camera((0.2, -9.6, 3.1), (0.2, 1, 2.5), lens=50, shift=(0, -0.06))


# ---------------------------------------------------------------- story: Kraków, an arcade


def krakow():
    green = ("#17705A", "#1B7A60", "#208768", "#2A9674", "#3DA884", "#58B996")
    s.slab([s.rectangle(40, 20)], 0.1, s.gradient_glow("#FFE9BC", "#FBF8E4", 1.4, 0, 6), at=(0, 24, -1))
    s.box((30, 60, 0.2), s.material("#1F7A61", rough=0.22, coat=0.3), at=(0, 14, -0.2), edge=0.01)
    for k, color in enumerate(green):
        s.slab([s.rectangle(24, 16), s.arch_outline(3.3, 5.7)], 0.7, plaster(color), at=(0, 1.0 + 3.1 * k, -0.18), edge=0.06)
    for x, y, z in ((-0.55, 2.5, 4.35), (0.5, 5.6, 4.2), (-0.28, 11.8, 4.0)):
        globe((x, y, z), 0.34)
        s.tube([(x, y, z + 0.3), (x, y, 8)], 0.016, s.material("#C9A15A", rough=0.2, metal=1.0), smooth=False)
    plinth((-0.95, 0.0, 0), 0.5, 1.7, "#12614D")
    plinth((1.0, -0.3, 0), 0.4, 1.2, "#12614D")
    dune_lamp((-0.95, 0.0, 1.7), body="#E3B04B", shade="#EBBE62", power=14, size=0.72)
    s.ball(0.29, s.material("#F3E7C6", rough=0.3, coat=0.4), (1.0, -0.3, 1.49))
    s.ambient("#C4EBDB", 0.3)
    s.softbox((-3.0, -6.5, 6.0), (0, 1, 2), 3.5, 700, "#F4FFF4")
    s.camera((0, -8.6, 2.5), (0, 2, 2.42), lens=48, shift=(0, -0.06))


# ---------------------------------------------------------------- story: São Paulo, a winding facade


def sao_paulo():
    s.slab([s.rectangle(80, 60)], 0.1, s.gradient_glow("#CFEAF2", "#3FA4D8", 1.05, 4, 20), at=(0, 42, -4))
    shade = plaster("#F4F1EA")
    glass = s.material("#2B5A73", rough=0.2, coat=0.4)
    n = 90

    def wave(front, back):
        edge = [(-9 + 18 * k / n, front + 1.15 * math.sin(-1.5 + 18 * k / n * 0.72)) for k in range(n + 1)]
        return [*edge, *[(x, y + back) for x, y in reversed(edge)]]

    for k in range(11):
        z = 0.9 + 0.52 * k
        s.slab([wave(4.6, 3.0)], 0.13, shade, at=(0, 0, z), turn=(0, 0, 0))
        if k < 10:
            s.slab([wave(5.3, 2.2)], 0.5, glass, at=(0, 0, z + 0.28), turn=(0, 0, 0), edge=0.01)
    s.disc(1.0, 0.05, s.glow("#FFF3D2", 1.6), (5.3, 30, 16.2), turn=(90, 0, 0))
    s.disc(30, 0.02, plaster("#F2B92E"), (0, 6, -0.02))
    s.box((14, 2.0, 0.7), plaster("#F5C443"), at=(0, 1.9, 0), edge=0.05)
    plinth((0.85, -0.2, 0), 0.8, 1.7, "#F7D264")
    plinth((-1.05, -0.5, 0), 0.55, 2.3, "#F0A92A")
    pebble_lantern((0.85, -0.2, 1.7), base="#E4572E", size=0.95)
    s.ball(0.36, s.material("#E4572E", rough=0.25, coat=0.5), (-1.05, -0.5, 2.66))
    s.ambient("#D6ECFF", 0.5)
    s.sun((-6, -5.0, 7.5), (0, 2, 1), 2.6, "#FFF6E4", angle=0.8)
    s.camera((0.1, -9.4, 1.75), (0.1, 1, 2.75), lens=46, shift=(0, -0.04))


# ---------------------------------------------------------------- story: an evening of lights


def late_light():
    rng = random.Random(11)
    s.cyclorama(s.material("#2A1B52", rough=0.55, grain=0.08), wall=9, width=50, bend=3)
    s.box((40, 20, 0.1), s.material("#1C1140", rough=0.06, coat=0.7), at=(0, 4, -0.095), edge=0.01)
    for k, (w, h) in enumerate(((3.4, 6.4), (2.5, 5.3), (1.6, 4.2))):
        s.slab([s.arch_outline(w + 0.5, h + 0.25), s.arch_outline(w, h)], 0.45, plaster(("#3B2676", "#4A318C", "#5D41A6")[k]), at=(0, 5.2 - 1.1 * k, -0.15), edge=0.05)
    s.disc(1.25, 0.05, s.gradient_glow("#FF7E8A", "#FFD3A8", 1.9, 2.4, 5.0), (0, 6.6, 3.6), turn=(90, 0, 0))
    spots = [(-1.35, 0.2, 0.42), (1.25, 0.7, 0.5), (-0.65, -1.0, 0.26), (0.72, -1.35, 0.3), (1.75, -0.9, 0.2), (-1.85, -0.8, 0.2), (0.1, 1.6, 0.34), (-0.1, -2.0, 0.15)]
    for x, y, r in spots:
        globe((x, y, r), r, rim=rng.choice(("#FF9A5C", "#FF7A6B", "#FFB36B")))
    for _ in range(34):
        globe((rng.uniform(-3.4, 3.4), rng.uniform(1.5, 7), rng.uniform(2.0, 8.5)), rng.uniform(0.03, 0.07), "#FFE0B8", 7.0)
    s.ambient("#7A66D8", 0.6)
    s.softbox((-4, -4, 6), (0, 1, 1), 3, 900, "#8E7BFF")
    s.softbox((5, 1, 3), (0, 1, 2), 2, 700, "#FF6F91")
    s.camera((0, -9.4, 2.3), (0, 1, 2.2), lens=50, fstop=1.6, focus=(0, -0.4, 0.6), shift=(0, -0.14))


# ---------------------------------------------------------------- story: three lamps, one offer


def trade_in():
    s.cyclorama(plaster("#F5BFD2"), wall=5, width=40, bend=0.6)
    s.disc(1.9, 0.3, plaster("#F9D7E2"), (0, 4.6, 4.35), turn=(90, 0, 0), edge=0.1)
    steps = ((0, 1.5, 1.85, "#EFA3BF"), (-0.55, 0.1, 1.05, "#F4B3CA"), (0.5, -1.35, 0.42, "#F8C6D7"))
    for x, y, h, color in steps:
        s.box((3.6, 1.45, h), plaster(color), at=(x, y, 0), edge=0.06)
    dune_lamp((0.42, 1.45, 1.85), body="#2F6FDE", shade="#3A7BE8", power=16, size=0.9)
    dune_lamp((-0.9, 0.05, 1.05), body="#F2B134", shade="#F5BE4C", power=16, size=0.78)
    dune_lamp((0.82, -1.4, 0.42), body="#E4482E", shade="#EC5738", power=16, size=0.66)
    s.ball(0.2, s.material("#FDF1F4", rough=0.3, coat=0.4), (-0.4, -1.5, 0.62))
    s.ambient("#FFE0EA", 0.4)
    s.softbox((-4.5, -4.5, 6.5), (0, 0.5, 1.6), 2.4, 900, "#FFF2EA")
    s.softbox((4.5, -2.0, 3.0), (0, 0.5, 1.6), 2.0, 160, "#CFE0FF")
    s.camera((0, -9.6, 2.9), (0, 0.5, 2.5), lens=48, shift=(0, -0.16))


SCENES = {
    "pebble-hero": (pebble_hero, HERO, 1.15),
    "pebble-detail": (pebble_detail, DETAIL, 1.15),
    "dune-hero": (dune_hero, HERO, 1.0),
    "dune-detail": (dune_detail, DETAIL, 1.0),
    "tide-hero": (tide_hero, HERO, 1.0),
    "tide-detail": (tide_detail, DETAIL, 1.0),
    "halo-hero": (halo_hero, HERO, 1.0),
    "halo-detail": (halo_detail, DETAIL, 1.0),
    "shore": (shore, STORY, 1.0),
    "berlin": (berlin, STORY, 1.0),
    "krakow": (krakow, STORY, 1.0),
    "sao-paulo": (sao_paulo, STORY, 1.0),
    "late-light": (late_light, STORY, 1.0),
    "trade-in": (trade_in, STORY, 1.0),
}


def main(arguments):
    scale, samples, names, out = 0.9, 16, [], arguments[0]
    rest = iter(arguments[1:])
    for word in rest:
        if word == "--scale":
            scale = float(next(rest))
        elif word == "--samples":
            samples = int(next(rest))
        else:
            names.append(word)
    os.makedirs(out, exist_ok=True)
    for name in names or SCENES:
        build, (width, height), exposure = SCENES[name]
        s.reset()
        build()
        planes = s.shoot(os.path.join(out, ".exr"), round(width * scale), round(height * scale), samples)
        s.save(s.develop(s.denoise(*planes), exposure), os.path.join(out, f"{name}.png"))


main(sys.argv[sys.argv.index("--") + 1 :])
