import { serviceError } from '../../service/service-error.ts';

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
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (Array.isArray(value) && value.length === 2) {
      const [createdAt, id] = value as unknown[];
      if (typeof createdAt === 'string' && typeof id === 'string' && new Date(createdAt).toISOString() === createdAt) {
        return { createdAt, id };
      }
    }
  } catch {
    // Invalid JSON or an invalid date.
  }
  throw serviceError('bad_request', 'The cursor is not valid', [
    { code: 'bad_request', pointer: '?cursor', detail: 'Use next_cursor of the previous page, or leave it out' },
  ]);
}
