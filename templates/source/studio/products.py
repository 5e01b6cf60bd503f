"""The things that Olune makes. Each stands on `at` and is about 1.3 to 1.8 m tall in the studio's scale."""

import math

from studio import ball, bulb, disc, glow, material, opal_glow, revolve, ribbed, tube, torus


def dune_lamp(at=(0, 0, 0), body="#C8553A", shade="#D9623F", light="#FFC58A", power=45.0, size=1.0, rough=0.22):
    """Dune, a table lamp: a waisted ceramic foot under a wide, shallow dome."""
    x, y, z = at

    def scaled(profile):
        return [(size * r, size * h) for r, h in profile]

    foot = material(body, rough=rough, coat=0.6)
    dome = material(shade, rough=rough, coat=0.6)
    lining = material("#FFF3E2", rough=0.6)
    revolve(scaled([(0, 0), (0.3, 0), (0.42, 0.015), (0.445, 0.06), (0.40, 0.14), (0.27, 0.34), (0.175, 0.58), (0.155, 0.8), (0.165, 0.96), (0.12, 0.99), (0, 0.99)]), foot, at)
    revolve(scaled([(0.795, 0.94), (0.815, 0.955), (0.80, 1.05), (0.72, 1.20), (0.56, 1.33), (0.33, 1.415), (0.12, 1.44), (0, 1.442)]), dome, at)
    revolve(scaled([(0.793, 0.94), (0.775, 0.96), (0.765, 1.04), (0.69, 1.17), (0.54, 1.29), (0.32, 1.37), (0, 1.40)]), lining, at)
    revolve(scaled([(0, 1.442), (0.035, 1.442), (0.05, 1.465), (0.035, 1.495), (0, 1.5)]), material("#C79A5B", rough=0.25, metal=1.0), at)
    bulb((x, y, z + size * 1.07), power * size * size, light, radius=0.24 * size)


def tide_speaker(at=(0, 0, 0), cloth="#1F5A66", trim="#C9995A", top="#123740", turn=0.0):
    """Tide, a speaker: a cloth-wrapped pebble with a brass waist and a dished touch plate."""
    x, y, z = at
    fabric = ribbed(material(cloth, rough=0.85, sheen=0.6, grain=0.25, grain_scale=240), 14, 0.5, "Z")
    brass = material(trim, rough=0.18, metal=1.0)
    dark = material(top, rough=0.35, coat=0.4)
    revolve([(0, 0), (0.40, 0.0), (0.46, 0.02), (0.47, 0.05)], dark, at)
    revolve([(0.47, 0.05), (0.66, 0.17), (0.80, 0.40), (0.84, 0.62)], fabric, at)
    revolve([(0.84, 0.62), (0.857, 0.63), (0.86, 0.66), (0.857, 0.69), (0.84, 0.70)], brass, at)
    revolve([(0.84, 0.70), (0.79, 0.93), (0.64, 1.16), (0.44, 1.27)], fabric, at)
    torus(0.435, 0.028, brass, (x, y, z + 1.272), stretch=0.8)
    revolve([(0.42, 1.27), (0.34, 1.245), (0.18, 1.225), (0, 1.22)], dark, at)
    for k in range(24):
        a = 2 * math.pi * k / 24
        lit = k < 15
        ball(0.013, glow("#FFD9A0", 6.0) if lit else material("#2A4A50"), (x + 0.33 * math.cos(a), y + 0.33 * math.sin(a), z + 1.252), squash=0.6)


def halo_lamp(at=(0, 0, 0), stone="#8E7BB8", light="#FFD7B0", power=7.0, rim="#E9DDF5"):
    """Halo, a ring of light that leans in a slot of stone."""
    x, y, z = at
    block = material(stone, rough=0.5, grain=0.25, grain_scale=30)
    revolve([(0, 0), (0.5, 0), (0.56, 0.03), (0.57, 0.1), (0.53, 0.2), (0.4, 0.27), (0, 0.28)], block, at)
    ring = (x, y, z + 1.02)
    torus(0.80, 0.085, material(rim, rough=0.25, coat=0.5), ring, (90, 0, 0), stretch=1.25)
    torus(0.722, 0.036, glow(light, power), ring, (90, 0, 0), stretch=1.9)


def pebble_lantern(at=(0, 0, 0), base="#5F6B4E", light="#FFDDB0", rim="#FF9F58", power=1.9, handle="#C4A27A", size=1.0):
    """Pebble, a lantern to carry: frosted glass on a weighted foot, under a bent handle."""
    x, y, z = at

    def scaled(profile):
        return [(size * r, size * h) for r, h in profile]

    foot = material(base, rough=0.45, coat=0.2)
    revolve(scaled([(0, 0), (0.36, 0), (0.42, 0.025), (0.44, 0.08), (0.445, 0.22), (0.43, 0.26), (0, 0.262)]), foot, at)
    revolve(scaled([(0.405, 0.26), (0.475, 0.38), (0.505, 0.56), (0.485, 0.76), (0.40, 0.93), (0.25, 1.03), (0.1, 1.065), (0, 1.07)]), opal_glow(light, rim, power), at)
    revolve(scaled([(0.41, 0.255), (0.482, 0.38), (0.512, 0.56), (0.492, 0.76), (0.406, 0.936), (0.254, 1.037), (0.1, 1.072), (0, 1.077)]), material("#FFF6EA", rough=0.35, glass=0.82), at)
    metal = material(handle, rough=0.28, metal=1.0)
    half = [(0.435, 0.15), (0.5, 0.155), (0.555, 0.22), (0.585, 0.36), (0.595, 0.56)]
    arch = [(0.595 * math.cos(math.pi * k / 12), 0.62 + 0.76 * math.sin(math.pi * k / 12)) for k in range(1, 12)]
    line = [*half, *arch, *[(-r, h) for r, h in reversed(half)]]
    tube([(size * r, 0, size * h) for r, h in line], 0.024 * size, metal).location = at
    for side in (-1, 1):
        ball(0.045 * size, metal, (x + side * 0.45 * size, y, z + 0.15 * size))


def globe(at, radius, light="#FFE2BE", power=2.2, rim="#FF9A5C"):
    """An opal globe, lit from inside."""
    ball(radius, opal_glow(light, rim, power), at)


def plinth(at, radius, height, color, **finish):
    return disc(radius, height, material(color, **{"rough": 0.6, "grain": 0.12, "grain_scale": 40, **finish}), at)
