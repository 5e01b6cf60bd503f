import type { Field, Fields } from '../contract/fields/field.ts';
import { TRACK_FIELDS } from '../contract/fields/transform-fields.ts';
import type { YamlEdit, YamlValue } from '../kernel/yaml/edit-yaml.ts';
import { child, type ScalarNode, type TreeNode } from '../kernel/yaml/tree.ts';
import { resolvePath } from '../reconciler/definition/definition-file.ts';
import { RequestError } from './request-error.ts';

/** A field of a track with its new value; null removes it. */
interface TrackChange {
  /** Path of the definition. */
  readonly file: string;
  /** Keys that lead to the track. */
  readonly at: readonly string[];
  /** Name in `TRACK_FIELDS`. */
  readonly name: string;
  readonly value: YamlValue | null;
}

/** Returns whether a name is that of a field of a track. */
export function isTrackField(name: string): boolean {
  return Object.hasOwn(TRACK_FIELDS, name);
}

/**
 * Converts the change of a track's field to edits of the YAML, in the form in which the track is written.
 *
 * @param own the track in the definition; null if it comes from a fragment
 * @param merged the track with the values of fragments
 * @throws RequestError `invalid_request`
 */
export function trackEdits(
  { file, at, name, value }: TrackChange,
  own: TreeNode | null,
  merged: TreeNode | null,
): YamlEdit[] {
  const track = own ?? merged;
  if (track === null) throw new RequestError('invalid_request', `There is no track ${at.join('.')}`);
  const field = (TRACK_FIELDS as Fields)[name]!;
  if (track.kind !== 'map') {
    if (value === null || track.kind !== 'scalar') return [];
    // The short form has only a source, and a scalar replaces the track of a fragment.
    const source = own === null ? sourceFromRoot(track) : track.text;
    return [{ path: at, value: { source } }, fieldEdit(at, name, field, value)];
  }
  const isFull = child(track, 'source')?.kind === 'map' || track.entries.has('transform');
  const edit = fieldEdit(isFull ? [...at, 'transform'] : at, name, field, value);
  const keys = edit.path.slice(at.length);
  const present = keys.reduce(child, merged);
  if (edit.value !== null || present === null || present.span.file === file) return [edit];
  // The default hides the value of a fragment.
  if (field.default !== undefined) return [{ ...edit, value: field.default }];
  const hint = 'Remove it there';
  throw new RequestError('invalid_request', `${[...at, ...keys].join('.')} is the value of a fragment`, { hint });
}

function fieldEdit(at: readonly string[], name: string, { group, kind }: Field, value: YamlValue | null): YamlEdit {
  if (group === undefined) return { path: [...at, name], value };
  // Without names, a track is not lowered at all.
  if (kind === 'names' && (value === null || value === '')) return { path: [...at, group], value: null };
  const path = [...at, group, name.slice(group.length + 1)];
  if (kind !== 'names') return { path, value };
  const names = String(value).split(',');
  return { path, value: names.length === 1 ? names[0]! : names };
}

/** Returns the source of a fragment for another file: a path from the root of the repository, or a URL. */
export function sourceFromRoot({ text, baseFile }: Pick<ScalarNode, 'text' | 'baseFile'>): string {
  if (/^[a-z][a-z0-9+.-]+:/i.test(text)) return text;
  const resolved = resolvePath(text, baseFile);
  return resolved.ok ? resolved.path : text;
}
