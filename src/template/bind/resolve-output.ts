import { expectedValue, isValueOf } from '../../contract/fields/field.ts';
import { MAX_SIDE_PIXELS, OUTPUT_FIELDS } from '../../contract/fields/output-fields.ts';
import type { VideoMeasures } from '../../contract/video-measures.ts';
import { OUTPUT_DEFAULTS } from '../../contract/wire/defaults.ts';
import {
  defaultCodec,
  FORMAT_CODECS,
  isSoundFormat,
  MAX_OUTPUTS,
  OUTPUT_NAME,
  type OutputRequest,
} from '../../contract/wire/output.ts';
import { suggestion } from '../../kernel/hints.ts';
import { isRecord, jsonPointer } from '../../kernel/json.ts';
import type { InputFile, RenderOutput, Still } from '../render-input.ts';
import type { OutputBasis } from '../video-measures.ts';
import type { FieldProblem } from './check-mapping.ts';

/** The format and dimensions of an output, with defaults applied. */
interface ResolvedOutput {
  readonly output: Omit<RenderOutput, 'fingerprint'>;
  /** Pixels, both even. */
  readonly width: number;
  readonly height: number;
  /** Finite, > 0. */
  readonly fps: number;
  readonly frameCount: number;
  /** Their frames are frames of the output. */
  readonly stills: readonly Still[];
}

/**
 * Applies the video's measures and the defaults (MP4 with H.264, high quality) to an output request.
 *
 * - The width is computed from the height in the video's proportions, rounded to an even number.
 * - The duration is the video's, rounded to frames of the output; at least one frame.
 * - Each still is at the output's frame nearest to its time.
 *
 * @param output accepted by `checkOutput`
 */
export function resolveOutput(video: OutputBasis, output: OutputRequest = {}): ResolvedOutput {
  const { format = OUTPUT_DEFAULTS.format, quality = OUTPUT_DEFAULTS.quality } = output;
  const { height = video.height, fps = video.rate } = output;
  const frameCount = Math.max(1, Math.round((video.frames * fps) / video.rate));
  const frameOf = ({ frame }: Still): number => Math.min(frameCount - 1, Math.round((frame * fps) / video.rate));
  return {
    output: { format, quality, ...extraSettings(output) },
    width: widthFor(video, height),
    height,
    fps,
    frameCount,
    stills: video.stills.map((still) => ({ name: still.name, frame: frameOf(still) })),
  };
}

/** Returns the settings that a render input contains only if they are not the default. */
function extraSettings({
  format,
  quality: _quality,
  height: _height,
  fps: _fps,
  ...output
}: OutputRequest): OutputRequest {
  const codec = defaultCodec(format);
  const defaults: OutputRequest = codec === undefined ? OUTPUT_DEFAULTS : { codec, ...OUTPUT_DEFAULTS };
  const extra = Object.entries(output).filter(
    ([name, value]) =>
      Object.hasOwn(OUTPUT_FIELDS, name) && value !== undefined && value !== defaults[name as keyof OutputRequest],
  );
  return Object.fromEntries(extra);
}

/**
 * Returns the fields of an input that depend on its output.
 *
 * @param fingerprint see `RenderOutput`
 */
export function inputFile(
  video: OutputBasis,
  output: OutputRequest | undefined,
  fingerprint: string | null,
): InputFile {
  const { output: file, ...measures } = resolveOutput(video, output);
  return { output: { fingerprint, ...file }, ...measures };
}

/** Returns the width in pixels: even, at least 2. */
function widthFor(video: Pick<VideoMeasures, 'width' | 'height'>, height: number): number {
  return height === video.height ? video.width : 2 * Math.max(1, Math.round((height * video.width) / video.height / 2));
}

/** Limit for the length of an output: the longest video, 30 minutes, at 60 frames per second. */
export const MAX_OUTPUT_FRAMES = 30 * 60 * 60;

/**
 * Validates the `output` of a request, which may be any JSON. Checks the resulting dimensions only if the video's
 * measures are known.
 *
 * @returns problems with JSON pointers relative to the parent of `output`
 */
export function checkOutput(output: unknown, video: VideoMeasures | null): FieldProblem[] {
  if (output === undefined) return [];
  if (!isRecord(output)) return [invalid('', 'output must be an object')];
  const problems = Object.entries(output).flatMap(([name, value]) => checkField(name, value));
  const { format = OUTPUT_DEFAULTS.format, codec, lang } = output as OutputRequest;
  const codecs = FORMAT_CODECS[format];
  const areKnown = isValueOf(OUTPUT_FIELDS.codec, codec) && isValueOf(OUTPUT_FIELDS.format, format);
  if (areKnown && !codecs?.includes(codec!)) {
    const allowed =
      codecs === undefined ? 'the codec cannot be chosen' : `the codec must be one of ${codecs.join(', ')}`;
    problems.push(invalid('/codec', `the format ${format} does not support this codec: ${allowed}`));
  }
  if (lang !== undefined && !isSoundFormat(format)) {
    problems.push(invalid('/lang', `the format ${format} has no sound whose language it could name`));
  }
  return problems.length > 0 || video === null ? problems : checkMeasures(output, video);
}

/**
 * Validates the `outputs` of a request, which may be any JSON.
 *
 * @returns problems with JSON pointers relative to the parent of `outputs`
 */
export function checkOutputs(
  { output, outputs }: { readonly output?: unknown; readonly outputs?: unknown },
  video: VideoMeasures | null,
): FieldProblem[] {
  if (outputs === undefined) return [];
  const problem = (at: string, detail: string): FieldProblem => ({ code: 'definition_invalid', at, detail });
  if (output !== undefined) return [problem('/outputs', 'output and outputs cannot be combined')];
  if (!Array.isArray(outputs) || outputs.length < 1 || outputs.length > MAX_OUTPUTS) {
    return [problem('/outputs', `outputs must be a list of 1 to ${MAX_OUTPUTS} outputs`)];
  }
  const names = new Set<string>();
  return outputs.flatMap((entry: unknown, index) => {
    const at = `/outputs/${index}`;
    if (!isRecord(entry)) return [problem(at, 'an output must be an object')];
    const { name, ...rest } = entry;
    const inOutput = checkOutput(rest, video).map((found) => {
      return { ...found, at: at + found.at.slice('/output'.length) };
    });
    if (typeof name !== 'string' || !OUTPUT_NAME.test(name)) {
      const detail = 'name must have 1 to 32 letters, digits, - and _, starting with a letter or digit';
      return [problem(`${at}/name`, detail), ...inOutput];
    }
    if (names.has(name.toLowerCase())) inOutput.push(problem(`${at}/name`, `two outputs have the name ${name}`));
    names.add(name.toLowerCase());
    return inOutput;
  });
}

function checkField(name: string, value: unknown): FieldProblem[] {
  const field = Object.hasOwn(OUTPUT_FIELDS, name) ? OUTPUT_FIELDS[name as keyof OutputRequest] : undefined;
  if (field === undefined) {
    const detail = `an output has no field ${name}${suggestion(name, Object.keys(OUTPUT_FIELDS))}`;
    return [{ code: 'unknown_property', at: jsonPointer(['output', name]), detail }];
  }
  return isValueOf(field, value) ? [] : [invalid(`/${name}`, `${name} must be ${expectedValue(field)}`)];
}

/** Checks the width and the number of frames, which depend on the video's measures. */
function checkMeasures(output: OutputRequest, video: VideoMeasures): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const { width, height, frameCount } = resolveOutput({ ...video, stills: [] }, output);
  if (width > MAX_SIDE_PIXELS) {
    const highest = 2 * Math.floor((MAX_SIDE_PIXELS * video.height) / video.width / 2);
    const detail = `at height ${height} this template would be ${width} pixels wide, more than ${MAX_SIDE_PIXELS}; use a height of at most ${highest}`;
    problems.push(invalid('/height', detail));
  }
  if (frameCount > MAX_OUTPUT_FRAMES) {
    const detail = `the video would have ${frameCount} frames, more than ${MAX_OUTPUT_FRAMES}; reduce fps`;
    problems.push(invalid('/fps', detail));
  }
  return problems;
}

function invalid(at: string, detail: string): FieldProblem {
  return { code: 'definition_invalid', at: `/output${at}`, detail };
}
