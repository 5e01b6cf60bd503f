import { serviceError } from '../../../contract/service-error.ts';
import { parseJson } from '../../../kernel/json.ts';

/** Position of the last session of a page. */
interface PageCursor {
  /** ISO 8601 with milliseconds. */
  readonly createdAt: string;
  readonly id: string;
}

/** Encodes a cursor as an opaque, URL-safe text. */
export function writeCursor({ createdAt, id }: PageCursor): string {
  return Buffer.from(JSON.stringify([createdAt, id])).toString('base64url');
}

/** @throws ServiceError 400 for a text that `writeCursor` did not create */
export function readCursor(text: string): PageCursor {
  const value = parseJson(Buffer.from(text, 'base64url').toString());
  const [createdAt, id] = Array.isArray(value) && value.length === 2 ? (value as unknown[]) : [];
  if (typeof createdAt === 'string' && typeof id === 'string' && isTimestamp(createdAt)) return { createdAt, id };
  throw serviceError('bad_request', 'The cursor is not valid', [
    { code: 'bad_request', pointer: '?cursor', detail: 'Use next_cursor of the previous page, or leave it out' },
  ]);
}

function isTimestamp(text: string): boolean {
  const time = new Date(text);
  return !Number.isNaN(time.getTime()) && time.toISOString() === text;
}
