import { useEffect, useRef, useState } from 'preact/hooks';
import type { PreviewError } from '../../problem-protocol.ts';
import { ServerError } from '../server.ts';

export interface Loaded<T> {
  /** The last answer; kept while the next answer is loading, unless another subject was requested. */
  readonly value: T | null;
  readonly error: PreviewError | null;
}

/**
 * Loads a value when its subject changes and again when its version changes.
 *
 * @param subject what is loaded; null for nothing
 */
export function useRequest<T>(subject: string | null, version: unknown, load: () => Promise<T>): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T> & { readonly subject: string | null }>({
    subject: null,
    value: null,
    error: null,
  });
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    if (subject === null) return;
    let isCurrent = true;
    latest.current().then(
      (value) => isCurrent && setLoaded({ subject, value, error: null }),
      (error: unknown) =>
        isCurrent &&
        setLoaded((last) => ({ subject, value: last.subject === subject ? last.value : null, error: errorOf(error) })),
    );
    return () => {
      isCurrent = false;
    };
  }, [subject, version]);
  return loaded.subject === subject ? loaded : { value: null, error: null };
}

/** The reason of a refused request. */
export function errorOf(error: unknown): PreviewError {
  if (error instanceof ServerError) return error.answer;
  return { code: 'preview_failed', message: error instanceof Error ? error.message : String(error), hint: null };
}
