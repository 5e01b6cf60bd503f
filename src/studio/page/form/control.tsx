import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { PreviewError } from '../../problem-protocol.ts';
import type { FormField } from '../../protocol.ts';
import { Icon } from '../controls/icon.tsx';
import { errorOf } from '../controls/use-request.ts';

/** Writes the value of a field. */
export type Save = (value: string | null) => Promise<unknown>;

/** Properties of the control of each kind of field. */
export interface ControlProps {
  readonly field: FormField;
  /** Of the element that the label names. */
  readonly id: string;
  readonly save: Save;
}

/** Why a value was not saved. */
export function Refusal({ error }: { readonly error: PreviewError | null }): JSX.Element | null {
  if (error === null) return null;
  return (
    <p class="field-note" role="alert">
      <Icon name="error" size={14} />
      {error.message} {error.hint}
    </p>
  );
}

interface Limit {
  readonly length: number;
  readonly maxLength: number | null;
  readonly isTooLong: boolean;
}

/** Counts the code points of a text. */
export function textLimit(text: string, maxLength: number | null): Limit {
  const { length } = [...text];
  return { length, maxLength, isTooLong: maxLength !== null && length > maxLength };
}

/** How much of the longest text is used; nothing without a limit. @param id that describes the field */
export function TextLimit({ id, limit }: { readonly id: string; readonly limit: Limit }): JSX.Element | null {
  const { length, maxLength, isTooLong } = limit;
  if (maxLength === null) return null;
  return (
    <span class="text-length" id={id}>
      <meter min={0} max={1} low={0.85} high={0.999} optimum={0} value={Math.min(1, length / maxLength)} aria-hidden />
      {length} / {maxLength}
      {isTooLong && <b> · {length - maxLength} too long</b>}
    </span>
  );
}

interface SavedValue<T> {
  readonly value: T;
  /** Why the last save was refused. */
  readonly error: PreviewError | null;
  /** Changes the value and saves it after a pause. */
  readonly change: (value: T) => void;
  /** Changes the value and saves it now. */
  readonly commit: (value: T) => void;
  /** Saves a pending change now. */
  readonly flush: () => void;
}

const PAUSE_MS = 350;

/**
 * A value that is saved while the user edits it. A value that arrives from the server replaces it, except while a change is
 * pending: what the user types always wins.
 */
export function useSavedValue<T>(saved: T, save: (value: T) => Promise<unknown>): SavedValue<T> {
  const [value, setValue] = useState(saved);
  const [error, setError] = useState<PreviewError | null>(null);
  const pending = useRef<{ timer: number; value: T } | null>(null);
  const sending = useRef(0);
  const latestSave = useRef(save);
  latestSave.current = save;

  const flush = (): void => {
    if (pending.current === null) return;
    clearTimeout(pending.current.timer);
    const sent = pending.current.value;
    pending.current = null;
    sending.current++;
    latestSave
      .current(sent)
      .then(
        () => setError(null),
        (reason: unknown) => setError(errorOf(reason)),
      )
      .finally(() => sending.current--);
  };
  useEffect(() => {
    if (pending.current !== null || sending.current > 0) return;
    setValue(saved);
    setError(null);
  }, [saved]);
  // A change that is pending when the field disappears is saved, too.
  useEffect(() => flush, []);
  const change = (next: T): void => {
    setValue(next);
    clearTimeout(pending.current?.timer);
    pending.current = { timer: setTimeout(flush, PAUSE_MS), value: next };
  };
  const commit = (next: T): void => {
    change(next);
    flush();
  };
  return { value, error, change, commit, flush };
}
