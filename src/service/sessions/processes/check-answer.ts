import { EDITABLE_KIND_NAMES, type EditableKind } from '../../../contract/fields/editable-kinds.ts';
import { isTiming, type Place } from '../../../contract/timeline/place.ts';
import type { SoundMeasures } from '../../../contract/wire/loudness.ts';
import type { StyleVersion } from '../../../contract/wire/style-version.ts';
import type { MeasuredLoudness } from '../../../engine/codec/encoded-track.ts';
import type { RenderedSound, RenderFinding } from '../../../engine/input-media.ts';
import type { KeptSound } from '../../../engine/lint/heard-sounds.ts';
import type { KeptFrame } from '../../../engine/lint/measured-frames.ts';
import type { LintFinding, MediaFinding } from '../../../engine/lint-finding.ts';
import type { LoudnessStep, MixWaveform, SoundWaveform } from '../../../engine/media/waveform.ts';
import type { Failure, RenderErrorCode } from '../../../engine/render-error.ts';
import type { RenderedFile } from '../../../engine/rendered-file.ts';
import type { RenderedSegment, SegmentStill } from '../../../engine/segments/rendered-segment.ts';
import type { TextFinding } from '../../../engine/text/text-findings.ts';
import { CODES, type Code } from '../../../kernel/diagnostic.ts';
import type { Sha256 } from '../../../kernel/digest.ts';
import { LINT_CODES, LINT_SEVERITIES, SAFE_AREA_NAMES } from '../../../template/lint-severities.ts';
import type { Manifest } from '../../../template/parse-manifest.ts';
import type { PackedPackage } from '../bind-template.ts';
import type { PackageDescription } from '../sources/inspect-package.ts';
import { boundInput, format, settings, size, still } from './check-bound-input.ts';
import {
  both,
  byField,
  byPresence,
  bytes,
  type Check,
  count,
  fields,
  flag,
  listOf,
  mapOf,
  nullable,
  number,
  oneOf,
  optionalFields,
  recordOf,
  temporaryFile,
  text,
  UncheckedValue,
} from './check-value.ts';
import type { TaskInput, TaskKind, TaskMessage, TaskOutput } from './tasks.ts';

// The shapes of everything that a render process answers. It reads untrusted files and may be taken over, so nothing that it
// sends is used before it was checked here.

const digest: Check<Sha256> = (value) => {
  const written = text(value);
  if (!/^[0-9a-f]{64}$/.test(written)) throw new UncheckedValue('a value is not a SHA-256 digest');
  return written as Sha256;
};

const span = fields({ file: text, start: count, end: count });
const namedStill = fields({ name: text, bytes, width: count, height: count });

const textFinding: Check<TextFinding> = both(
  fields({
    code: oneOf('glyph_missing', 'text_overflow'),
    editable: nullable(text),
    text,
    font: text,
    characters: listOf(text),
    overflow: number,
  }),
  optionalFields({ scene: oneOf(-1, 0, 1) }),
);
const moment = fields({ frame: count, seconds: number, still: nullable(text) });
const ofEditable = both(moment, fields({ editable: text }));
const cut = both(ofEditable, fields({ lengthSeconds: number, playedSeconds: number }));
const mediaDefects = {
  clip_ends_early: both(ofEditable, fields({ freezesAtSeconds: number, lengthSeconds: number, neededSeconds: number })),
  clip_cut: cut,
  sound_cut: cut,
  sound_unused: both(
    ofEditable,
    fields({ reason: oneOf('volume', 'late', 'no_sound'), lengthSeconds: nullable(number) }),
  ),
  level_missed: both(ofEditable, fields({ loudness: number, level: number })),
  words_unheard: both(ofEditable, fields({ lengthSeconds: number, wordsEndSeconds: number })),
  media_truncated: both(ofEditable, fields({ presentSeconds: number, announcedSeconds: nullable(number) })),
} satisfies Record<MediaFinding['code'], unknown>;
const loudnessMissed = fields({ editable: oneOf(null), integrated: nullable(number), target: number });
const soundFinding = byField('code', { ...mediaDefects, loudness_missed: loudnessMissed }) as Check<
  RenderedSound['findings'][number]
>;
const renderFinding = byField('code', {
  glyph_missing: textFinding,
  text_overflow: textFinding,
  ...mediaDefects,
  loudness_missed: loudnessMissed,
}) as Check<RenderFinding>;
const safeArea = oneOf(...SAFE_AREA_NAMES);
const edges = listOf(oneOf('top', 'right', 'bottom', 'left'));
const exportDifference = fields({ part: oneOf('clip', 'captions'), name: text, fromSeconds: number });
const ofCaption = fields({ editable: oneOf(null), caption: text, captions: count });
const ofText = byPresence('caption', ofCaption, fields({ editable: text }));
const defects = {
  flashes: fields({ editable: oneOf(null), kind: oneOf('general', 'red'), flashes: number }),
  hold_moves: fields({ editable: oneOf(null), heldSeconds: number, changedShare: number }),
  transition_from_empty: fields({ editable: oneOf(null), before: text }),
  glyph_missing: both(ofText, fields({ characters: listOf(text), font: text })),
  text_overflow: both(ofText, fields({ text, beyond: oneOf('box', 'frame', 'layer'), overflow: nullable(number) })),
  text_direction: both(ofText, fields({ text })),
  caption_over_text: both(ofCaption, fields({ other: nullable(text), otherText: text })),
  caption_outside_safe_area: both(ofCaption, fields({ area: safeArea, edges })),
  caption_low_contrast: both(ofCaption, fields({ part: oneOf('text', 'active_word'), ratio: number, needed: number })),
  low_contrast: fields({ editable: text, ratio: number, needed: number }),
  text_too_small: fields({ editable: text, size: number, needed: number, isShrunk: flag }),
  text_shrunk: fields({
    editable: text,
    size: number,
    designed: number,
    larger: nullable(fields({ editable: nullable(text), text, size: number })),
  }),
  text_hidden: fields({ editable: text, reason: oneOf('never_shown', 'off_frame', 'covered') }),
  outside_safe_area: fields({ editable: text, area: safeArea, edges }),
  text_collision: fields({ editable: text, other: nullable(text), otherText: text }),
  image_too_small: fields({
    editable: text,
    width: number,
    height: number,
    areaWidth: number,
    areaHeight: number,
    limit: oneOf('image', 'clip', 'asset'),
  }),
  text_leftover: fields({
    editable: text,
    kind: oneOf('escape', 'placeholder', 'entity', 'markup', 'value', 'encoding'),
    leftover: text,
  }),
  sound_silent: fields({ editable: text, peak: nullable(number) }),
  sound_clipped: fields({ editable: text, places: count }),
  sound_out_of_phase: fields({ editable: text, correlation: number }),
  mix_too_loud: fields({ editable: oneOf(null), excess: number }),
  loudness_missed: loudnessMissed,
  ...mediaDefects,
} satisfies Record<LintFinding['code'], unknown>;
const box = fields({ x: number, y: number, width: number, height: number });
const lintFinding: Check<LintFinding> = both(
  both(both(moment, fields({ box: nullable(box) })), optionalFields({ scene: text })),
  byField('code', defects),
) as Check<LintFinding>;
/** A frame that lint has measured. */
export const keptFrame: Check<KeptFrame> = fields({
  key: digest,
  hasCuts: flag,
  texts: listOf(
    fields({
      index: count,
      ratio: number,
      isAtEdge: flag,
      coverage: number,
      luminance: listOf(number),
      cutShare: nullable(number),
    }),
  ),
});

/** A sound that lint has measured. */
export const keptSound: Check<KeptSound> = fields({
  key: digest,
  integrated: nullable(number),
  truePeak: nullable(number),
  clippedPlaces: count,
  correlation: nullable(number),
});
const measures: Check<SoundMeasures> = fields({ integrated: number, true_peak: number });

const renderedFile: Check<RenderedFile> = both(
  fields({
    video: temporaryFile,
    format,
    stills: listOf(namedStill),
    findings: listOf(renderFinding),
    width: count,
    height: count,
    frameCount: count,
    durationSeconds: number,
  }),
  optionalFields({ loudness: measures }),
);
const segmentStill: Check<SegmentStill> = fields({ frame: count, bytes });
const segment: Check<RenderedSegment> = fields({
  first: count,
  end: count,
  configuration: bytes,
  packets: listOf(fields({ bytes, frame: count, isKey: flag })),
  stills: listOf(segmentStill),
  findings: listOf(textFinding),
});
/** The loudness of silence is -Infinity. */
const numberOrSilence: Check<number> = (value) => (value === Number.NEGATIVE_INFINITY ? value : number(value));
const loudnessStep: Check<LoudnessStep> = fields({
  integrated: numberOrSilence,
  momentary: numberOrSilence,
  shortTerm: numberOrSilence,
  truePeak: numberOrSilence,
});
const loudness: Check<MeasuredLoudness> = both(loudnessStep, fields({ range: number }));
const sound: Check<RenderedSound> = fields({
  track: nullable(
    both(
      fields({
        codec: oneOf('aac', 'opus', 'pcm'),
        sampleRate: number,
        channels: count,
        configuration: bytes,
        packets: temporaryFile,
      }),
      optionalFields({ loudness, tooQuiet: listOf(fields({ sound: count, loudness: number })) }),
    ),
  ),
  findings: listOf(soundFinding),
});
const soundWaveform: Check<SoundWaveform> = fields({
  name: text,
  gain: numberOrSilence,
  loudness: numberOrSilence,
  firstColumn: count,
  peaks: bytes,
  curve: bytes,
});
const mixWaveform: Check<MixWaveform> = fields({
  peaks: bytes,
  stepSeconds: number,
  steps: listOf(loudnessStep),
  whole: loudness,
});

const file = fields({ path: text, bytes });
const font = both(file, settings);
const inputType: Check<EditableKind> = oneOf(...EDITABLE_KIND_NAMES);
const lintCodes = Object.fromEntries(LINT_CODES.map((code) => [code, oneOf(...LINT_SEVERITIES)]));
const manifest: Check<Manifest> = fields({
  name: text,
  description: nullable(text),
  stillcuts: mapOf(fields({ timeSeconds: number, at: span })),
  editables: mapOf(
    fields({
      kind: inputType,
      label: text,
      stillcut: text,
      required: flag,
      maxLength: nullable(count),
      font: nullable(fields({ replaces: text, texts: nullable(listOf(text)), allowedFonts: nullable(listOf(text)) })),
      settings,
      at: span,
    }),
  ),
  fonts: mapOf(both(fields({ file: text, at: span }), settings)),
  fallbackFonts: mapOf(span),
  lint: optionalFields({ ...lintCodes, safe_area: safeArea }) as Check<Manifest['lint']>,
  timing: nullable(
    listOf(
      fields({
        kind: oneOf('hold', 'loop', 'stretch'),
        from: number,
        to: number,
        min: nullable(number),
        max: nullable(number),
        at: span,
      }),
    ),
  ),
});
const timing: Check<readonly Place[]> = (value) => {
  if (!isTiming(value)) throw new UncheckedValue('a value is not a list of places');
  return value;
};
const specification: Check<StyleVersion> = both(
  fields({
    id: text,
    editables: recordOf(
      both(
        fields({ input_type: inputType, stillcut: text }),
        optionalFields({
          example_text: text,
          fonts: listOf(text),
          width: number,
          height: number,
          label: text,
          required: flag,
          max_length: count,
          duration: number,
          allowed_fonts: listOf(text),
        }),
      ),
    ),
    fonts: listOf(text),
  }),
  optionalFields({ available_fonts: listOf(text), timing }),
);
const description: Check<PackageDescription> = fields({
  ...size,
  spec: specification,
  digest,
  name: text,
  stillcuts: listOf(text),
});
const packed: Check<PackedPackage> = fields({
  ...size,
  folder: text,
  manifest,
  spec: specification,
  digest,
  stills: listOf(still),
  animation: bytes,
  fonts: mapOf(font),
  extraFonts: mapOf(font),
  fallbackFonts: listOf(text),
  images: mapOf(file),
  sounds: mapOf(file),
});
const problem = fields({ code: text, pointer: text, detail: text });

/** A list with one item for each of a task's inputs. */
function listFor<T>(inputs: readonly unknown[], item: Check<T>): Check<T[]> {
  const list = listOf(item);
  return (value) => {
    const checked = list(value);
    if (checked.length !== inputs.length) throw new UncheckedValue(`a list does not have ${inputs.length} items`);
    return checked;
  };
}

/** Checks of the outputs of each task for its input. */
const OUTPUTS: { readonly [Kind in TaskKind]: (input: TaskInput<Kind>) => Check<TaskOutput<Kind>> } = {
  video: () => renderedFile,
  files: ({ outputs }) => listFor(outputs, renderedFile),
  segments: ({ ranges, outputs }) => listFor(ranges, listFor(outputs, segment)),
  frames: ({ frames }) => listFor(frames, segmentStill),
  sound: () => sound,
  soundWaveforms: () => listOf(soundWaveform),
  mixWaveform: () => nullable(mixWaveform),
  keys: ({ ranges, outputs }) =>
    fields({ segments: listFor(ranges, listFor(outputs, nullable(digest))), sound: nullable(digest) }),
  join: () => renderedFile,
  lottie: () => fields({ file: temporaryFile, differences: listOf(exportDifference) }),
  stills: ({ stills }) => listFor(stills, fields({ name: text, bytes })),
  compare: ({ after }) =>
    listFor(after.stills, fields({ before: nullable(bytes), after: nullable(bytes), changedShare: nullable(number) })),
  lint: () =>
    fields({
      findings: listOf(lintFinding),
      measured: listOf(keptFrame),
      heard: listOf(keptSound),
      loudness: nullable(measures),
    }),
  source: () => both(fields({ contentType: text }), optionalFields({ width: count, height: count })),
  length: () => fields({ samples: count, rate: count }),
  package: () =>
    byPresence(
      'problems',
      fields({ problems: listOf(problem) }),
      fields({ description, package: nullable(packed), memoryBytes: count }),
    ),
  bind: () => boundInput,
  font: () =>
    byPresence(
      'weight',
      fields({
        problem: oneOf(null),
        weight: number,
        weightRange: nullable(fields({ min: number, max: number })),
      }),
      fields({ problem: text }),
    ),
};

const RENDER_CODES = [
  'asset_type_unsupported',
  'asset_decode_failed',
  'asset_too_large',
  'template_invalid',
  'encode_failed',
  'render_crashed',
  'render_timeout',
] as const satisfies readonly RenderErrorCode[];

const failure: Check<Failure> = byField('kind', {
  renderInput: both(fields({ code: oneOf(...RENDER_CODES), message: text }), optionalFields({ imageName: text })),
  reelform: both(
    fields({ code: oneOf(...(Object.keys(CODES) as Code[])), message: text }),
    optionalFields({ hint: text }),
  ),
  unexpected: both(fields({ message: text }), optionalFields({ stack: text, code: text })),
});

/** Returns the check of the messages about a task. */
export function messageCheck<Kind extends TaskKind>(kind: Kind, input: TaskInput<Kind>): Check<TaskMessage<Kind>> {
  return byField('kind', {
    progress: fields({ done: count, count }),
    done: fields({ output: OUTPUTS[kind](input) }),
    failed: fields({ failure }),
  }) as Check<TaskMessage<Kind>>;
}
