import { OUTPUT_FIELDS } from '../../contract/fields/output-fields.ts';
import { OUTPUT_DEFAULTS } from '../../contract/wire/defaults.ts';
import { defaultCodec, type NamedOutput, type OutputRequest } from '../../contract/wire/output.ts';
import type { StyleVersion } from '../../contract/wire/style-version.ts';
import { defined } from '../../kernel/defined.ts';
import { type Check, type Diagnostic, errorAt, type Span } from '../../kernel/diagnostic.ts';
import { byCodeUnit, type Json } from '../../kernel/digest.ts';
import { didYouMean } from '../../kernel/hints.ts';
import { child, locateIn, type MapEntry, type MapNode, type TreeNode, textOf, toJson } from '../../kernel/yaml/tree.ts';
import { isTextPath } from './definition-file.ts';
import { type DeliverContext, type PlacedDestination, readDeliver } from './destinations.ts';
import { type FilledCells, filledCells } from './filled-cells.ts';
import { type KnownFonts, type Read, readFont, readResource, readSound } from './read-resource.ts';
import type { Source, Video, VideoId, VideoResource } from './video.ts';

/** Properties of a template that definitions depend on. */
export interface VideoTemplate {
  readonly spec: StyleVersion;
  /** Validates a merged and filled-in definition. */
  readonly check: Check;
  readonly fonts: KnownFonts;
  /** Checks an output with valid fields against the template's size and frame rate. */
  readonly outputProblems: (output: OutputRequest) => readonly OutputProblem[];
}

export interface VideoContext {
  /** Templates whose specification is available. */
  readonly templates: Pick<ReadonlyMap<string, VideoTemplate>, 'get'>;
  /** Names in reelform.yaml; `null` if it cannot be read. */
  readonly templateNames: readonly string[] | null;
  /** Validates a definition whose template is not available. */
  readonly checkAny: Check;
  /** Default output of reelform.yaml. */
  readonly output: OutputRequest | null;
  /** Default outputs of reelform.yaml, instead of `output`. */
  readonly outputs?: readonly NamedOutput[] | null;
  readonly deliver: DeliverContext;
  /** Returns the path of a file as the disk stores it; by default as written. */
  readonly storedPath?: (path: string) => string;
}

/** A reference of a definition to a local file. */
export interface FileUse {
  readonly path: string;
  readonly at: Span;
  /** Name of the row that filled in the path, for messages. */
  readonly row?: string | undefined;
}

/** A video that is checked alone, but not yet compared with other videos. */
export interface Candidate {
  /** `null` if the id is invalid. */
  readonly id: VideoId | null;
  /** The definition's file, repository-relative. */
  readonly path: string;
  /** Location of the video as a whole: its row, its id, or the start of its definition. */
  readonly at: Span;
  /** Name of the data row that defines it, such as `data/stores.csv line 3`. */
  readonly row: string | undefined;
  /** `null` if there is a problem. */
  readonly video: Video | null;
  /** Local files that it uses, also if there are problems. */
  readonly files: readonly FileUse[];
  readonly cells: FilledCells;
  /** Empty if there is a problem. */
  readonly destinations: readonly PlacedDestination[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads a merged and filled-in definition, and checks it against its template.
 *
 * @param written without `id`, `extends` and `each`
 */
export function readVideo(
  written: MapNode,
  named: Pick<Candidate, 'id' | 'path' | 'at' | 'row'>,
  context: VideoContext,
): Candidate {
  const { row } = named;
  const name = textOf(child(written, 'template'));
  const template = name === null ? null : (context.templates.get(name) ?? null);
  const filled = row === undefined || template === null ? null : withoutEmptyCells(written, named.at, template.spec);
  const {
    root,
    missing,
    diagnostics: empty,
  } = filled ?? { root: written, missing: new Set<string>(), diagnostics: [] };
  const locate = locateIn(root);
  const diagnostics: Diagnostic[] = [];
  if (name !== null && context.templateNames?.includes(name) === false) {
    diagnostics.push(unknownTemplate(name, context.templateNames, locate(['template'], 'value').span));
  }
  const json = toJson(root, isTextPath) as { readonly [property: string]: Json };
  const emptySpans = [...missing].map((key) => child(child(root, 'resources'), key)!.span);
  const found = (template?.check ?? context.checkAny)({ resources: {}, ...json }, locate);
  // The schema reports an empty value once more, at the definition.
  diagnostics.push(
    ...empty,
    ...found.filter(({ at }) => ![named.at, ...emptySpans].some((span) => missing.size > 0 && isInside(at, span))),
  );
  const files: FileUse[] = [];
  const incomplete = { ...named, video: null, files, cells: filledCells(root), destinations: [], diagnostics };
  if (template === null || name === null) return incomplete;

  const resources = new Map<string, VideoResource>();
  const take = <T>(read: Read<T>): T | undefined => {
    if (read === null) return undefined;
    const filledBy = read.node.kind === 'scalar' ? read.node.row : undefined;
    if (!read.ok) {
      const { code, message, hint } = read;
      diagnostics.push(errorAt(code, read.node.span, inRow(message, filledBy), hint));
      return undefined;
    }
    const written = pathOf(read.value);
    if (written === null) return read.value;
    const path = context.storedPath?.(written) ?? written;
    files.push({ path, at: read.node.span, row: filledBy });
    return path === written ? read.value : { ...read.value, source: { kind: 'file', path } satisfies Source };
  };
  for (const [key, editable] of Object.entries(template.spec.editables)) {
    const node = child(child(root, 'resources'), key);
    const resource = node === null || missing.has(key) ? undefined : take(readResource(node, editable, template.fonts));
    if (resource !== undefined) resources.set(key, resource);
  }
  const audio = mapOf(child(root, 'audio'), (node) => take(readSound(node)));
  const fonts = mapOf(child(root, 'fonts'), (node) => take(readFont(node, template.fonts)));
  const { output, outputs, ...more } = readOutputs(root, template, context);
  diagnostics.push(...more.diagnostics);
  const { id, path } = named;
  if (id === null || diagnostics.length > 0) return incomplete;
  const undelivered = {
    id,
    path,
    title: textOf(child(root, 'title')) ?? '',
    description: textOf(child(root, 'description')),
    labels: (json.labels ?? {}) as Record<string, string>,
    protect: json.protect === true,
    scenes: [{ id: name, template: name, resources, fonts, audio: new Map() }],
    audio,
    output,
    ...defined({ outputs }),
  };
  const { destinations, ...delivery } = readDeliver(root, undelivered, context.deliver);
  diagnostics.push(...delivery.diagnostics.map((problem) => ({ ...problem, message: inRow(problem.message, row) })));
  if (diagnostics.length > 0) return { ...incomplete, destinations };
  const deliver = destinations.map(({ to, credential }) => ({ to, credential }));
  return { ...incomplete, video: { ...undelivered, deliver }, destinations };
}

function isInside(at: Span | undefined, { file, start, end }: Span): boolean {
  return at?.file === file && at.start >= start && at.start <= end;
}

function pathOf(value: unknown): string | null {
  const source = (value as { readonly source?: Source }).source;
  return source?.kind === 'file' ? source.path : null;
}

/** Appends the name of the row to a message about a value that it filled in. */
export function inRow(message: string, row: string | undefined): string {
  return row === undefined ? message : `${message} (${row})`;
}

/** A field of an output that the template cannot be rendered with. */
export interface OutputProblem {
  readonly field: keyof OutputRequest;
  /** A sentence without its full stop. */
  readonly message: string;
}

/** Reads `output` and `outputs` of a definition that the schema has accepted, or those of reelform.yaml. */
function readOutputs(
  root: MapNode,
  { outputProblems }: VideoTemplate,
  { output: defaultOutput, outputs = null }: VideoContext,
): Pick<Video, 'output' | 'outputs'> & { readonly diagnostics: readonly Diagnostic[] } {
  const output = child(root, 'output');
  const list = child(root, 'outputs');
  if (output !== null && list !== null) {
    const message = 'The definition has both "output" and "outputs"';
    const { span } = locateIn(root)(['outputs'], 'key');
    return { output: null, diagnostics: [errorAt('definition_invalid', span, message, 'Remove one of them')] };
  }
  const named = list !== null ? namedOutputs(list) : output === null ? outputs : null;
  if (named === null) {
    const merged = normaliseOutput({
      ...defaultOutput,
      ...(output === null ? {} : (toJson(output, isTextPath, ['output']) as OutputRequest)),
    });
    const diagnostics = merged === null ? [] : locateProblems(outputProblems(merged), root, null);
    return { output: merged, diagnostics };
  }
  const normal = named.map(({ name, ...fields }) => ({ name, ...normaliseOutput(fields) }));
  const diagnostics = normal.flatMap(({ name, ...fields }, at) => {
    const isTwice = normal.findIndex((earlier) => earlier.name.toLowerCase() === name.toLowerCase()) < at;
    const twice = { field: 'name', message: `two outputs have the name ${name}` } as const;
    return locateProblems([...outputProblems(fields), ...(isTwice ? [twice] : [])], root, at);
  });
  const [{ name: _, ...main } = { name: '' }] = normal;
  return { output: Object.keys(main).length === 0 ? null : main, outputs: normal, diagnostics };
}

/**
 * Removes the default format and codec and orders the fields, so that equal outputs have equal fingerprints.
 *
 * @returns `null` if nothing is left
 */
function normaliseOutput(output: OutputRequest): OutputRequest | null {
  const defaults: OutputRequest = {
    format: OUTPUT_DEFAULTS.format,
    ...defined({ codec: defaultCodec(output.format) }),
  };
  const names = Object.keys(OUTPUT_FIELDS) as (keyof OutputRequest)[];
  const kept = names.filter((name) => output[name] !== undefined && output[name] !== defaults[name]);
  return kept.length === 0 ? null : Object.fromEntries(kept.map((name) => [name, output[name]]));
}

/** @param at index in `outputs`; null for `output` */
function locateProblems(
  problems: readonly (Omit<OutputProblem, 'field'> & { readonly field: string })[],
  root: MapNode,
  at: number | null,
): Diagnostic[] {
  const property = at === null ? 'output' : 'outputs';
  const isOwn = child(root, property) !== null;
  const hint = isOwn ? undefined : `It comes from "${property}" in reelform.yaml; set a different "${property}" here`;
  return problems.map(({ field, message }) => {
    const path = isOwn ? [property, ...(at === null ? [] : [String(at)]), field] : ['template'];
    return errorAt('definition_invalid', locateIn(root)(path, 'value').span, `${property}: ${message}`, hint);
  });
}

/** Leaves out items without a name, which the schema reports. */
function namedOutputs(list: TreeNode): NamedOutput[] {
  const items = toJson(list, isTextPath, ['outputs']);
  if (!Array.isArray(items)) return [];
  return (items as unknown as NamedOutput[]).filter((item) => typeof item?.name === 'string');
}

/** Reads the entries of a map in the order of their names, without invalid entries. */
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

/** Creates the diagnostic for a template that reelform.yaml does not name, with a suggestion. */
export function unknownTemplate(name: string, known: readonly string[], at?: Span): Diagnostic {
  const names =
    known.length > 0 ? `reelform.yaml has ${known.join(', ')}` : 'Define it under "templates" in reelform.yaml';
  const message = `reelform.yaml has no template ${JSON.stringify(name)}`;
  return errorAt('unknown_template', at, message, didYouMean(name, known) ?? names);
}

/** A definition without the values that empty cells left empty. */
interface WithoutEmptyCells {
  readonly root: MapNode;
  /** Keys of required editables whose cells are empty. They stay in `root`. */
  readonly missing: ReadonlySet<string>;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Removes optional values that consist only of columns with empty cells: the template's own value is used instead, and a
 * track or a replaced font is left out. Reports required editables at their row. A text that is written as empty is kept.
 *
 * @param root filled in from the row
 * @param row location of the row
 */
function withoutEmptyCells(root: MapNode, row: Span, { editables }: StyleVersion): WithoutEmptyCells {
  const missing = new Set<string>();
  const diagnostics: Diagnostic[] = [];
  const isKept = (section: string, key: string, value: TreeNode): boolean => {
    const name = emptyRow(value);
    if (name === null) return true;
    const editable = section === 'resources' ? editables[key] : undefined;
    if (section === 'resources' && editable === undefined) return true;
    if (editable === undefined || editable.required === false) return false;
    missing.add(key);
    const shown = editable.label === undefined ? key : `${key} (${editable.label})`;
    const hint = `Fill in the cell, or write "required: false" for ${key} in the template to allow empty cells`;
    diagnostics.push(errorAt('missing_editable', row, `${shown} has no value: its cell is empty (${name})`, hint));
    return true;
  };
  const entries = new Map(root.entries);
  for (const section of ['resources', 'audio', 'fonts']) {
    const entry = entries.get(section);
    if (entry?.value.kind !== 'map') continue;
    const kept = [...entry.value.entries].filter(([key, { value }]) => isKept(section, key, value));
    if (kept.length < entry.value.entries.size) entries.set(section, withEntries(entry, entry.value, kept));
  }
  return { root: { ...root, entries }, missing, diagnostics };
}

function withEntries(entry: MapEntry, map: MapNode, kept: readonly [string, MapEntry][]): MapEntry {
  return { ...entry, value: { ...map, entries: new Map(kept) } };
}

/** Returns the name of the row that left a value empty, in its short or its full form; null for other values. */
function emptyRow(value: TreeNode): string | null {
  if (value.kind === 'scalar') return value.row !== undefined && value.text.trim() === '' ? value.row : null;
  const source = child(value, 'source');
  if (source?.kind === 'scalar') return emptyRow(source);
  const inner = ['text', 'remote_url', 'font'].map((field) => child(source, field)).find((node) => node !== null);
  return inner?.kind === 'scalar' ? emptyRow(inner) : null;
}
