import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import {
  cssGradient,
  formatRgba,
  formatStops,
  MAX_STOPS,
  parseRgba,
  parseStops,
  type Stop,
  withStop,
} from '../color.ts';
import { type ControlProps, Refusal, useSavedValue } from './control.tsx';

/** The stops of a gradient: a colour and a position each. Without a value, it starts from the gradient of the template. */
export function GradientControl({ field, id, save }: ControlProps): JSX.Element {
  const { value, error, change, commit, flush } = useSavedValue(field.value ?? '', (text) => {
    if (text !== '' && parseStops(text) === null) {
      return Promise.reject(new Error(`"${text}" is not a gradient such as #FF0000 0%, #00FF00 100%.`));
    }
    return save(text === '' ? null : text);
  });
  const stops = parseStops(value) ?? parseStops(field.example ?? '') ?? [];
  return (
    <>
      <div class="gradient">
        <div class="gradient-bar" aria-hidden="true" style={{ background: cssGradient(stops) }} />
        <ol>
          {stops.map((stop, index) => (
            <li key={index} class="color">
              <input
                type="color"
                aria-label={`${field.label}: colour ${index + 1}`}
                value={stop.color.slice(0, 7).toLowerCase()}
                onInput={({ currentTarget: { value: code } }) =>
                  change(formatStops(stops.with(index, { ...stop, color: picked(code, stop) })))
                }
                onChange={flush}
              />
              <PositionInput
                label={`${field.label}: position ${index + 1} in percent`}
                percent={stop.percent}
                onCommit={(percent) => commit(formatStops(stops.with(index, { ...stop, percent })))}
              />
              <span class="calm">%</span>
              {stops.length > 2 && (
                <button type="button" onClick={() => commit(formatStops(stops.toSpliced(index, 1)))}>
                  Remove
                </button>
              )}
            </li>
          ))}
        </ol>
        {stops.length > 1 && stops.length < MAX_STOPS && (
          <button type="button" onClick={() => commit(formatStops(withStop(stops)))}>
            Add a colour
          </button>
        )}
        <input
          id={id}
          type="text"
          class="gradient-code"
          value={value}
          placeholder={field.example ?? '#FF0000 0%, #00FF00 100%'}
          spellcheck={false}
          aria-invalid={error !== null}
          onInput={(event) => change(event.currentTarget.value)}
          onBlur={flush}
        />
      </div>
      <Refusal error={error} />
    </>
  );
}

interface PositionInputProps {
  readonly label: string;
  readonly percent: number;
  readonly onCommit: (percent: number) => void;
}

/** Commits a position when the user leaves it, because the stops are sorted by position. */
function PositionInput({ label, percent, onCommit }: PositionInputProps): JSX.Element {
  const [draft, setDraft] = useState<string | null>(null);
  return (
    <input
      type="number"
      aria-label={label}
      min={0}
      max={100}
      step="any"
      value={draft ?? percent}
      onInput={(event) => setDraft(event.currentTarget.value)}
      onBlur={() => {
        if (draft !== null && draft !== '') onCommit(Math.min(100, Math.max(0, Number(draft))));
        setDraft(null);
      }}
    />
  );
}

/** A colour picker has no opacity: the opacity of the stop is kept. */
function picked(code: string, { color }: Stop): string {
  return formatRgba({ ...parseRgba(code)!, alpha: parseRgba(color)?.alpha ?? 1 });
}
