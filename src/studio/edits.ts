import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { Result } from '../kernel/diagnostic.ts';
import { editYaml, editYamlList, type YamlEdit, type YamlListEdit } from '../kernel/yaml/edit-yaml.ts';
import { parseYaml } from '../kernel/yaml/parse-yaml.ts';
import { child, type ListNode, type MapNode, type TreeNode, textOf } from '../kernel/yaml/tree.ts';
import { resolvePath } from '../reconciler/definition/definition-file.ts';
import { editCues } from '../reconciler/definition/edit-cues.ts';
import { readCsv } from '../reconciler/definition/read-rows.ts';
import { globBase, isFragment, parseVideoId, titleOf, videoIdHint } from '../reconciler/definition/video.ts';
import { editRows } from '../reconciler/definition/write-rows.ts';
import { speechSoundPath, speechWordsPath } from '../reconciler/speech/spoken-text.ts';
import { diagnosticsJson } from '../report/json/diagnostics-json.ts';
import { definitionTree } from './definition-tree.ts';
import type { EditLog, FileEdit } from './edit-log.ts';
import type {
  CueRequest,
  DuplicateRequest,
  EditAnswer,
  EditRequest,
  FieldEdit,
  NewVideoRequest,
  RowEditRequest,
  SceneListRequest,
  SpeakRequest,
} from './edit-protocol.ts';
import { mediaPath, writtenTransform } from './form-fields.ts';
import type { TranslationRequest } from './language-protocol.ts';
import type { LiveState } from './live-state.ts';
import type { PreviewPorts } from './ports.ts';
import { RequestError } from './request-error.ts';
import { rowTable } from './row-table.ts';
import { isTrackField, sourceFromRoot, trackEdits } from './track-edits.ts';

/** The components that edits need. */
export interface EditContext {
  /** Absolute. */
  readonly root: string;
  readonly live: LiveState;
  readonly log: EditLog;
}

/** Sets values of a definition. */
export function editVideo({ id, changes }: EditRequest, context: EditContext): Promise<EditAnswer> {
  const { path } = context.live.card(id);
  return save(context, async () => {
    const { text } = await readValid(path, context, 'YAML', parseYaml);
    const tree = definitionTree(path, context.live.loaded.project);
    const content = changes.reduce((now, change) => editYaml(now, editsOf(change, now, tree)), text);
    return [{ path, content }];
  });
}

/**
 * Converts the change of a field to edits of the YAML, in the form in which the value is written already.
 *
 * @param tree with the values of fragments
 */
function editsOf({ path, value }: FieldEdit, text: string, tree: MapNode | null): YamlEdit[] {
  const sceneDepth = path[0] === 'scenes' ? 2 : 0;
  const [property = '', key, field, ...deeper] = path.slice(sceneDepth);
  if (key === undefined || (property !== 'resources' && property !== 'audio')) return [{ path, value }];
  const at = path.slice(0, sceneDepth + 2);
  const parsed = parseYaml('', text);
  const node = nodeAt(parsed.ok ? parsed.value : null, at);
  if (field === undefined) {
    if (node?.kind !== 'map' || typeof value === 'object') return [{ path, value }];
    return [{ path: [...at, ...sourcePath(node)], value }];
  }
  if (property === 'audio' && isTrackField(field) && deeper.length === 0)
    return trackEdits({ file: tree?.span.file ?? '', at, name: field, value }, node, nodeAt(tree, at));
  if (field !== 'transform' || deeper.length > 0 || (value !== null && typeof value !== 'object'))
    return [{ path, value }];
  return node === null ? inheritedEdits(at, nodeAt(tree, at), value) : transformEdits(at, node, value);
}

function nodeAt(root: TreeNode | null, path: readonly string[]): TreeNode | null {
  return path.reduce((node, key) => {
    return node?.kind === 'list' ? (node.items[Number(key)] ?? null) : child(node, key);
  }, root);
}

/** Adds a transform to a resource of a fragment: a map is merged with that of the fragment, and a scalar replaces it. */
function inheritedEdits(at: readonly string[], node: TreeNode | null, value: TransformFields | null): YamlEdit[] {
  if (node === null) throw new RequestError('invalid_request', `${at.join('.')} has no value to transform`);
  if (value === null) return [];
  if (node.kind !== 'scalar') return transformEdits(at, node, { ...writtenTransform(node), ...value });
  return [{ path: at, value: { source: sourceFromRoot(node), ...value } }];
}

/** Returns the keys below a resource that lead to its value. */
function sourcePath(node: TreeNode): string[] {
  const source = child(node, 'source');
  return source?.kind === 'map' ? ['source', [...source.entries.keys()][0] ?? 'remote_url'] : ['source'];
}

type TransformFields = Exclude<FieldEdit['value'], string | number | boolean | null>;

/** Replaces the transform of a resource, in `transform` or beside `source`. */
function transformEdits(at: readonly string[], node: TreeNode, value: TransformFields | null): YamlEdit[] {
  const fields = value ?? {};
  const isEmpty = Object.keys(fields).length === 0;
  if (node.kind === 'scalar') return isEmpty ? [] : [{ path: at, value: { source: node.text, ...fields } }];
  const isFull = child(node, 'source')?.kind === 'map' || child(node, 'transform') !== null;
  const fieldsPath = isFull ? [...at, 'transform'] : at;
  const before = isFull ? child(node, 'transform') : node;
  const names = before?.kind === 'map' ? [...before.entries.keys()] : [];
  const removed = names.filter((name) => (isFull || name !== 'source') && !Object.hasOwn(fields, name));
  return [
    ...Object.entries(fields).map(([name, field]) => ({ path: [...fieldsPath, name], value: field })),
    ...removed.map((name) => ({ path: [...fieldsPath, name], value: null })),
  ];
}

/** Reads and parses a file that is edited. @throws RequestError `conflict` */
async function readValid<T>(
  path: string,
  { root }: EditContext,
  format: string,
  parse: (file: string, text: string) => Result<T>,
): Promise<{ readonly text: string; readonly value: T }> {
  const text = await readFile(join(root, path), 'utf8');
  const parsed = parse(path, text);
  if (parsed.ok) return { text, value: parsed.value };
  const problems = diagnosticsJson(parsed.diagnostics, () => text);
  throw new RequestError('conflict', `${path} is not valid ${format}`, { hint: 'Mend the file first', problems });
}

/** Moves, removes or adds a scene. */
export function editScenes({ id, edit }: SceneListRequest, context: EditContext): Promise<EditAnswer> {
  const { path } = context.live.card(id);
  return save(context, async () => {
    const { text, value } = await readValid(path, context, 'YAML', parseYaml);
    const scenes = child(value, 'scenes');
    if (scenes?.kind !== 'list') {
      const hint = 'The list of scenes is in a file that it extends';
      throw new RequestError('invalid_request', `${path} has no list of scenes`, { hint });
    }
    try {
      return [{ path, content: editYamlList(text, ['scenes'], listEdit(edit, scenes, context)) }];
    } catch (error) {
      if (error instanceof RangeError) throw new RequestError('invalid_request', error.message);
      throw error;
    }
  });
}

function listEdit(edit: SceneListRequest['edit'], scenes: ListNode, context: EditContext): YamlListEdit {
  if (edit.kind !== 'add') return edit;
  const { index, template } = edit;
  const taken = new Set(scenes.items.map((scene) => textOf(child(scene, 'id')) ?? textOf(child(scene, 'template'))));
  let id = template;
  for (let number = 2; taken.has(id); number += 1) id = `${template}-${number}`;
  const named = id === template ? {} : { id };
  return { kind: 'insert', index, value: { ...named, template, ...filledTemplate(template, context) } };
}

/** Returns the resources that fill a template with its own values. @throws RequestError `not_found` */
function filledTemplate(name: string, { live }: EditContext): { readonly resources?: Record<string, string> } {
  const template = live.loaded.project.templates.get(name);
  if (template === undefined) throw new RequestError('not_found', `There is no template ${JSON.stringify(name)}`);
  const resources = Object.entries(template.spec.editables).flatMap(([key, editable]): [string, string][] => {
    const { input_type: kind, example_text: example, required } = editable;
    if (kind === 'color') return example === undefined ? [] : [[key, `#${example}`]];
    if (example !== undefined) return [[key, example]];
    const file = required === false ? null : mediaPath(key, template.package);
    return file === null ? [] : [[key, file]];
  });
  return resources.length === 0 ? {} : { resources: Object.fromEntries(resources) };
}

/** Lets a voice speak the text of a track. @throws RequestError `not_found`, `conflict`; ReelformError `speech_failed` */
export async function speakTrack(
  { id, path }: SpeakRequest,
  { live, ports }: EditContext & { readonly ports: Pick<PreviewPorts, 'speak'> },
): Promise<object> {
  const { project } = live.loaded;
  const card = live.card(id);
  const written = child(nodeAt(definitionTree(card.path, project), path), 'speak');
  if (written === null) throw new RequestError('not_found', `${path.join('.')} has no text to speak`);
  const { file, start } = written.span;
  const uses = project.spoken.filter(({ at }) => at.file === file && at.start === start);
  const use = uses.find(({ video }) => video === id) ?? uses.find(({ video }) => video === null);
  if (use === undefined) throw new RequestError('conflict', `The voice of ${path.join('.')} is not known`);
  const { text } = use;
  await ports.speak(text, new AbortController().signal);
  await live.take([speechSoundPath(text), speechWordsPath(text)]);
  return {};
}

/** Changes cues of captions that a video has. @throws RequestError `conflict`, `invalid_request` */
export async function editCuesOf({ id, path, changes }: CueRequest, context: EditContext): Promise<EditAnswer> {
  const { project } = context.live.loaded;
  const { path: definition } = context.live.card(id);
  if (path !== definition && project.origins.get(definition)?.includes(path) !== true)
    throw new RequestError('invalid_request', `${id} is not made from ${JSON.stringify(path)}`);
  return save(context, async () => {
    const bytes = await readFile(join(context.root, path));
    const text = bytes.toString('utf8');
    if (!Buffer.from(text).equals(bytes))
      throw new RequestError('conflict', `${path} is not UTF-8`, { hint: 'Save it as UTF-8 first' });
    try {
      const content = editCues(path, text, changes);
      if (content === null) throw new RequestError('conflict', `${path} was changed meanwhile`, { hint: 'Try again' });
      return [{ path, content }];
    } catch (error) {
      if (error instanceof RangeError) throw new RequestError('invalid_request', error.message);
      throw error;
    }
  });
}

/** Writes a translation into its catalogue or its data file. */
export function editTranslation(
  request: TranslationRequest,
  context: EditContext & { readonly ports: Pick<PreviewPorts, 'languages'> },
): Promise<EditAnswer> {
  const { cell } = request;
  const isInDefinition = cell?.list !== undefined;
  if (isInDefinition) requireDefinition(cell.path, context);
  else if (cell !== undefined) requireCsv(cell.path, context);
  return save(context, async () => {
    // Loads the parsers of catalogues.
    const { editedCell, editedTranslation } = await import('./translation-edits.ts');
    if (cell !== undefined) {
      const { text } = isInDefinition
        ? await readValid(cell.path, context, 'YAML', parseYaml)
        : await readValid(cell.path, context, 'CSV', readCsv);
      return [editedCell({ ...request, cell }, text)];
    }
    return [editedTranslation(request, await context.ports.languages(request.definition))];
  });
}

/** Edits the rows of a CSV file. */
export function editRowsOf({ path, ...edits }: RowEditRequest, context: EditContext): Promise<EditAnswer> {
  requireCsv(path, context);
  return save(context, async () => {
    const { text } = await readValid(path, context, 'CSV', readCsv);
    try {
      return [{ path, content: editRows(text, edits) }];
    } catch (error) {
      if (error instanceof RangeError) throw new RequestError('invalid_request', error.message);
      throw error;
    }
  });
}

/** @throws RequestError `not_found` for a file that no definition reads rows from, `invalid_request` for one that is not CSV */
function requireCsv(path: string, { live }: EditContext): void {
  if (rowTable(path, live.loaded).isEditable) return;
  throw new RequestError('invalid_request', `${path} is not a CSV file`, { hint: 'Edit the file itself' });
}

/** @throws RequestError `not_found` for a file that is neither a definition nor a fragment of one */
function requireDefinition(path: string, { live }: EditContext): void {
  const isRead = [...live.loaded.project.origins.values()].some((files) => files.includes(path));
  if (!isRead || !/\.ya?ml$/i.test(path)) throw new RequestError('not_found', `No definition has rows in ${path}`);
}

/** Writes a definition that fills a template with its own values. */
export function newVideo({ template: name, id }: NewVideoRequest, context: EditContext): Promise<EditAnswer> {
  const { resources = {} } = filledTemplate(name, context);
  const path = newPath(id, context);
  const edits = [
    { path: ['template'], value: name },
    { path: ['title'], value: titleOf(id) },
    ...Object.entries(resources).map(([key, value]) => ({ path: ['resources', key], value })),
  ];
  return save(context, async () => [{ path, content: editYaml('', edits) }]);
}

/** Writes a copy of a definition under another id. */
export function duplicateVideo({ id, newId }: DuplicateRequest, context: EditContext): Promise<EditAnswer> {
  const { path: from } = context.live.card(id);
  const to = newPath(newId, context);
  return save(context, async () => {
    const { text, value } = await readValid(from, context, 'YAML', parseYaml);
    if (child(value, 'each') !== null) {
      const hint = 'Add a row to its data instead';
      throw new RequestError('invalid_request', `${from} makes a video of each row`, { hint });
    }
    const moved = posix.dirname(from) === posix.dirname(to) ? [] : relativePaths(value, []);
    return [{ path: to, content: editYaml(text, [{ path: ['id'], value: null }, ...moved]) }];
  });
}

/** Returns edits that write paths relative to the file from the root of the repository. */
function relativePaths(node: TreeNode | null, path: readonly string[]): YamlEdit[] {
  if (node === null) return [];
  if (node.kind === 'map') return [...node.entries].flatMap(([key, { value }]) => relativePaths(value, [...path, key]));
  if (node.kind === 'list') return node.items.flatMap((item, index) => relativePaths(item, [...path, String(index)]));
  if (!/^\.{1,2}\//.test(node.text)) return [];
  const resolved = resolvePath(node.text, node.baseFile);
  return resolved.ok ? [{ path, value: resolved.path }] : [];
}

/** @throws RequestError `invalid_request`, `conflict` */
function newPath(id: string, { live, root }: EditContext): string {
  if (parseVideoId(id) === null)
    throw new RequestError('invalid_request', `${JSON.stringify(id)} cannot be an id`, { hint: videoIdHint(id) });
  const { videos } = live.loaded.project.config;
  const path = posix.join(globBase(videos), `${id}${posix.extname(videos) || '.yaml'}`);
  if (isFragment(path)) throw new RequestError('invalid_request', 'A name that begins with _ is that of a fragment');
  const isTaken = live.state.videos.some((card) => card.id.toLowerCase() === id.toLowerCase());
  if (isTaken || existsSync(join(root, path))) throw new RequestError('conflict', `There is a video ${id} already`);
  return path;
}

/** Undoes an edit. */
export async function undoEdit(undo: string, { live, log }: EditContext): Promise<EditAnswer> {
  return answer(await log.undo(undo), live);
}

async function save({ live, log }: EditContext, edit: () => Promise<readonly FileEdit[]>): Promise<EditAnswer> {
  return answer(await log.write(edit), live);
}

/** Reads the repository again, so that the answer has the problems of the new files. */
async function answer(written: Pick<EditAnswer, 'undo' | 'files'>, live: LiveState): Promise<EditAnswer> {
  await live.take(written.files);
  const problems = live.state.problems.filter(({ file }) => file !== null && written.files.includes(file));
  return { ...written, problems };
}
