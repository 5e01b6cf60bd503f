import { CAPTION_STYLE_FIELDS } from '../../../contract/fields/caption-style-fields.ts';
import type { Field, Fields, FieldValue } from '../../../contract/fields/field.ts';
import { OUTPUT_FIELDS } from '../../../contract/fields/output-fields.ts';
import { PLACEMENT_FIELDS, TRANSITION_FIELDS } from '../../../contract/fields/scene-fields.ts';
import { TRACK_FIELDS, TRANSFORM_FIELDS } from '../../../contract/fields/transform-fields.ts';
import { isRationalJson, type RationalJson } from '../../../contract/timeline/rational.ts';
import type { Speech } from '../../../contract/wire/mapping.ts';
import type { FontSettings, InputCaptions, InputLayerCaptions, InputTimeline } from '../../../template/render-input.ts';
import type { BoundInput } from '../bind-template.ts';
import {
  both,
  byPresence,
  bytes,
  type Check,
  count,
  fields,
  flag,
  listOf,
  nullable,
  number,
  oneOf,
  optionalFields,
  recordOf,
  text,
  UncheckedValue,
} from './check-value.ts';

/** Returns the checks of the fields of a table. Ranges are those of requests, and a layer's own volume exceeds them: not checked. */
function checksOf<T extends Fields>(table: T) {
  const check = (field: Field): Check<unknown> => {
    if (field.kind === 'choice') return oneOf(...field.values);
    return { number, boolean: flag, color: text, names: text, text, language: text }[field.kind];
  };
  const checks = Object.entries(table).map(([name, field]) => [name, check(field)]);
  return Object.fromEntries(checks) as { readonly [N in keyof T]: Check<FieldValue<T[N]>> };
}

const { format, quality, height: _height, fps: _fps, ...extraSettings } = checksOf(OUTPUT_FIELDS);

export { format };
export const still = fields({ name: text, frame: count });
export const settings: Check<FontSettings> = optionalFields({ axes: recordOf(number), features: recordOf(number) });
export const size = { width: count, height: count, fps: number, frameCount: count };

const transform = optionalFields(checksOf(TRANSFORM_FIELDS.video));
const origin = optionalFields({ isOwn: oneOf(true) });
const image = both(fields({ assetId: text, width: number, height: number, bytes, transform, name: text }), origin);
const spoken: Check<Speech[number]> = (value) => {
  const [from, to, ...rest] = listOf(number)(value);
  if (from === undefined || to === undefined || rest.length > 0)
    throw new UncheckedValue('a value is no pair of times');
  return [from, to];
};
const boundSound = both(
  fields({
    bytes,
    startSeconds: number,
    endSeconds: number,
    transform: optionalFields(checksOf(TRACK_FIELDS)),
    name: text,
    optional: flag,
  }),
  both(
    optionalFields({
      skipSeconds: number,
      endFadeSeconds: number,
      fadesCuts: oneOf(true),
      duckedBy: listOf(count),
      speech: listOf(spoken),
    }),
    origin,
  ),
);
const document = {
  animation: bytes,
  fonts: listOf(both(fields({ name: text, bytes, isFallback: flag }), settings)),
  images: listOf(image),
  clips: listOf(image),
};
const boundFile = {
  ...size,
  output: both(fields({ format, quality, fingerprint: nullable(text) }), optionalFields(extraSettings)),
  sounds: listOf(boundSound),
  stills: listOf(still),
  usedFonts: listOf(text),
};
const transitionSpan = { from: count, frames: count };
const inputTimeline: Check<InputTimeline> = fields({
  rate: fields({ numerator: count, denominator: count }),
  frames: count,
  width: count,
  height: count,
  scenes: listOf(fields({ id: text, start: count, length: count, transition: nullable(fields(transitionSpan)) })),
});
const rational: Check<RationalJson> = (value) => {
  if (!isRationalJson(value)) throw new UncheckedValue('a value is not a fraction');
  return value;
};
const inputScene = fields({
  ...document,
  map: listOf(fields({ from: rational, to: rational, at: rational, speed: rational })),
  fit: oneOf(...PLACEMENT_FIELDS.fit.values),
  background: nullable(text),
  transition: nullable(
    fields({
      type: oneOf(...TRANSITION_FIELDS.type.values),
      easing: oneOf(...TRANSITION_FIELDS.easing.values),
      direction: oneOf(...TRANSITION_FIELDS.direction.values),
      color: text,
    }),
  ),
});
const span = { from: count, to: count };
const captions: Check<InputCaptions> = fields({
  rate: fields({ numerator: count, denominator: count }),
  looks: listOf(
    fields({
      style: optionalFields({ ...checksOf(CAPTION_STYLE_FIELDS), axes: recordOf(number), features: recordOf(number) }),
      lang: nullable(text),
      fonts: listOf(fields({ name: text, bytes })),
    }),
  ),
  cues: listOf(
    both(
      fields({ ...span, look: count, text, level: count }),
      optionalFields({ words: listOf(fields({ ...span, start: count, end: count })), place: oneOf('top', 'middle') }),
    ),
  ),
});

const captionLayers: Check<InputLayerCaptions> = fields({
  rate: fields({ numerator: count, denominator: count }),
  scenes: listOf(listOf(fields({ ...span, text }))),
});

const timedText = { start: number, end: number, text };
const captionTrack = fields({
  lang: nullable(text),
  isDefault: flag,
  cues: listOf(
    both(
      fields(timedText),
      optionalFields({ words: listOf(fields(timedText)), speaker: text, place: oneOf('top', 'middle') }),
    ),
  ),
});

/** The shape of an input that a render process has bound. */
export const boundInput: Check<BoundInput> = both(
  byPresence(
    'scenes',
    fields({ ...boundFile, timeline: inputTimeline, scenes: listOf(inputScene) }),
    fields({ ...boundFile, ...document }),
  ),
  optionalFields({ loudness: fields({ target: number, truePeak: number }), captions, captionLayers, captionTrack }),
);
