"""A small photo studio on top of Blender: materials, revolved shapes, arches, lights, a camera, and a developer.

Everything in the example pictures is built from these few functions; there is no imported mesh, texture or photo.
Lengths are metres, angles degrees, colours "#RRGGBB" (sRGB). The camera looks along +y; z is up.
"""

import math

import bmesh
import bpy
import numpy as np
from mathutils import Vector


def linear(hex_color, gain=1.0):
    """The scene-linear RGBA of an sRGB colour."""
    channels = [int(hex_color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return (*[gain * (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4) for c in channels], 1.0)


def reset():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.world = bpy.data.worlds.new("world")
    bpy.context.scene.world.use_nodes = True


# ---------------------------------------------------------------- materials


def material(color, rough=0.5, coat=0.0, metal=0.0, grain=0.0, grain_scale=60.0, glass=0.0, sheen=0.0):
    """A principled surface; `grain` bumps it with fine noise (plaster, stone, sand)."""
    made = bpy.data.materials.new(color)
    made.use_nodes = True
    nodes, links = made.node_tree.nodes, made.node_tree.links
    surface = nodes["Principled BSDF"]
    surface.inputs["Base Color"].default_value = linear(color)
    surface.inputs["Roughness"].default_value = rough
    surface.inputs["Metallic"].default_value = metal
    surface.inputs["Clearcoat"].default_value = coat
    surface.inputs["Clearcoat Roughness"].default_value = 0.08
    surface.inputs["Transmission"].default_value = glass
    surface.inputs["Sheen"].default_value = sheen
    if grain:
        where = nodes.new("ShaderNodeTexCoord")
        noise = nodes.new("ShaderNodeTexNoise")
        noise.inputs["Scale"].default_value = grain_scale
        noise.inputs["Detail"].default_value = 8
        bump = nodes.new("ShaderNodeBump")
        bump.inputs["Strength"].default_value = grain
        bump.inputs["Distance"].default_value = 0.02
        links.new(where.outputs["Object"], noise.inputs["Vector"])
        links.new(noise.outputs["Fac"], bump.inputs["Height"])
        links.new(bump.outputs["Normal"], surface.inputs["Normal"])
    return made


def ribbed(made, frequency, strength=0.5, axis="Z", kind="BANDS"):
    """Adds even ribs (fabric, raked sand, fluted plaster) to a material, along an object axis."""
    nodes, links = made.node_tree.nodes, made.node_tree.links
    where = nodes.new("ShaderNodeTexCoord")
    wave = nodes.new("ShaderNodeTexWave")
    wave.wave_type = kind
    if kind == "BANDS":
        wave.bands_direction = axis
    else:
        wave.rings_direction = axis
    wave.inputs["Scale"].default_value = frequency
    bump = nodes.new("ShaderNodeBump")
    bump.inputs["Strength"].default_value = strength
    bump.inputs["Distance"].default_value = 0.05
    links.new(where.outputs["Object"], wave.inputs["Vector"])
    links.new(wave.outputs["Fac"], bump.inputs["Height"])
    surface = nodes["Principled BSDF"]
    if surface.inputs["Normal"].is_linked:
        links.new(surface.inputs["Normal"].links[0].from_socket, bump.inputs["Normal"])
    links.new(bump.outputs["Normal"], surface.inputs["Normal"])
    return made


def glow(color, power):
    made = bpy.data.materials.new(f"glow {color}")
    made.use_nodes = True
    nodes, links = made.node_tree.nodes, made.node_tree.links
    nodes.clear()
    light = nodes.new("ShaderNodeEmission")
    light.name = "Emission"
    light.inputs["Color"].default_value = linear(color)
    light.inputs["Strength"].default_value = power
    out = nodes.new("ShaderNodeOutputMaterial")
    links.new(light.outputs["Emission"], out.inputs["Surface"])
    return made


def opal_glow(color, rim, power):
    """A lit opal glass: brightest where it faces the eye, warmer and dimmer towards its rim."""
    made = glow(color, power)
    nodes, links = made.node_tree.nodes, made.node_tree.links
    facing = nodes.new("ShaderNodeLayerWeight")
    facing.inputs["Blend"].default_value = 0.42
    ramp = nodes.new("ShaderNodeValToRGB")
    ramp.color_ramp.interpolation = "EASE"
    ramp.color_ramp.elements[0].color = linear(color)
    ramp.color_ramp.elements[1].color = linear(rim, 0.55)
    links.new(facing.outputs["Facing"], ramp.inputs["Fac"])
    links.new(ramp.outputs["Color"], nodes["Emission"].inputs["Color"])
    return made


def gradient_glow(bottom, top, power, low, high):
    """Emission that runs between two colours over two heights of the world: a sky, a moon."""
    made = glow(bottom, power)
    nodes, links = made.node_tree.nodes, made.node_tree.links
    where = nodes.new("ShaderNodeNewGeometry")
    split = nodes.new("ShaderNodeSeparateXYZ")
    span = nodes.new("ShaderNodeMapRange")
    span.inputs["From Min"].default_value = low
    span.inputs["From Max"].default_value = high
    ramp = nodes.new("ShaderNodeValToRGB")
    ramp.color_ramp.interpolation = "EASE"
    ramp.color_ramp.elements[0].color = linear(bottom)
    ramp.color_ramp.elements[1].color = linear(top)
    links.new(where.outputs["Position"], split.inputs["Vector"])
    links.new(split.outputs["Z"], span.inputs["Value"])
    links.new(span.outputs["Result"], ramp.inputs["Fac"])
    links.new(ramp.outputs["Color"], nodes["Emission"].inputs["Color"])
    return made


# ---------------------------------------------------------------- shapes


def place(mesh, name, made, at=(0, 0, 0), turn=(0, 0, 0), smooth=True):
    thing = bpy.data.objects.new(name, mesh)
    thing.location = at
    thing.rotation_euler = [math.radians(a) for a in turn]
    bpy.context.scene.collection.objects.link(thing)
    thing.data.materials.append(made)
    if smooth and hasattr(mesh, "polygons"):
        mesh.polygons.foreach_set("use_smooth", [True] * len(mesh.polygons))
    return thing


def spline(points, steps=12):
    """A smooth line through the points (centripetal Catmull-Rom, open)."""
    p = [Vector(q) for q in points]
    p = [p[0] * 2 - p[1], *p, p[-1] * 2 - p[-2]]
    line = []
    for i in range(1, len(p) - 2):
        a, b, c, d = p[i - 1 : i + 3]
        for k in range(steps):
            t = k / steps
            line.append(
                0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t * t + (3 * b - a - 3 * c + d) * t**3)
            )
    return [*line, p[-2]]


def revolve(profile, made, at=(0, 0, 0), turn=(0, 0, 0), sides=128, curved=True):
    """A turned shape: `profile` is (radius, height) from the bottom up, spun around z."""
    line = spline([(r, 0, z) for r, z in profile]) if curved else [Vector((r, 0, z)) for r, z in profile]
    bm = bmesh.new()
    rings = []
    for s in range(sides):
        a = 2 * math.pi * s / sides
        rings.append([bm.verts.new((max(v.x, 1e-5) * math.cos(a), max(v.x, 1e-5) * math.sin(a), v.z)) for v in line])
    for s in range(sides):
        this, following = rings[s], rings[(s + 1) % sides]
        for k in range(len(line) - 1):
            bm.faces.new((this[k], following[k], following[k + 1], this[k + 1]))
    bmesh.ops.remove_doubles(bm, verts=bm.verts, dist=1e-4)
    bmesh.ops.recalc_face_normals(bm, faces=bm.faces)
    mesh = bpy.data.meshes.new("revolved")
    bm.to_mesh(mesh)
    thing = place(mesh, "revolved", made, at, turn)
    if not curved:
        mesh.use_auto_smooth = True
        mesh.auto_smooth_angle = math.radians(35)
    return thing


def disc(radius, height, made, at=(0, 0, 0), turn=(0, 0, 0), edge=0.02, sides=160):
    """A round plinth with a rounded rim; `at` is the middle of its foot."""
    n = 6
    arc = [(radius - edge + edge * math.sin(k / n * math.pi / 2), edge * (1 - math.cos(k / n * math.pi / 2))) for k in range(n + 1)]
    rim = [*arc, *[(r, height - z) for r, z in reversed(arc)]]
    return revolve([(0, 0), *rim, (0, height)], made, at, turn, sides, curved=False)


def ball(radius, made, at, squash=1.0):
    mesh = bpy.data.meshes.new("ball")
    bm = bmesh.new()
    bmesh.ops.create_uvsphere(bm, u_segments=96, v_segments=48, radius=radius)
    bm.to_mesh(mesh)
    thing = place(mesh, "ball", made, at)
    thing.scale = (1, 1, squash)
    return thing


def box(size, made, at=(0, 0, 0), turn=(0, 0, 0), edge=0.02):
    """A box with rounded edges; `at` is the middle of its foot."""
    mesh = bpy.data.meshes.new("box")
    bm = bmesh.new()
    bmesh.ops.create_cube(bm, size=1)
    bmesh.ops.scale(bm, vec=size, verts=bm.verts)
    bmesh.ops.translate(bm, vec=(0, 0, size[2] / 2), verts=bm.verts)
    bmesh.ops.bevel(bm, geom=bm.edges, offset=edge, segments=4, profile=0.7, affect="EDGES")
    bm.to_mesh(mesh)
    mesh.use_auto_smooth = True
    mesh.auto_smooth_angle = math.radians(40)
    return place(mesh, "box", made, at, turn)


def torus(major, minor, made, at, turn=(0, 0, 0), stretch=1.0):
    """A ring around z; `stretch` lengthens its section along z."""
    n = 32
    section = [(major + minor * math.cos(2 * math.pi * k / n), stretch * minor * math.sin(2 * math.pi * k / n)) for k in range(n + 1)]
    return revolve(section, made, at, turn, 160, curved=False)


def tube(points, radius, made, smooth=True):
    """A round bar along a line."""
    curve = bpy.data.curves.new("tube", "CURVE")
    curve.dimensions = "3D"
    curve.bevel_depth = radius
    curve.bevel_resolution = 8
    curve.use_fill_caps = True
    line = spline(points, 24) if smooth else points
    path = curve.splines.new("POLY")
    path.points.add(len(line) - 1)
    for point, v in zip(path.points, line):
        point.co = (*v, 1)
    return place(curve, "tube", made, smooth=False)


def arch_outline(width, height, x=0.0, z=0.0, steps=40):
    """A round arch of that total height, standing on z."""
    r = width / 2
    top = [(x + r * math.cos(math.pi * k / steps), z + height - r + r * math.sin(math.pi * k / steps)) for k in range(steps + 1)]
    return [(x + r, z), *top, (x - r, z)]


def slab(outlines, depth, made, at=(0, 0, 0), turn=(90, 0, 0), edge=0.02):
    """A wall cut from outlines: the first is its border, the others are holes. Faces the camera unless turned."""
    curve = bpy.data.curves.new("slab", "CURVE")
    curve.dimensions = "2D"
    curve.fill_mode = "BOTH"
    curve.extrude = depth / 2 - edge
    curve.bevel_depth = edge
    curve.bevel_resolution = 4
    curve.offset = -edge
    for outline in outlines:
        path = curve.splines.new("POLY")
        path.points.add(len(outline) - 1)
        path.use_cyclic_u = True
        for point, (x, y) in zip(path.points, outline):
            point.co = (x, y, 0, 1)
    return place(curve, "slab", made, at, turn, smooth=False)


def rectangle(width, height, x=0.0, z=0.0):
    return [(x - width / 2, z), (x + width / 2, z), (x + width / 2, z + height), (x - width / 2, z + height)]


def cyclorama(made, width=16, near=-8, wall=2.5, height=10, bend=1.6):
    """Floor and wall in a single sweep, as in a studio."""
    n = 24
    line = [(near, 0), *[(wall - bend + bend * math.sin(k / n * math.pi / 2), bend * (1 - math.cos(k / n * math.pi / 2))) for k in range(n + 1)], (wall, height)]
    bm = bmesh.new()
    left = [bm.verts.new((-width / 2, y, z)) for y, z in line]
    right = [bm.verts.new((width / 2, y, z)) for y, z in line]
    for k in range(len(line) - 1):
        bm.faces.new((left[k], right[k], right[k + 1], left[k + 1]))
    mesh = bpy.data.meshes.new("cyclorama")
    bm.to_mesh(mesh)
    return place(mesh, "cyclorama", made)


# ---------------------------------------------------------------- light and camera


def aim(thing, at, target):
    thing.location = at
    thing.rotation_euler = (Vector(target) - Vector(at)).to_track_quat("-Z", "Y").to_euler()


def softbox(at, target, size, power, color="#FFFFFF"):
    data = bpy.data.lights.new("softbox", "AREA")
    data.shape = "DISK"
    data.size = size
    data.energy = power
    data.color = linear(color)[:3]
    thing = bpy.data.objects.new("softbox", data)
    bpy.context.scene.collection.objects.link(thing)
    aim(thing, at, target)
    thing.visible_camera = False
    return thing


def sun(at, target, power, color="#FFF1DC", angle=1.5):
    data = bpy.data.lights.new("sun", "SUN")
    data.energy = power
    data.angle = math.radians(angle)
    data.color = linear(color)[:3]
    thing = bpy.data.objects.new("sun", data)
    bpy.context.scene.collection.objects.link(thing)
    aim(thing, at, target)


def bulb(at, power, color="#FFC58A", radius=0.08):
    data = bpy.data.lights.new("bulb", "POINT")
    data.energy = power
    data.shadow_soft_size = radius
    data.color = linear(color)[:3]
    thing = bpy.data.objects.new("bulb", data)
    thing.location = at
    bpy.context.scene.collection.objects.link(thing)


def ambient(color, strength):
    world = bpy.context.scene.world.node_tree.nodes["Background"]
    world.inputs["Color"].default_value = linear(color)
    world.inputs["Strength"].default_value = strength


def camera(at, target, lens=50, focus=None, fstop=None, shift=(0, 0)):
    """`focus` is a point in the world that is sharp."""
    data = bpy.data.cameras.new("camera")
    data.lens = lens
    data.shift_x, data.shift_y = shift
    thing = bpy.data.objects.new("camera", data)
    bpy.context.scene.collection.objects.link(thing)
    aim(thing, at, target)
    if fstop:
        data.dof.use_dof = True
        data.dof.focus_distance = (Vector(focus or target) - Vector(at)).length
        data.dof.aperture_fstop = fstop
    bpy.context.scene.camera = thing


# ---------------------------------------------------------------- exposure and development


def shoot(path, width, height, samples):
    """Path-traces the scene twice, with other seeds, and returns two radiances, albedo and normal.

    Each is (height, width, 3), top row first. How far the two differ is how noisy a pixel is.
    """
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    cycles = scene.cycles
    cycles.samples, cycles.use_adaptive_sampling, cycles.use_denoising = max(1, samples // 2), False, False
    cycles.max_bounces, cycles.diffuse_bounces, cycles.glossy_bounces, cycles.transmission_bounces = 6, 3, 2, 6
    cycles.sample_clamp_indirect, cycles.sample_clamp_direct, cycles.blur_glossy = 2.0, 0.0, 0.8
    cycles.caustics_reflective = cycles.caustics_refractive = False
    scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = width, height, 100
    scene.render.threads_mode, scene.render.threads = "FIXED", 2
    view = scene.view_layers[0]
    view.use_pass_diffuse_color = view.use_pass_normal = True
    scene.use_nodes = True
    tree = scene.node_tree
    tree.nodes.clear()
    layers = tree.nodes.new("CompositorNodeRLayers")
    files = tree.nodes.new("CompositorNodeOutputFile")
    files.base_path = path
    files.format.file_format, files.format.color_depth = "OPEN_EXR", "32"
    files.file_slots.clear()
    for name, socket in (("radiance", "Image"), ("albedo", "DiffCol"), ("normal", "Normal")):
        files.file_slots.new(name)
        tree.links.new(layers.outputs[socket], files.inputs[name])
    exposures = []
    for seed in (7, 8):
        cycles.seed = seed
        bpy.ops.render.render()
        exposures.append([loaded(f"{path}/{name}0001.exr", width, height) for name in ("radiance", "albedo", "normal")])
    (first, first_albedo, first_normal), (second, second_albedo, second_normal) = exposures
    return first, second, (first_albedo + second_albedo) / 2, (first_normal + second_normal) / 2


def loaded(path, width, height):
    image = bpy.data.images.load(path)
    image.colorspace_settings.is_data = True
    pixels = np.empty(width * height * 4, np.float32)
    image.pixels.foreach_get(pixels)
    bpy.data.images.remove(image)
    return pixels.reshape(height, width, 4)[::-1, :, :3].copy()


def shifted(plane, dy, dx):
    h, w = plane.shape[:2]
    return plane[np.clip(np.arange(h) + dy, 0, h - 1)][:, np.clip(np.arange(w) + dx, 0, w - 1)]


def denoise(first, second, albedo, normal, levels=5):
    """Edge-avoiding à-trous wavelets over the lighting alone: the albedo is divided out and put back.

    A neighbour counts less the more it differs, measured against the noise there, which is estimated from the two exposures.
    See Dammertz et al., "Edge-Avoiding À-Trous Wavelet Transform for fast Global Illumination Filtering", HPG 2010.
    """
    base = np.maximum(albedo, 0.2)
    a, b = (np.log1p(np.minimum(plane, 60.0) / base) for plane in (first, second))
    high, low = np.maximum(a, b), np.minimum(a, b)
    fireflies = (high - low).max(2, keepdims=True) > 0.3 + 2.5 * blurred(low, 2).max(2, keepdims=True)
    light = np.where(fireflies, low, (a + b) / 2)
    noise = blurred(np.minimum((a - b) ** 2 / 4, 0.5).mean(2, keepdims=True), 2)
    kernel = (1 / 16, 1 / 4, 3 / 8, 1 / 4, 1 / 16)
    for level in range(levels):
        step = 2**level
        total, weight, spread = np.zeros_like(light), np.zeros_like(noise), np.zeros_like(noise)
        guide = blurred(light, 1) if level < 2 else light
        tolerance = 6.0 * noise + 2e-5
        for j, wy in enumerate(kernel):
            for i, wx in enumerate(kernel):
                dy, dx = (j - 2) * step, (i - 2) * step
                apart = ((shifted(guide, dy, dx) - guide) ** 2).mean(2, keepdims=True) / tolerance
                apart = apart + ((shifted(normal, dy, dx) - normal) ** 2).sum(2, keepdims=True) / 0.015
                apart = apart + ((shifted(albedo, dy, dx) - albedo) ** 2).sum(2, keepdims=True) / 0.002
                w = wy * wx * np.exp(-np.minimum(apart, 40))
                total += w * shifted(light, dy, dx)
                spread += w * w * shifted(noise, dy, dx)
                weight += w
        light, noise = total / weight, spread / weight**2
    return np.expm1(light) * base


def blurred(plane, radius):
    """Three box blurs, close to a Gaussian."""
    for _ in range(3):
        for axis in (0, 1):
            pad = [(0, 0)] * 3
            pad[axis] = (radius + 1, radius)
            sums = np.cumsum(np.pad(plane, pad, mode="edge"), axis=axis, dtype=np.float64)
            far = np.take(sums, range(2 * radius + 1, sums.shape[axis]), axis=axis)
            plane = ((far - np.take(sums, range(0, far.shape[axis]), axis=axis)) / (2 * radius + 1)).astype(np.float32)
    return plane


def develop(radiance, exposure=1.0, bloom=0.06, contrast=0.12, saturation=1.06):
    """Radiance to display values 0..1: bloom, a shoulder that keeps hues, an S-curve and the sRGB transfer."""
    light = np.maximum(radiance, 0) * exposure
    width = light.shape[1]
    bright = np.minimum(np.maximum(light - 0.8, 0), 8)
    light = light + bloom * (blurred(bright, max(2, width // 120)) + blurred(bright, max(4, width // 24)))
    peak = light.max(axis=2, keepdims=True)
    knee = 0.55
    pressed = np.where(peak > knee, knee + (1 - knee) * (1 - np.exp(-(peak - knee) / (1 - knee) / 1.7)), peak)
    hue = light * (pressed / np.maximum(peak, 1e-6))
    white = np.clip((peak - 1.2) / 9, 0, 0.85)
    light = hue * (1 - white) + pressed * white
    grey = (light * (0.2126, 0.7152, 0.0722)).sum(2, keepdims=True)
    light = np.clip(grey + saturation * (light - grey), 0, 1)
    srgb = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
    return np.clip(srgb + contrast * (srgb * srgb * (3 - 2 * srgb) - srgb), 0, 1)


def save(display, path):
    """A PNG, 8 bits a channel."""
    h, w = display.shape[:2]
    image = bpy.data.images.new("developed", w, h)
    flat = np.ones((h, w, 4), np.float32)
    flat[:, :, :3] = display[::-1]
    image.pixels.foreach_set(flat.ravel())
    image.filepath_raw, image.file_format = path, "PNG"
    image.save()
