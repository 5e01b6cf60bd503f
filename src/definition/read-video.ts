import type { Check, Diagnostic, Span } from '../diagnostic.ts';
import { byCodeUnit, type Json } from '../digest.ts';
import { closestMatch } from '../hints.ts';
import { OUTPUT_DEFAULTS } from '../wire/defaults.ts';
import type { OutputRequest } from '../wire/output.ts';
import type { StyleVersion } from '../wire/style-version.ts';
import { child, locateIn, type MapNode, type TreeNode, textOf, toJson } from '../yaml/tree.ts';
import { isTextPath } from './definition-file.ts';
import type { DeliverContext } from './destinations.ts';
import { type KnownFonts, type Read, readFont, readResource, readSound } from './read-resource.ts';
import type { Source, Video, VideoResource } from './video.ts';

/** What the definitions have to know of a template. */
export interface VideoTemplate {
  readonly spec: StyleVersion;
  /** Holds a merged and filled-in definition against the template's schema. */
  readonly check: Check;
  /** The fonts that a definition can name; `null` where that is not known. */
  readonly fonts: KnownFonts;
  /** What of an output, whose fields are each as they may be, cannot be made of it. */
  readonly outputProblems: (output: OutputRequest) => readonly OutputProblem[];
}

export interface VideoContext {
  /** Those whose specification is there. */
  readonly templates: Pick<ReadonlyMap<string, VideoTemplate>, 'get'>;
  /** All that reelform.yaml names; `null` when it cannot be read. */
  readonly templateNames: readonly string[] | null;
  /** For a definition without a template that could be used. */
  readonly checkAny: Check;
  /** What reelform.yaml says of every video. */
  readonly output: OutputRequest | null;
  /** What it says of deliveries. */
  readonly deliver: DeliverContext;
}

/** A file that a video uses, and where the definition says so. */
export interface FileUse {
  readonly path: string;
  readonly at: Span;
  /** The row that filled in the path, for messages. */
  readonly row?: string | undefined;
}

export interface ReadVideo {
  /** Everything but what its id is needed for; `null` when something is wrong. */
  readonly video: Omit<Video, 'id' | 'deliver'> | null;
  readonly files: readonly FileUse[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads a definition that is merged and filled in, and checks it against its template.
 *
 * @param path the file that makes the video
 * @param root without `id`, `extends` and `each`
 */
export function readVideo(path: string, root: MapNode, context: VideoContext): ReadVideo {
  const locate = locateIn(root);
  const name = textOf(child(root, 'template'));
  const diagnostics: Diagnostic[] = [];
  if (name !== null && context.templateNames?.includes(name) === false) {
    diagnostics.push(unknownTemplate(name, context.templateNames, locate(['template'], 'value').span));
  }
  const template = name === null ? null : (context.templates.get(name) ?? null);
  const json = toJson(root, isTextPath) as { readonly [property: string]: Json };
  diagnostics.push(...(template?.check ?? context.checkAny)({ resources: {}, ...json }, locate));
  if (template === null || name === null) return { video: null, files: [], diagnostics };

  const resources = new Map<string, VideoResource>();
  const files: FileUse[] = [];
  const take = <T>(read: Read<T>): T | undefined => {
    if (read === null) return undefined;
    const row = read.node.kind === 'scalar' ? read.node.row : undefined;
    if (!read.ok) {
      const { code, message, hint } = read;
      diagnostics.push({ code, severity: 'error', message: inRow(message, row), hint, at: read.node.span });
      return undefined;
    }
    const path = pathOf(read.value);
    if (path !== null) files.push({ path, at: read.node.span, row });
    return read.value;
  };
  for (const [key, editable] of Object.entries(template.spec.editables)) {
    const node = child(child(root, 'resources'), key);
    const resource = node === null ? undefined : take(readResource(node, editable, template.fonts));
    if (resource !== undefined) resources.set(key, resource);
  }
  const { audio, fonts, output, ...more } = readAdditions(root, {
    knownFonts: template.fonts,
    outputProblems: template.outputProblems,
    output: context.output,
    take,
  });
  diagnostics.push(...more.diagnostics);
  if (diagnostics.length > 0) return { video: null, files, diagnostics };
  const video = {
    path,
    template: name,
    title: textOf(child(root, 'title')) ?? '',
    description: textOf(child(root, 'description')),
    labels: (json.labels ?? {}) as Record<string, string>,
    protect: json.protect === true,
    resources,
    audio,
    fonts,
    output,
  };
  return { video, files, diagnostics };
}

function pathOf(value: unknown): string | null {
  const source = (value as { readonly source?: Source }).source;
  return source?.kind === 'file' ? source.path : null;
}

/** Adds the row of data to a message about a value that it filled in. */
export function inRow(message: string, row: string | undefined): string {
  return row === undefined ? message : `${message} (${row})`;
}

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
function readAdditions(root: MapNode, context: AdditionContext): Additions {
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

/** Says that reelform.yaml names no such template, and which one was probably meant. */
export function unknownTemplate(name: string, known: readonly string[], at?: Span): Diagnostic {
  const meant = closestMatch(name, known);
  const names =
    known.length > 0 ? `reelform.yaml names ${known.join(', ')}` : 'Name it under "templates" in reelform.yaml';
  const hint = meant === null ? names : `Did you mean ${meant}?`;
  const message = `reelform.yaml names no template ${JSON.stringify(name)}`;
  return { code: 'unknown_template', severity: 'error', message, hint, at };
}
