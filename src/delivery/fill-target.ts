import { safeFileName } from '../safe-file-name.ts';

/** What a service puts into a `to`. */
export interface TargetValues {
  readonly sessionId: string;
  /** Becomes a safe file name. */
  readonly title: string;
  /** Of the finished file, without the dot. */
  readonly extension: string;
  /** When the session was created; milliseconds since the epoch. */
  readonly createdAt: number;
}

/** Placeholders that a service fills, as they stand in a `to` between braces. */
export const SERVICE_PLACEHOLDERS = ['session_id', 'title', 'extension', 'date'] as const;

/**
 * A `to` with its placeholders filled. One that ends with a slash, or has no key at all, gets `{session_id}.{extension}`;
 * what it does not know it leaves as it is. `parseTarget` says of the result whether it can be used: a title could make it
 * too long.
 *
 * @param to that `parseTarget` took with `SERVICE_PLACEHOLDERS`
 */
export function fillTarget(to: string, { sessionId, title, extension, createdAt }: TargetValues): string {
  const values: Readonly<Record<(typeof SERVICE_PLACEHOLDERS)[number], string>> = {
    session_id: sessionId,
    title: safeFileName(title.replaceAll(/[{}]/g, ' ')),
    extension,
    // In UTC.
    date: new Date(createdAt).toISOString().slice(0, 10),
  };
  return wholeOf(to).replaceAll(/\{([a-z_]+)\}/g, (placeholder, name: string) =>
    Object.hasOwn(values, name) ? values[name as keyof typeof values] : placeholder,
  );
}

function wholeOf(to: string): string {
  const file = '{session_id}.{extension}';
  if (/^(?:s3|gs|wasbs):\/\/[^/]+$|^azblob:\/\/[^/]+\/[^/]+$/.test(to)) return `${to}/${file}`;
  return to.endsWith('/') || to === 'file:' ? `${to}${file}` : to;
}
