import type { ComponentProps, JSX } from 'preact';
import { Icon, type IconName } from './icon.tsx';

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'icon' | 'label' | 'size'> {
  readonly icon: IconName;
  readonly label: string;
  readonly size?: number;
}

/** A button that shows an icon only; its name is for screen readers. */
export function IconButton({ icon, label, size = 16, ...button }: IconButtonProps): JSX.Element {
  return (
    <button type="button" class="quiet" aria-label={label} {...button}>
      <Icon name={icon} size={size} />
    </button>
  );
}

/** The link of a page to the wall. */
export function BackLink({ title }: { readonly title?: string }): JSX.Element {
  return (
    <a class="quiet back" href="#/" aria-label="All videos" title={title}>
      <Icon name="back" />
    </a>
  );
}

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  /** Values with their names. */
  readonly options: readonly (readonly [Value, string])[];
  readonly onChoose: (value: Value) => void;
  readonly class?: string;
}

/** A choice between several values. */
export function Choice<Value extends string>(props: ChoiceProps<Value>): JSX.Element {
  return (
    <label class={props.class ?? 'choice'}>
      {props.label}
      <select value={props.value} onChange={(event) => props.onChoose(event.currentTarget.value as Value)}>
        {props.options.map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
