import type { JSX } from 'preact';

interface NumberFieldProps {
  readonly label: string;
  readonly unit: string;
  readonly value: number;
  readonly min?: number;
  readonly max: number;
  readonly step?: number;
  readonly onChange: (value: number) => void;
}

/** A number with its unit. Numbers outside the range are not passed on. */
export function NumberField({ label, unit, value, min = 0, max, step = 1, onChange }: NumberFieldProps): JSX.Element {
  return (
    <label class="number">
      {label}
      <span>
        <input
          type="number"
          min={min}
          max={max}
          step={step}
          value={Number(value.toFixed(2))}
          onInput={({ currentTarget: { valueAsNumber } }) => {
            if (valueAsNumber >= min && valueAsNumber <= max) onChange(valueAsNumber);
          }}
        />
        {unit}
      </span>
    </label>
  );
}
