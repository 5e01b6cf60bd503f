/** Features that the renderer draws differently from the designer's program, or not at all. */
export type Feature =
  | 'expression'
  | 'effect'
  | 'effect_switched_off'
  | 'wipe'
  | 'layer_style'
  | 'layer_kind'
  | 'image_sequence'
  | 'path_modifier'
  | 'dash_offset'
  | 'mask_mode'
  | 'mask_expansion'
  | 'motion_blur'
  | 'text_animator'
  | 'stretched_sound';

/** The actual result, and what to do about it; one sentence each. */
export const FEATURES: Readonly<Record<Feature, { readonly instead: string; readonly hint: string }>> = {
  expression: {
    instead: 'Expressions are never run; what they drive keeps the value or the keyframes that it has without',
    hint: 'In After Effects use Animation > Keyframe Assistant > Convert Expression to Keyframes, and export again',
  },
  effect: {
    instead: 'The effect is not drawn; the layer is shown without it',
    hint: 'Use one that templates/DESIGNERS.md lists, or render it into an image',
  },
  effect_switched_off: {
    instead: 'The effect is drawn, though it is switched off',
    hint: 'Remove it from the layer',
  },
  wipe: {
    instead: 'Wipes and blinds come out on images alone: texts, solids and shapes that do not overlap are shown whole',
    hint: 'Uncover it with a mask or a matte that moves',
  },
  layer_style: {
    instead: 'The layer style is not drawn',
    hint: 'Drop and inner shadow, outer and inner glow, and colour overlay are; else build it from layers',
  },
  layer_kind: {
    instead: 'Layers of this kind are not drawn',
    hint: 'Make it a shape, an image, a text or a precomposition',
  },
  image_sequence: {
    instead: 'Image sequences are not drawn',
    hint: 'Use an image, or a video editable in its place',
  },
  path_modifier: {
    instead: 'The path is drawn without the modifier',
    hint: 'Convert the shape into a path that has it already',
  },
  dash_offset: {
    instead: 'The last dash or gap of the stroke is taken as the offset of the others',
    hint: 'Add the offset as the last entry of "d": {"n": "o", "nm": "offset", "v": {"a": 0, "k": 0}}',
  },
  mask_mode: {
    instead: 'Masks in the modes Lighten and Darken do nothing',
    hint: 'Use Add, Subtract, Intersect or Difference',
  },
  mask_expansion: {
    instead: 'The mask keeps the size of its path',
    hint: 'Enlarge the path itself, and set the expansion to 0',
  },
  motion_blur: {
    instead: 'Moving layers are drawn sharp',
    hint: 'Switch motion blur off, or use the effect Directional Blur',
  },
  stretched_sound: {
    instead: 'The sound is heard at its own speed; the time stretch of its layer moves where it begins and ends',
    hint: 'Stretch the sound file itself, and set the stretch of the layer to 100 %',
  },
  text_animator: {
    instead: 'This property of a text animator does nothing',
    hint: 'Animate position, scale, rotation, opacity, fill or stroke colour, tracking, line spacing or blur',
  },
};

/**
 * Match names of supported effects. All but Displacement Map were verified by rendering. @see
 * test/template/lottie/find-unsupported.test.ts
 */
export const DRAWN_EFFECTS: ReadonlySet<string> = new Set([
  'ADBE Black&White',
  'ADBE Brightness & Contrast 2',
  'ADBE Corner Pin',
  'ADBE Displacement Map',
  'ADBE Drop Shadow',
  'ADBE Easy Levels2',
  'ADBE Fill',
  'ADBE Fractal Noise',
  'ADBE Gaussian Blur 2',
  'ADBE Geometry2',
  'ADBE HUE SATURATION',
  'ADBE Invert',
  'ADBE Linear Wipe',
  'ADBE Motion Blur',
  'ADBE Pro Levels2',
  'ADBE Radial Wipe',
  'ADBE Ramp',
  'ADBE Sharpen',
  'ADBE Shift Channels',
  'ADBE Threshold2',
  'ADBE Tile',
  'ADBE Tint',
  'ADBE Tritone',
  'ADBE Venetian Blinds',
  'CC Sphere',
  'CC Toner',
]);

/** Effects that work on images and other separately painted content only, so templates should not rely on them. */
export const WIPES: ReadonlySet<unknown> = new Set(['ADBE Linear Wipe', 'ADBE Radial Wipe', 'ADBE Venetian Blinds']);

/** `ty` of supported effects, for effects without a known match name. */
export const DRAWN_EFFECT_TYPES: ReadonlySet<unknown> = new Set([20, 21, 23, 25, 26, 29]);

/** Layer styles by `ty`. Stroke, bevel, satin and gradient overlay are not supported. */
export const LAYER_STYLES = [
  'Stroke',
  'Drop Shadow',
  'Inner Shadow',
  'Outer Glow',
  'Inner Glow',
  'Bevel and Emboss',
  'Satin',
  'Color Overlay',
  'Gradient Overlay',
];
export const DRAWN_STYLES: ReadonlySet<unknown> = new Set([1, 2, 3, 4, 7]);

/** Unsupported layer kinds by `ty`. Cameras (13) and audio layers (6) are supported. */
export const UNDRAWN_LAYERS: Readonly<Record<number, string>> = {
  7: 'a video placeholder',
  8: 'an image sequence',
  9: 'a video',
  10: 'an image placeholder',
  12: 'an adjustment layer',
  14: 'a light',
  15: 'a data layer',
};

export const UNDRAWN_MODIFIERS: Readonly<Record<string, string>> = { zz: 'Zig Zag', tw: 'Twist' };

export const UNDRAWN_ANIMATORS: Readonly<Record<string, string>> = {
  sk: 'Skew',
  sa: 'Skew Axis',
  fh: 'Fill Hue',
  fs: 'Fill Saturation',
  fb: 'Fill Brightness',
  sh: 'Stroke Hue',
  ss: 'Stroke Saturation',
  sb: 'Stroke Brightness',
  cv: 'Character Value',
};
