import { captionFormat } from '../../contract/captions/caption-file.ts';
import type { CueChange } from '../../contract/captions/cue.ts';
import { type CueEdit, editCaptions } from '../../contract/captions/edit-captions.ts';
import { readCaptions } from '../../contract/captions/read-captions.ts';
import { editYaml, editYamlList } from '../../kernel/yaml/edit-yaml.ts';
import { parseYaml } from '../../kernel/yaml/parse-yaml.ts';
import type { MapNode, TreeNode } from '../../kernel/yaml/tree.ts';

/**
 * Changes cues in the text of their file: a file of captions, or a definition with lists of cues. Keeps everything else of the text.
 *
 * @returns null if the text has no cue at a position, because it was changed meanwhile
 * @throws RangeError for edits that contradict each other
 */
export function editCues(path: string, text: string, changes: readonly CueChange[]): string | null {
  // Positions count from behind the byte order mark.
  const mark = /^\ufeff?/.exec(text)![0];
  const content = text.slice(mark.length);
  const edited = captionFormat(path) === null ? editList(path, content, changes) : editFile(path, content, changes);
  return edited === null ? null : mark + edited;
}

function editFile(path: string, text: string, changes: readonly CueChange[]): string | null {
  const positions = readCaptions(path, text).cues.map(({ at }) => at.start[0]);
  const edits = changes.map((change) => fileEdit(change, positions.indexOf(placeOf(change))));
  if (changes.some((change) => !positions.includes(placeOf(change)))) return null;
  return editCaptions(path, text, edits);
}

/** Returns the position of the cue that changes, or that a new cue follows. */
function placeOf(change: CueChange): number {
  return change.kind === 'add' ? change.after : change.position;
}

function fileEdit(change: CueChange, index: number): CueEdit {
  switch (change.kind) {
    case 'change': {
      const { position: _position, ...fields } = change;
      return { ...fields, index };
    }
    case 'remove':
      return { kind: 'remove', index };
    case 'add': {
      const { start, end, text } = change;
      return { kind: 'add', after: index, cue: { start, end, text } };
    }
  }
}

/** Edits the list from its end, so that the items before keep their indexes. */
function editList(path: string, text: string, changes: readonly CueChange[]): string | null {
  const parsed = parseYaml(path, text);
  const tree = parsed.ok ? parsed.value : null;
  const placed = changes.flatMap((change) => {
    const found = listedCue(tree, placeOf(change));
    return found === null ? [] : [{ change, list: found.keys.slice(0, -1), index: Number(found.keys.at(-1)) }];
  });
  if (placed.length < changes.length) return null;
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
