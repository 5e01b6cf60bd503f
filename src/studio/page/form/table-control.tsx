import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { type Field, type Fields, isRelationMet } from '../../../contract/fields/field.ts';
import type { FieldChanges, TransformValues } from '../transform.ts';

/** Returns the names of the fields with a control that the present values and the file allow. */
export function usableFields(fields: Fields, values: TransformValues, isImage: boolean): string[] {
  const names = Object.entries(fields).flatMap(([name, { label, affects, onlyWith }]) => {
    const isAffected = affects === undefined || (affects === 'still images') === isImage;
    const isUsable = onlyWith === undefined || isRelationMet(onlyWith, values, fields);
    return label !== undefined && isAffected && isUsable ? [name] : [];
  });
  return names;
}

export interface FieldsProps {
  readonly values: TransformValues;
  readonly onChange: (changed: FieldChanges) => void;
}

interface TableControlProps extends FieldsProps {
  readonly fields: Fields;
  readonly name: string;
  /** Names to choose from. */
  readonly names?: readonly string[];
}

/** The control of a field of the table, by the kind of its values. */
export function TableControl({ fields, name, names = [], values, onChange }: TableControlProps): JSX.Element {
  const field: Field = fields[name]!;
  const { label = name } = field;
  const value = values[name] ?? field.default;
  const change = (changed: string | number | boolean | undefined): void => onChange({ [name]: changed });
  switch (field.kind) {
    case 'number': {
      const scale = field.unit === 'share' ? 100 : 1;
      return (
        <NumberField
          label={label}
          {...NUMBERS[field.unit ?? 'none']}
          min={scale * (field.min ?? (field.above === undefined ? -1e6 : 1))}
          {...(field.max !== undefined && { max: scale * field.max })}
          value={value === undefined ? null : scale * Number(value)}
          onChange={(typed) => {
            if (typed !== null) change(typed / scale);
            else if (field.default === undefined && field.onlyWith?.isRequired !== true) change(undefined);
          }}
        />
      );
    }
    case 'choice':
      return <ChoiceControl field={field} value={String(value)} disabled={null} onChange={change} />;
    case 'boolean':
      return (
        <label class="check">
          <input
            type="checkbox"
            checked={value === true}
            onChange={({ currentTarget: { checked } }) => change(checked)}
          />
          {label}
        </label>
      );
    case 'color':
      return (
        <label>
          {label}
          <input
            type="color"
            value={`#${String(value ?? '000000')
              .replace('#', '')
              .slice(0, 6)
              .toLowerCase()}`}
            onChange={({ currentTarget: { value: color } }) => change(color.slice(1).toUpperCase())}
          />
        </label>
      );
    case 'text':
    case 'language':
      return (
        <label>
          {label}
          <input
            type="text"
            value={String(value ?? '')}
            onChange={({ currentTarget: { value: text } }) => change(text === '' ? undefined : text)}
          />
        </label>
      );
    case 'names':
      return <NamesControl label={label} value={String(value ?? '')} names={names} onChange={change} />;
  }
}

/** How numbers are typed, by their unit. */
const NUMBERS = {
  seconds: { unit: 's', max: 3600, step: 0.1 },
  pixels: { unit: 'px', max: 100_000 },
  share: { unit: '%', max: 400 },
  percent: { unit: '%', max: 400 },
  LUFS: { unit: 'LUFS', max: 0 },
  dB: { unit: 'dB', max: 60 },
  none: { unit: '', max: 1e6 },
} as const;

interface NamesControlProps {
  readonly label: string;
  /** Separated by commas. */
  readonly value: string;
  readonly names: readonly string[];
  readonly onChange: (value: string | undefined) => void;
}

function NamesControl({ label, value, names, onChange }: NamesControlProps): JSX.Element {
  const chosen = value === '' ? [] : value.split(',');
  const set = (name: string, isChosen: boolean): void => {
    const next = isChosen ? [...chosen, name].sort() : chosen.filter((other) => other !== name);
    onChange(next.length === 0 ? undefined : next.join(','));
  };
  return (
    <fieldset class="names">
      <legend>{label}</legend>
      {[...new Set([...names, ...chosen])].map((name) => (
        <label key={name} class="check">
          <input
            type="checkbox"
            checked={chosen.includes(name)}
            onChange={({ currentTarget: { checked } }) => set(name, checked)}
          />
          {name}
        </label>
      ))}
    </fieldset>
  );
}

interface ChoiceControlProps {
  readonly field: Extract<Field, { readonly kind: 'choice' }>;
  readonly value: string;
  /** A choice that is not possible now. */
  readonly disabled: string | null;
  readonly onChange: (value: string) => void;
}

export function ChoiceControl({ field, value, disabled, onChange }: ChoiceControlProps): JSX.Element {
  return (
    <label>
      {field.label}
      <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {field.values.map((name, index) => (
          <option key={name} value={name} disabled={name === disabled}>
            {field.labels?.[index] ?? name}
          </option>
        ))}
      </select>
    </label>
  );
}

interface NumberFieldProps {
  readonly label: string;
  readonly unit: string;
  /** Null for a field without a value. */
  readonly value: number | null;
  readonly min?: number;
  readonly max: number;
  readonly step?: number;
  /** Receives null if the text is removed. */
  readonly onChange: (value: number | null) => void;
}

/**
 * A number with its unit. Numbers outside the range are not passed on. The text stays as typed, such as `0.`, until the user
 * leaves it.
 */
function NumberField({ label, unit, value, min = 0, max, step = 1, onChange }: NumberFieldProps): JSX.Element {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <label class="number">
      {label}
      <span>
        <input
          type="number"
          min={min}
          max={max}
          step={step}
          value={typed ?? (value === null ? '' : Number(value.toFixed(2)))}
          onInput={({ currentTarget: { value: text, valueAsNumber } }) => {
            setTyped(text);
            if (valueAsNumber >= min && valueAsNumber <= max) onChange(valueAsNumber);
            else if (text === '') onChange(null);
          }}
          onBlur={() => setTyped(null)}
        />
        {unit}
      </span>
    </label>
  );
}
