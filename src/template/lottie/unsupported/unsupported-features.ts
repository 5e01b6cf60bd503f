/** Features that the renderer draws differently from the designer's program, or not at all. */
export type Feature =
  | 'expression'
  | 'effect'
  | 'effect_switched_off'
  | 'removed'
  | 'wipe'
  | 'layer_style'
  | 'layer_kind'
  | 'image_sequence'
  | 'path_modifier'
  | 'offset_corners'
  | 'repeater_opacity'
  | 'solid_color'
  | 'steep_skew'
  | 'dash_offset'
  | 'mask_mode'
  | 'mask_expansion'
  | 'motion_blur'
  | 'text_animator'
  | 'other_players'
  | 'depth_order'
  | 'stretched_sound';

/** The actual result and the remedy, each a sentence. */
export const FEATURES: Readonly<Record<Feature, { readonly instead: string; readonly hint: string }>> = {
  expression: {
    instead: 'The expression was not evaluated; its property keeps its static value or its keyframes',
    hint: 'Run `reelform template init` on the source, or convert it: Animation > Keyframe Assistant > Convert Expression to Keyframes',
  },
  effect: {
    instead: 'The effect is not rendered; the layer is shown without it',
    hint: 'Use one that docs/guides/after-effects.md lists, or render it into an image',
  },
  removed: {
    instead: 'Removed by `reelform template init`',
    hint: 'If nothing is missing, delete the entry from "removed" in animation.json',
  },
  effect_switched_off: {
    instead: 'The effect is rendered although it is disabled',
    hint: 'Remove it from the layer',
  },
  wipe: {
    instead: 'Wipes and blinds only work on images: texts, solids and shapes are shown completely',
    hint: 'Use an animated mask or matte',
  },
  layer_style: {
    instead: 'The layer style is not rendered',
    hint: 'Use drop shadow, inner shadow, outer glow, inner glow or colour overlay, or build the style from layers',
  },
  layer_kind: {
    instead: 'Layers of this kind are not rendered',
    hint: 'Use a shape, image, text or precomposition',
  },
  image_sequence: {
    instead: 'Image sequences are not rendered',
    hint: 'Use an image or a video editable',
  },
  path_modifier: {
    instead: 'The path is rendered without the modifier',
    hint: 'Apply the modifier to the path in the design tool',
  },
  offset_corners: {
    instead: 'The corners and ends of the offset path are mitred, and loops within it stay',
    hint: 'Apply the modifier to the path in the design tool',
  },
  repeater_opacity: {
    instead:
      'The copies of the repeater fade too little, because shapes follow it or repeaters nest deeper than 3 levels',
    hint: 'Move the repeater behind all other shapes of its group, or nest fewer repeaters that fade',
  },
  solid_color: {
    instead: 'The solid is black: only hexadecimal colours are rendered',
    hint: 'Write the colour as "sc": "#RRGGBB"',
  },
  steep_skew: {
    instead: 'The skew stops at 85°',
    hint: 'Skew the layer by at most 85°',
  },
  dash_offset: {
    instead: 'The last dash or gap of the stroke is used as the offset',
    hint: 'Add the offset as the last entry of "d": {"n": "o", "nm": "offset", "v": {"a": 0, "k": 0}}',
  },
  mask_mode: {
    instead: 'Masks with the modes Lighten and Darken are rendered as Add and Intersect',
    hint: 'Use Add, Subtract, Intersect or Difference, or set the opacity of the mask to 100 %',
  },
  mask_expansion: {
    instead: 'The mask keeps the size of its path, because both its path and its expansion move',
    hint: 'Enlarge the path itself, and set the expansion to 0',
  },
  motion_blur: {
    instead: 'Motion blur is not rendered',
    hint: 'Switch motion blur off, or use the effect Directional Blur',
  },
  depth_order: {
    instead: 'The layer covers one that is nearer to the camera: layers are painted in the order of the composition',
    hint: 'Move the layer below those in front of it. Layers that cross each other have to be cut',
  },
  other_players: {
    instead: 'It is rendered, while lottie-web and players like it leave it out or draw it otherwise',
    hint: 'If the video has to look like the animation in such a player, remove it from the layer',
  },
  stretched_sound: {
    instead:
      'The sound plays at its original speed; the time stretch of its layer only changes where it starts and ends',
    hint: 'Stretch the sound file itself, and set the stretch of the layer to 100 %',
  },
  text_animator: {
    instead: 'This property of a text animator has no effect',
    hint: 'Animate position, scale, rotation, opacity, fill or stroke colour, tracking, line spacing or blur',
  },
};

/**
 * Match names of supported effects. All but Displacement Map were verified by rendering. @see
 * test/template/lottie/unsupported/find-unsupported.test.ts
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

/** `ty` of the effects that lottie-web draws. Bodymovin writes 5 for those that it does not know. */
export const OTHER_PLAYERS_EFFECTS: ReadonlySet<unknown> = new Set([20, 21, 23, 24, 25, 29, 35]);

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

export const UNDRAWN_MODIFIERS = { zz: 'Zig Zag', tw: 'Twist' } as const;

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
