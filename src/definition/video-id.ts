import type { VideoId } from './video.ts';

const MAX_LENGTH = 200;

/**
 * The id in a text; `null` when it is none. Ids name files, so: segments of `A–Z a–z 0–9 . _ -` joined by `/`, none of
 * them empty, `.` or `..`, 200 characters at most.
 */
export function parseVideoId(text: string): VideoId | null {
  if (text.length > MAX_LENGTH) return null;
  const valid = text.split('/').every((segment) => /^[A-Za-z0-9._-]+$/.test(segment) && !/^\.{1,2}$/.test(segment));
  return valid ? (text as VideoId) : null;
}

/** What an id may be, as a hint. */
export const VIDEO_ID_HINT = `An id has letters A–Z, digits, ".", "_", "-", and "/" between its parts; ${MAX_LENGTH} characters at most`;

/**
 * The id that a definition has by its place: the path below the folder where the search began, without the ending.
 * Not checked: a file may have a name that makes no id.
 */
export function idOfPath(path: string, folder: string): string {
  const below = folder === '' || folder === '.' ? path : path.slice(folder.length + 1);
  return below.replace(/\.ya?ml$/i, '');
}

/** Whether the file holds values to extend, and is never a video itself. */
export function isPart(path: string): boolean {
  return path.slice(path.lastIndexOf('/') + 1).startsWith('_');
}
