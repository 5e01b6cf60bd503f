import type { JSX } from 'preact';
import type { FormField, PreviewError } from '../../protocol.ts';
import { Icon } from '../controls/icon.tsx';

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
