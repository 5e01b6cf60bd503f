import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { captionFormat } from '../contract/captions/caption-file.ts';
import { type CueEdit, editCaptions } from '../contract/captions/edit-captions.ts';
import { readCaptions } from '../contract/captions/read-captions.ts';
import { editYaml, editYamlList } from '../kernel/yaml/edit-yaml.ts';
import { parseYaml } from '../kernel/yaml/parse-yaml.ts';
import type { MapNode, TreeNode } from '../kernel/yaml/tree.ts';
import type { CueChange, CueRequest } from './edit-protocol.ts';
import { RequestError } from './request-error.ts';

/**
 * Changes cues in the file that they come from: a file of captions, or a list in a definition. Everything else of the file is kept.
 *
 * @param root absolute
 * @returns the new content
 * @throws RequestError `conflict` if the file was changed meanwhile, `invalid_request`
 */
export async function editedCues({ path, changes }: CueRequest, root: string): Promise<string> {
  const bytes = await readFile(join(root, path));
  const text = bytes.toString('utf8');
  if (!Buffer.from(text).equals(bytes)) {
    throw new RequestError('conflict', `${path} is not UTF-8`, { hint: 'Save it as UTF-8 first' });
  }
  // Positions count from behind it.
  const mark = /^\ufeff?/.exec(text)![0];
  const content = text.slice(mark.length);
  const edited = captionFormat(path) === null ? editedList : editedFile;
  return mark + edited(path, content, changes);
}

function editedFile(path: string, text: string, changes: readonly CueChange[]): string {
  const positions = readCaptions(path, text).cues.map(({ at }) => at.start[0]);
  const indexOf = (position: number): number => {
    const index = positions.indexOf(position);
    return index === -1 ? refuseChanged(path) : index;
  };
  return editCaptions(
    path,
    text,
    changes.map((change) => fileEdit(change, indexOf)),
  );
}

function fileEdit(change: CueChange, indexOf: (position: number) => number): CueEdit {
  switch (change.kind) {
    case 'change': {
      const { position, ...fields } = change;
      return { ...fields, index: indexOf(position) };
    }
    case 'remove':
      return { kind: 'remove', index: indexOf(change.position) };
    case 'add': {
      const { start, end, text } = change;
      return { kind: 'add', after: indexOf(change.after), cue: { start, end, text } };
    }
  }
}

/** Edits the list from its end, so that the items before keep their indexes. */
function editedList(path: string, text: string, changes: readonly CueChange[]): string {
  const parsed = parseYaml(path, text);
  if (!parsed.ok) throw new RequestError('conflict', `${path} is not valid YAML`, { hint: 'Mend the file first' });
  const placed = changes.map((change) => {
    const found = listedCue(parsed.value, change.kind === 'add' ? change.after : change.position);
    const { keys } = found ?? refuseChanged(path);
    return { change, list: keys.slice(0, -1), index: Number(keys.at(-1)) };
  });
  placed.sort((a, b) => b.index - a.index);
  return placed.reduce((now, { change, list, index }) => listEdited(now, change, list, index), text);
}

function listEdited(text: string, change: CueChange, list: readonly string[], index: number): string {
  switch (change.kind) {
    case 'change': {
      const { start, end, text: words } = change;
      const fields = Object.entries({ start, end, text: words });
      const edits = fields.flatMap(([name, value]) =>
        value === undefined ? [] : [{ path: [...list, String(index), name], value }],
      );
      return editYaml(text, edits);
    }
    case 'remove':
      return editYamlList(text, list, { kind: 'remove', index });
    case 'add': {
      const { start, end, text: words } = change;
      return editYamlList(text, list, { kind: 'insert', index: index + 1, value: { start, end, text: words } });
    }
  }
}

/** A cue of a list in a definition. */
interface ListedCue {
  /** Keys from the top of the file. */
  readonly keys: readonly string[];
  readonly node: MapNode;
}

/** Returns the cue of a list whose first key is at a position; null if there is none. */
export function listedCue(node: TreeNode | null, position: number): ListedCue | null {
  if (node === null || node.kind === 'scalar') return null;
  const parts: [string, TreeNode][] =
    node.kind === 'list'
      ? node.items.map((item, index) => [String(index), item])
      : [...node.entries].map(([key, { value }]) => [key, value]);
  for (const [key, part] of parts) {
    if (node.kind === 'list' && part.kind === 'map' && isCueAt(part, position)) return { keys: [key], node: part };
    const found = listedCue(part, position);
    if (found !== null) return { ...found, keys: [key, ...found.keys] };
  }
  return null;
}

function isCueAt({ entries }: MapNode, position: number): boolean {
  const first = Math.min(...[...entries.values()].map(({ keySpan }) => keySpan.start));
  return first === position && entries.has('start') && entries.has('text');
}

function refuseChanged(path: string): never {
  throw new RequestError('conflict', `${path} was changed meanwhile`, { hint: 'Try again' });
}
