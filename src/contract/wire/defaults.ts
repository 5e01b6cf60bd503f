import { defaultsOf, plainColor, withoutDefaults } from '../fields/field.ts';
import { OUTPUT_FIELDS } from '../fields/output-fields.ts';
import { TRACK_FIELDS, TRANSFORM_FIELDS, type TransformedKind } from '../fields/transform-fields.ts';
import type { VideoMeasures } from '../video-measures.ts';
import type { AudioTransform, Transform } from './mapping.ts';
import { defaultCodec, type OutputRequest } from './output.ts';

/** Defaults of transform fields. Fields without a default are not listed. */
export const TRANSFORM_DEFAULTS = {
  image: defaultsOf(TRANSFORM_FIELDS.image),
  video: defaultsOf(TRANSFORM_FIELDS.video),
  audio: defaultsOf(TRACK_FIELDS),
} as const;

/** Defaults of output fields; that of `codec` depends on the format, those of `height` and `fps` on the video. */
export const OUTPUT_DEFAULTS = defaultsOf(OUTPUT_FIELDS);

/** The measures of a video that its outputs inherit; null if unknown. */
export type InheritedMeasures = Pick<VideoMeasures, 'height' | 'rate'> | null;

/**
 * Removes the fields of a transform that repeat a default, so that transforms which mean the same are equal. A picture
 * keeps its `crop_strategy`, which every fingerprint has contained since the first release.
 */
export function plainTransform(kind: 'image' | 'video', transform: Transform): Transform;
export function plainTransform(kind: 'audio', transform: AudioTransform): AudioTransform;
export function plainTransform(
  kind: TransformedKind,
  transform: Transform | AudioTransform,
): Transform | AudioTransform;
export function plainTransform(
  kind: TransformedKind,
  transform: Transform | AudioTransform,
): Transform | AudioTransform {
  const plain = withoutDefaults({ ...transform }, TRANSFORM_DEFAULTS[kind]);
  if (kind === 'audio') return plain;
  const { background, trim_strategy, trim_start_time, ...plainFields }: Transform = plain;
  return {
    ...plainFields,
    crop_strategy: (transform as Transform).crop_strategy ?? TRANSFORM_DEFAULTS.image.crop_strategy,
    ...(background !== undefined && { background: plainColor(background) }),
    // `manual` without a time and a time under `none` both play from the start.
    ...(trim_start_time !== undefined &&
      (transform as Transform).trim_strategy !== 'none' && {
        trim_strategy: trim_strategy ?? 'manual',
        trim_start_time,
      }),
  };
}

/** Removes the fields of an output that repeat a default. @returns null if none remain */
export function plainOutput(output: OutputRequest | null, measures: InheritedMeasures): OutputRequest | null {
  if (output === null) return null;
  const plain = withoutDefaults(
    { ...output },
    { ...OUTPUT_DEFAULTS, codec: defaultCodec(output.format), height: measures?.height, fps: measures?.rate },
  );
  return Object.keys(plain).length === 0 ? null : plain;
}
