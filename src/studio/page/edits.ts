import { useEffect, useState } from 'preact/hooks';
import type {
  CueRequest,
  EditAnswer,
  EditRequest,
  RowEditRequest,
  SceneListRequest,
  UploadAnswer,
} from '../edit-protocol.ts';
import type { TranslationRequest } from '../language-protocol.ts';
import type { VideoCard } from '../protocol.ts';
import type { SceneBlock, SoundBlock } from '../timeline-protocol.ts';
import { notify, notifyError } from './controls/notices.tsx';
import { postFile, postJson } from './server.ts';
import type { TransformValues } from './transform.ts';

/** Edits of this page that can be undone, and undone edits that can be made again: tokens of the server. */
interface EditHistory {
  readonly undo: readonly string[];
  readonly redo: readonly string[];
  readonly isSaving: boolean;
  readonly files: readonly string[];
}

let history: EditHistory = { undo: [], redo: [], isSaving: false, files: [] };
/** Edits are sent in sequence, so that their tokens are in the order of the edits. */
let queue: Promise<unknown> = Promise.resolve();
const listeners = new Set<(history: EditHistory) => void>();

export function useEdits(): EditHistory {
  const [shown, setShown] = useState(history);
  useEffect(() => {
    setShown(history);
    listeners.add(setShown);
    return () => void listeners.delete(setShown);
  }, []);
  return shown;
}

/** Writes values to a definition. */
export async function saveFields(request: EditRequest): Promise<EditAnswer> {
  return await save('edit', request);
}

/** Moves, removes or adds a scene. */
export async function saveScenes(request: SceneListRequest): Promise<EditAnswer> {
  return await save('scenes', request);
}

/** Writes the length of a scene in seconds; null for its natural length. */
export async function saveLength(
  card: VideoCard,
  { written }: SceneBlock,
  seconds: number | null,
): Promise<EditAnswer> {
  const path = ['scenes', String(written!.index), 'duration'];
  return saveFields({ id: card.id, changes: [{ path, value: seconds && Math.round(seconds * 1000) / 1000 }] });
}

/** Writes the changed fields of a track. @param values of all fields; those at their defaults are absent */
export async function saveTrack(
  card: VideoCard,
  { path, fields }: SoundBlock,
  values: TransformValues,
): Promise<EditAnswer> {
  const names = [...new Set([...Object.keys(fields), ...Object.keys(values)])];
  const changes = names
    .filter((name) => values[name] !== fields[name])
    .map((name) => ({ path: [...path!, name], value: values[name] ?? null }));
  return saveFields({ id: card.id, changes });
}

/** Writes the text of a track, and lets its voice speak it. */
export async function speakTrack(card: VideoCard, { path, speech }: SoundBlock, text: string): Promise<void> {
  const changes = [{ path: [...path!, 'speak'], value: text }];
  if (text !== speech!.text) await saveFields({ id: card.id, changes });
  await enqueue(() => postJson('speak', { id: card.id, path: path! }));
}

/** Changes cues in their file. */
export async function saveCues(request: CueRequest): Promise<EditAnswer> {
  return await save('cues', request);
}

/** Writes a translation into its catalogue. */
export async function saveTranslation(request: TranslationRequest): Promise<EditAnswer> {
  return await save('translation', request);
}

/** Writes cells of a data file. */
export async function saveRows(request: RowEditRequest): Promise<EditAnswer> {
  return await save('rows', request);
}

/** Creates a definition. */
export async function createVideo(kind: 'new' | 'duplicate', request: object): Promise<EditAnswer> {
  return await save(kind, request);
}

/** Stores a file in the repository and returns its path. */
export async function uploadFile(file: File): Promise<string> {
  return (await enqueue(() => postFile<UploadAnswer>('upload', file))).path;
}

/** Undoes the last edit. An edit whose files were changed since is refused and forgotten. */
export async function undoLast(): Promise<void> {
  await revert('undo', 'redo');
}

export async function redoLast(): Promise<void> {
  await revert('redo', 'undo');
}

async function save(name: string, request: object): Promise<EditAnswer> {
  const answer = await enqueue(() => postJson<EditAnswer>(name, request));
  update({ undo: [...history.undo, answer.undo], redo: [], files: answer.files });
  return answer;
}

async function revert(from: 'undo' | 'redo', to: 'undo' | 'redo'): Promise<void> {
  const token = history[from].at(-1);
  if (token === undefined) return;
  update({ [from]: history[from].slice(0, -1) });
  try {
    const answer = await enqueue(() => postJson<EditAnswer>('undo', { undo: token }));
    update({ [to]: [...history[to], answer.undo], files: answer.files });
    notify(`${from === 'undo' ? 'Undone' : 'Done again'} in ${answer.files.join(', ')}`);
  } catch (error) {
    notifyError(error);
  }
}

async function enqueue<T>(send: () => Promise<T>): Promise<T> {
  update({ isSaving: true });
  const result = queue.then(send);
  const settled = result.catch(() => {});
  queue = settled;
  try {
    return await result;
  } finally {
    if (queue === settled) update({ isSaving: false });
  }
}

function update(changed: Partial<EditHistory>): void {
  history = { ...history, ...changed };
  for (const listener of listeners) listener(history);
}
