import type { JSX } from 'preact';
import { setTransform, type TransformValues } from '../transform.ts';
import { NumberField } from './number-field.tsx';

interface SoundTransformProps {
  readonly label: string;
  readonly address: string;
  readonly values: TransformValues;
  readonly onChange: (values: TransformValues) => void;
}

/** Start, volume, fades and repetition of a sound. */
export function SoundTransform({ label, address, values, onChange }: SoundTransformProps): JSX.Element {
  const set = (changed: Partial<TransformValues>): void => {
    const next = setTransform(values, changed);
    const { volume, ...others } = next;
    onChange(volume === 1 ? others : next);
  };
  const seconds = (name: string, title: string): JSX.Element => (
    <NumberField
      label={title}
      unit="s"
      max={3600}
      step={0.1}
      value={Number(values[name] ?? 0)}
      onChange={(value) => set({ [name]: value })}
    />
  );
  return (
    <>
      {/* biome-ignore lint/a11y/useMediaCaption: sounds of videos have no captions. */}
      <audio controls preload="metadata" src={address} aria-label={label} />
      <div class="transform">
        {seconds('trim_start_time', 'Starts at')}
        <NumberField
          label="Volume"
          unit="%"
          max={400}
          value={Number(values.volume ?? 1) * 100}
          onChange={(percent) => set({ volume: percent / 100 })}
        />
        {seconds('fade_in', 'Fade in')}
        {seconds('fade_out', 'Fade out')}
        <label class="check">
          <input
            type="checkbox"
            checked={values.loop === true}
            onChange={({ currentTarget: { checked } }) => set({ loop: checked })}
          />
          Repeat until the end
        </label>
      </div>
    </>
  );
}
