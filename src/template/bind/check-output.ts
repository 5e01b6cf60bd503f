import { closestMatch } from '../../hints.ts';
import { isRecord, jsonPointer } from '../../json.ts';
import { OUTPUT_DEFAULTS } from '../../wire/defaults.ts';
import { OUTPUT_CODECS, OUTPUT_FORMATS, OUTPUT_QUALITIES, type OutputRequest } from '../../wire/output.ts';
import { MAX_SIDE_PIXELS } from '../lottie/check-animation.ts';
import type { FieldProblem } from './check-transform.ts';
import { type OutputBasis, resolveOutput } from './resolve-output.ts';

export const MIN_SIDE_PIXELS = 2;
export const MAX_OUTPUT_FPS = 120;
/** Ten minutes at 60 frames per second. */
export const MAX_OUTPUT_FRAMES = 36_000;

const FIELDS: Readonly<Record<keyof OutputRequest, readonly [expected: string, (value: unknown) => boolean]>> = {
  format: [`one of ${OUTPUT_FORMATS.join(', ')}`, (value) => isOneOf(value, OUTPUT_FORMATS)],
  height: [
    `an even number from ${MIN_SIDE_PIXELS} to ${MAX_SIDE_PIXELS}`,
    (value) => isIn(value, MIN_SIDE_PIXELS, MAX_SIDE_PIXELS) && value % 2 === 0,
  ],
  fps: [`a number from 1 to ${MAX_OUTPUT_FPS}`, (value) => isIn(value, 1, MAX_OUTPUT_FPS)],
  quality: [`one of ${OUTPUT_QUALITIES.join(', ')}`, (value) => isOneOf(value, OUTPUT_QUALITIES)],
  codec: [`one of ${OUTPUT_CODECS.join(', ')}`, (value) => isOneOf(value, OUTPUT_CODECS)],
};

/**
 * Holds the `output` of a request, which may be any JSON, against what can be made of a template; of its fields alone where
 * the template is not known.
 *
 * @returns the problems, each at its JSON pointer from what `output` is a field of
 */
export function checkOutput(output: unknown, template: Omit<OutputBasis, 'stills'> | null): FieldProblem[] {
  if (output === undefined) return [];
  if (!isRecord(output)) return [invalid('', 'output is an object')];
  const problems = Object.entries(output).flatMap(([name, value]) => checkField(name, value));
  const { format = OUTPUT_DEFAULTS.format, codec } = output as OutputRequest;
  if (codec !== undefined && format !== 'mp4') problems.push(invalid('/codec', 'codec is for the format mp4 alone'));
  return problems.length > 0 || template === null ? problems : checkMeasures(output, template);
}

function checkField(name: string, value: unknown): FieldProblem[] {
  const field = Object.hasOwn(FIELDS, name) ? FIELDS[name as keyof OutputRequest] : undefined;
  if (field === undefined) {
    const meant = closestMatch(name.slice(0, 200), Object.keys(FIELDS));
    const detail = `an output has no field ${name}${meant === null ? '' : `; did you mean ${meant}?`}`;
    return [{ code: 'unknown_property', at: jsonPointer(['output', name]), detail }];
  }
  const [expected, holds] = field;
  return holds(value) ? [] : [invalid(`/${name}`, `${name} is ${expected}`)];
}

/** What only the template tells: the width that follows, and the number of frames. */
function checkMeasures(output: OutputRequest, template: Omit<OutputBasis, 'stills'>): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const { width, height, frameCount } = resolveOutput({ ...template, stills: [] }, output);
  if (width > MAX_SIDE_PIXELS) {
    const highest = 2 * Math.floor((MAX_SIDE_PIXELS * template.height) / template.width / 2);
    const detail = `at height ${height} this template would be ${width} pixels wide, more than ${MAX_SIDE_PIXELS}; its height is at most ${highest}`;
    problems.push(invalid('/height', detail));
  }
  if (frameCount > MAX_OUTPUT_FRAMES) {
    const detail = `this template would have ${frameCount} frames, more than ${MAX_OUTPUT_FRAMES}; ask for fewer a second`;
    problems.push(invalid('/fps', detail));
  }
  return problems;
}

function invalid(at: string, detail: string): FieldProblem {
  return { code: 'definition_invalid', at: `/output${at}`, detail };
}

function isOneOf(value: unknown, values: readonly string[]): boolean {
  return values.some((known) => known === value);
}

function isIn(value: unknown, from: number, to: number): value is number {
  return typeof value === 'number' && value >= from && value <= to;
}
