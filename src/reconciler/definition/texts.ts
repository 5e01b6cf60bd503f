import type { Editable } from '../../contract/wire/style-version.ts';
import { defined } from '../../kernel/defined.ts';
import { child, type MapEntry, type MapNode, type ScalarNode, type TreeNode, textOf } from '../../kernel/yaml/tree.ts';
import { writtenId } from './merge-definitions.ts';
import type { SceneContext } from './read-scene.ts';

/** A text of a definition that a viewer sees or hears. */
export interface TextPlace {
  /** Names it in its video: `t_01`, `product.t_01`, `@title`, `@audio.line`, `@captions.2`. */
  readonly key: string;
  /** Keys from the root of the definition. */
  readonly path: readonly string[];
  readonly node: ScalarNode;
  /** Absent for titles, cues and speech. */
  readonly editable?: Editable;
  /** Name of the template of the editable, if it is written. */
  readonly template?: string;
}

type Templates = Pick<SceneContext, 'templates' | 'templateNames'>;

/** Returns the node that replaces a text. */
type Visit = (place: TextPlace) => ScalarNode;

/**
 * Replaces the texts of a definition: its title, the texts of its templates, its cues, and what is spoken. Leaves out texts with `translate: false`,
 * and those without words: placeholders, numbers and URLs.
 *
 * @param root extended, not filled in
 */
export function mapTexts(root: MapNode, templates: Templates, visit: Visit): MapNode {
  const mapValues = (entries: Map<string, MapEntry>, { path, prefix, editableOf }: Section): void => {
    mapEntry(entries, 'resources', (resources) =>
      mapEach(resources, (key, value) => {
        const [editable, template] = editableOf(key);
        if (editable?.input_type !== 'text') return value;
        const place = { key: `${prefix}${key}`, editable, ...defined({ template: template ?? undefined }) };
        return mapValue(value, [...path, 'resources', key], place, visit);
      }),
    );
    mapEntry(entries, 'audio', (tracks) =>
      mapEach(tracks, (name, track) => mapTrack(track, [...path, 'audio', name], `@${prefix}audio.${name}`, visit)),
    );
    mapEntry(entries, 'captions', (captions) =>
      mapCues(captions, [...path, 'captions', 'from'], `@${prefix}captions`, visit),
    );
  };
  const entries = new Map(root.entries);
  mapEntry(entries, 'title', (title) => visited(title, { key: '@title', path: ['title'] }, visit));
  const scenes = child(root, 'scenes');
  const names =
    scenes?.kind === 'list'
      ? scenes.items.map((scene) => textOf(child(scene, 'template')))
      : [textOf(child(root, 'template'))];
  mapValues(entries, { path: [], prefix: '', editableOf: (key) => findEditable(key, names, templates) });
  if (scenes?.kind === 'list') {
    const items = scenes.items.map((scene, index) => {
      if (scene.kind !== 'map') return scene;
      const own = new Map(scene.entries);
      const path = ['scenes', String(index)];
      const editableOf: Section['editableOf'] = (key) => findEditable(key, [names[index] ?? null], templates);
      mapValues(own, { path, prefix: `${writtenId(scene) ?? index}.`, editableOf });
      return { ...scene, entries: own };
    });
    entries.set('scenes', { ...root.entries.get('scenes')!, value: { ...scenes, items } });
  }
  return { ...root, entries };
}

/** Values of a definition or of one of its scenes. */
interface Section {
  readonly path: readonly string[];
  /** Of the names of its values. */
  readonly prefix: string;
  editableOf(key: string): readonly [editable: Editable | null, template: string | null];
}

/** Finds an editable in the first template that has it. A template that a column names may be any. */
function findEditable(
  key: string,
  names: readonly (string | null)[],
  { templates, templateNames }: Templates,
): readonly [Editable | null, string | null] {
  for (const name of names) {
    if (name === null) continue;
    const candidates = name.includes('${') ? (templateNames ?? []) : [name];
    for (const candidate of candidates) {
      const editable = templates.get(candidate)?.spec.editables[key];
      if (editable !== undefined) return [editable, name.includes('${') ? null : candidate];
    }
  }
  return [null, null];
}

function mapEntry(entries: Map<string, MapEntry>, name: string, map: (node: TreeNode) => TreeNode): void {
  const entry = entries.get(name);
  const value = entry === undefined ? undefined : map(entry.value);
  if (entry !== undefined && value !== entry.value) entries.set(name, { ...entry, value: value! });
}

function mapEach(node: TreeNode, map: (key: string, value: TreeNode) => TreeNode): TreeNode {
  if (node.kind !== 'map') return node;
  const entries = new Map(node.entries);
  for (const [key, entry] of node.entries) {
    const value = map(key, entry.value);
    if (value !== entry.value) entries.set(key, { ...entry, value });
  }
  return { ...node, entries };
}

/** Maps a text in its short form, or in its full form `{source: {text}}`. */
function mapValue(
  value: TreeNode,
  path: readonly string[],
  place: Omit<TextPlace, 'path' | 'node'>,
  visit: Visit,
): TreeNode {
  if (value.kind === 'scalar') return visited(value, { ...place, path }, visit);
  if (textOf(child(value, 'translate')) === 'false') return value;
  return mapEach(value, (field, source) => {
    if (field !== 'source') return source;
    return mapEach(source, (name, text) => {
      return name === 'text' ? visited(text, { ...place, path: [...path, 'source', 'text'] }, visit) : text;
    });
  });
}

/** Maps what a track speaks, and what its captions show instead. */
function mapTrack(track: TreeNode, path: readonly string[], key: string, visit: Visit): TreeNode {
  return mapEach(track, (field, value) => {
    if (field !== 'speak' && field !== 'caption') return value;
    const name = field === 'speak' ? key : `${key}.caption`;
    return visited(value, { key: name, path: [...path, field] }, visit);
  });
}

/** Maps the texts of cues that the definition itself has. They are named by their number, from 1. */
function mapCues(captions: TreeNode, path: readonly string[], key: string, visit: Visit): TreeNode {
  return mapEach(captions, (field, from) => {
    if (field !== 'from' || from.kind !== 'list') return from;
    const items = from.items.map((cue, index) =>
      mapEach(cue, (name, value) => {
        const place = { key: `${key}.${index + 1}`, path: [...path, `${index}`, 'text'] };
        return name === 'text' ? visited(value, place, visit) : value;
      }),
    );
    return { ...from, items };
  });
}

function visited(node: TreeNode, place: Omit<TextPlace, 'node'>, visit: Visit): TreeNode {
  return node.kind === 'scalar' && textOf(node) !== null && hasWords(node.text) ? visit({ ...place, node }) : node;
}

/** Returns whether a text has words besides placeholders, numbers and URLs. */
export function hasWords(text: string): boolean {
  const isPlain = !text.includes('${') && !text.includes('://') && !text.includes('www.');
  return /\p{L}/u.test(isPlain ? text : text.replaceAll(/\$\{[^{}]*\}|\b(?:https?:\/\/|www\.)\S+/g, ''));
}

/** Returns the value at a path; null if the tree has none. */
export function nodeAt(root: TreeNode, path: readonly string[]): TreeNode | null {
  let node: TreeNode | null = root;
  for (const key of path) node = node?.kind === 'list' ? (node.items[Number(key)] ?? null) : child(node, key);
  return node;
}
