import type { JSX } from 'preact';
import type { FormField } from '../../protocol.ts';
import { contrastOf, formatRgba, parseRgba, type Rgba } from '../color.ts';
import { type ControlProps, Refusal, useSavedValue } from './control.tsx';

/** Contrast that WCAG asks of large text; the text of a video is seldom smaller. */
const ENOUGH = 3;

interface ColorControlProps extends ControlProps {
  /** The other colours of the video, to compare with. */
  readonly otherColors: readonly FormField[];
}

export function ColorControl({ field, id, save, otherColors }: ColorControlProps): JSX.Element {
  const { value, error, change, flush } = useSavedValue(field.value ?? '', (text) => {
    const color = parseRgba(text);
    if (color === null && text !== '') return Promise.reject(new Error(`"${text}" is not a colour such as #FF7A4D.`));
    return save(color === null ? null : formatRgba(color));
  });
  const color = parseRgba(value);
  // An empty value keeps the colour of the template.
  const shown = color ?? parseRgba(field.example ?? '');
  const set = (changed: Partial<Rgba>): void =>
    change(formatRgba({ red: 0, green: 0, blue: 0, alpha: 1, ...color, ...changed }));
  return (
    <>
      <div class="color">
        <input
          type="color"
          aria-label={`${field.label}: pick a colour`}
          value={shown === null ? '#000000' : formatRgba({ ...shown, alpha: 1 }).toLowerCase()}
          onInput={(event) => set({ ...parseRgba(event.currentTarget.value)!, alpha: color?.alpha ?? 1 })}
          onChange={flush}
        />
        <input
          id={id}
          type="text"
          class="color-code"
          value={value}
          placeholder={field.example ?? '#RRGGBB'}
          spellcheck={false}
          aria-invalid={error !== null}
          onInput={(event) => change(event.currentTarget.value)}
          onBlur={flush}
        />
        <label class="alpha">
          Opacity
          <input
            type="range"
            min="0"
            max="1"
            step="0.01"
            value={shown?.alpha ?? 1}
            disabled={color === null}
            onInput={(event) => set({ alpha: Number(event.currentTarget.value) })}
            onChange={flush}
          />
        </label>
      </div>
      {color !== null && <Contrasts color={color} otherColors={otherColors} />}
      <Refusal error={error} />
    </>
  );
}

/** Samples of the colour with each other colour of the video, and their contrast. */
function Contrasts({
  color,
  otherColors,
}: {
  readonly color: Rgba;
  readonly otherColors: readonly FormField[];
}): JSX.Element {
  const solid = formatRgba({ ...color, alpha: 1 });
  return (
    <ul class="contrasts" aria-label="Contrast with the other colours">
      {otherColors.map((field) => {
        const ground = parseRgba(field.value ?? field.example ?? '');
        if (ground === null) return null;
        const contrast = contrastOf(color, ground);
        const background = formatRgba({ ...ground, alpha: 1 });
        return (
          <li
            key={field.key}
            title={`On ${field.label}: ${contrast.toFixed(1)}, ${contrast < ENOUGH ? 'hard to read' : 'readable'}`}
          >
            <span class="sample" aria-hidden="true" style={{ background, color: solid }}>
              Aa
            </span>
            <span class={contrast < ENOUGH ? 'is-low' : ''}>
              <span class="hidden">{field.label}: </span>
              {contrast.toFixed(1)}
              {contrast < ENOUGH && <span class="hidden">, hard to read</span>}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
