import type { Diagnostic } from '../diagnostic.ts';
import { byCodeUnit } from '../digest.ts';
import { OUTPUT_DEFAULTS } from '../wire/defaults.ts';
import type { OutputRequest } from '../wire/output.ts';
import { child, locateIn, type MapNode, type TreeNode, toJson } from '../yaml/tree.ts';
import { isTextPath } from './definition-file.ts';
import { type KnownFonts, type Read, readFont, readSound } from './read-resource.ts';
import type { Video } from './video.ts';

/** What a definition says beside what fills the editables. */
interface Additions extends Pick<Video, 'audio' | 'fonts' | 'output'> {
  readonly diagnostics: readonly Diagnostic[];
}

/** What of an output, whose fields are each as they may be, cannot be made of a template. */
export interface OutputProblem {
  readonly field: keyof OutputRequest;
  /** A sentence without its full stop. */
  readonly message: string;
}

interface AdditionContext {
  readonly knownFonts: KnownFonts;
  readonly outputProblems: (output: OutputRequest) => readonly OutputProblem[];
  /** What reelform.yaml says of every video. */
  readonly output: OutputRequest | null;
  /** Takes a value that was read; undefined where it is none. */
  take<T>(read: Read<T>): T | undefined;
}

/** Reads `audio`, `fonts` and `output` of a definition that is merged and filled in; wrong forms were refused by its schema. */
export function readAdditions(root: MapNode, context: AdditionContext): Additions {
  const { knownFonts, output, take } = context;
  const audio = mapOf(child(root, 'audio'), (node) => take(readSound(node)));
  const fonts = mapOf(child(root, 'fonts'), (node) => take(readFont(node, knownFonts)));
  const own = child(root, 'output');
  const merged = normaliseOutput({ ...output, ...(own === null ? {} : (toJson(own, atOutput) as OutputRequest)) });
  const diagnostics = merged === null ? [] : locateProblems(context.outputProblems(merged), root);
  return { audio, fonts, output: merged, diagnostics };
}

/**
 * An output with what says nothing left out, its fields in one order.
 *
 * @returns `null` where nothing is left
 */
function normaliseOutput({ format, height, fps, quality, codec }: OutputRequest): OutputRequest | null {
  const output: OutputRequest = {
    ...(format === undefined || format === OUTPUT_DEFAULTS.format ? {} : { format }),
    ...(height === undefined ? {} : { height }),
    ...(fps === undefined ? {} : { fps }),
    ...(quality === undefined ? {} : { quality }),
    ...(codec === undefined || codec === OUTPUT_DEFAULTS.codec ? {} : { codec }),
  };
  return Object.keys(output).length === 0 ? null : output;
}

function locateProblems(problems: readonly OutputProblem[], root: MapNode): Diagnostic[] {
  const isOwn = child(root, 'output') !== null;
  return problems.map(({ field, message }) => ({
    code: 'definition_invalid',
    severity: 'error',
    message: `output: ${message}`,
    hint: isOwn ? undefined : 'It is what reelform.yaml says of every video; write another "output" here',
    at: locateIn(root)(isOwn ? ['output', field] : ['template'], 'value').span,
  }));
}

function atOutput(path: readonly string[]): boolean {
  return isTextPath(['output', ...path]);
}

/** The entries of a map that can be read, in the order of their names. */
function mapOf<T>(node: TreeNode | null, read: (value: TreeNode) => T | undefined): Map<string, T> {
  if (node?.kind !== 'map') return new Map();
  const entries = [...node.entries].sort(([a], [b]) => byCodeUnit(a, b));
  return new Map(
    entries.flatMap(([name, entry]): [string, T][] => {
      const value = read(entry.value);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
