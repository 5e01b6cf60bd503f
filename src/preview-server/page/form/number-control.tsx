import type { JSX } from 'preact';
import { type ControlProps, Refusal } from './control.tsx';
import { useSavedValue } from './use-saved-value.ts';

/** The coordinates of a point, or the one value of a number. */
const NAMES = { number: [''], point: ['x', 'y'] } as const;

interface NumberControlProps extends ControlProps {
  readonly kind: keyof typeof NAMES;
}

/** One input for a number, two for a point. An empty one keeps the template's own number. */
export function NumberControl({ field, id, save, kind }: NumberControlProps): JSX.Element {
  const { value, error, change, flush } = useSavedValue(field.value ?? '', (text) => save(text === '' ? null : text));
  const numbers = partsOf(value);
  const own = partsOf(field.example ?? '');
  const set = (index: number, text: string): void => {
    const changed = NAMES[kind].map((_, at) => (at === index ? text : (numbers[at] ?? '')));
    const isEmpty = changed.every((one) => one === '');
    change(isEmpty ? '' : changed.map((one, at) => (one === '' ? (own[at] ?? '0') : one)).join(', '));
  };
  return (
    <>
      <div class="numbers">
        {NAMES[kind].map((name, index) => (
          <label key={name}>
            {name !== '' && <span>{name}</span>}
            <input
              id={index === 0 ? id : undefined}
              type="number"
              step="any"
              aria-label={name === '' ? undefined : `${field.label}: ${name}`}
              value={numbers[index] ?? ''}
              placeholder={own[index] ?? ''}
              aria-invalid={error !== null}
              onInput={(event) => set(index, event.currentTarget.value)}
              onBlur={flush}
            />
          </label>
        ))}
      </div>
      <Refusal error={error} />
    </>
  );
}

function partsOf(text: string): string[] {
  return text === '' ? [] : text.split(',').map((one) => one.trim());
}
