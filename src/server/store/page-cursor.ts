import { serviceError } from '../../service/service-error.ts';

/** The last session of a page: the next one begins behind it. */
export interface PageCursor {
  /** ISO 8601 with milliseconds. */
  readonly createdAt: string;
  readonly id: string;
}

/** A text that fits into a URL and means nothing to a client. */
export function writeCursor({ createdAt, id }: PageCursor): string {
  return Buffer.from(JSON.stringify([createdAt, id])).toString('base64url');
}

/** @throws ServiceError 400 for a text that `writeCursor` did not make */
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
    // It is no JSON, or no date.
  }
  throw serviceError('bad_request', 'The cursor is not one that this service gave', [
    { code: 'bad_request', pointer: '?cursor', detail: 'Take next_cursor of the page before, or leave it out' },
  ]);
}
