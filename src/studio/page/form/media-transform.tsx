import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { FormField } from '../../protocol.ts';
import { cropAround, type PictureSize, setTransform, type TransformValues } from '../transform.ts';

interface TransformProps {
  readonly field: FormField;
  readonly address: string;
  readonly values: TransformValues;
  readonly onChange: (values: TransformValues) => void;
}

const STRATEGIES = { cover: 'Fill, crop the rest', contain: 'Show all of it', fill: 'Stretch', manual: 'Crop by hand' };

/** How an image or clip fills its area: the point that stays in view, a rectangle, and for clips their start and volume. */
export function PictureTransform({ field, address, values, onChange }: TransformProps): JSX.Element {
  const [size, setSize] = useState<PictureSize | null>(null);
  const [duration, setDuration] = useState(0);
  // The first attempt is a clip, if it may be one: an editable for clips takes images, too.
  const [isImage, setImage] = useState(field.kind === 'image');
  const [isMissing, setMissing] = useState(false);
  const strategy = String(values.crop_strategy ?? 'cover');
  const set = (changed: Partial<TransformValues>): void => onChange(setTransform(values, changed));
  const area = field.width === null || field.height === null ? null : { width: field.width, height: field.height };

  return (
    <>
      {isMissing ? (
        <p class="media-note">This file cannot be shown.</p>
      ) : (
        <CropArea size={size} area={area} strategy={strategy} values={values} onChange={set}>
          {isImage ? (
            <img
              src={address}
              alt=""
              draggable={false}
              onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
                setSize({ width: naturalWidth, height: naturalHeight })
              }
              onError={() => setMissing(true)}
            />
          ) : (
            <video
              src={`${address}#t=${Number(values.trim_start_time ?? 0)}`}
              muted
              preload="metadata"
              onLoadedMetadata={({ currentTarget: { videoWidth, videoHeight, duration: seconds } }) => {
                setSize({ width: videoWidth, height: videoHeight });
                setDuration(Number.isFinite(seconds) ? seconds : 0);
              }}
              onError={() => setImage(true)}
            />
          )}
        </CropArea>
      )}
      <div class="transform">
        <label>
          Crop
          <select
            value={strategy}
            onChange={({ currentTarget: { value } }) =>
              set(
                value === 'manual' && size !== null
                  ? { crop_strategy: value, ...cropAround(size, area, { x: size.width / 2, y: size.height / 2 }, 1) }
                  : { crop_strategy: value },
              )
            }
          >
            {Object.entries(STRATEGIES).map(([value, name]) => (
              // A crop is in pixels of the picture.
              <option key={value} value={value} disabled={value === 'manual' && size === null}>
                {name}
              </option>
            ))}
          </select>
        </label>
        {strategy === 'cover' &&
          (['X', 'Y'] as const).map((axis) => {
            const name = axis === 'X' ? 'focus_x' : 'focus_y';
            const share = Number(values[name] ?? 0.5);
            return (
              <PercentField key={axis} label={`Focus ${axis}`} name={name} max={100} share={share} onChange={set} />
            );
          })}
        {strategy === 'manual' &&
          (['crop_x', 'crop_y', 'crop_width', 'crop_height'] as const).map((name) => (
            <NumberField
              key={name}
              label={{ crop_x: 'Left', crop_y: 'Top', crop_width: 'Width', crop_height: 'Height' }[name]}
              unit="px"
              min={name.length > 6 ? 1 : 0}
              max={100_000}
              value={Number(values[name] ?? 0)}
              onChange={(pixels) => set({ [name]: pixels })}
            />
          ))}
        {field.kind === 'video' && !isImage && (
          <>
            <label class="trim">
              Starts at {Number(values.trim_start_time ?? 0).toFixed(2)} s
              <input
                type="range"
                min="0"
                max={Math.max(0.1, duration - 0.1)}
                step="0.04"
                value={Number(values.trim_start_time ?? 0)}
                onInput={({ currentTarget: { value } }) => set({ trim_start_time: Number(value) })}
              />
            </label>
            <PercentField label="Volume" name="volume" max={400} share={Number(values.volume ?? 0)} onChange={set} />
          </>
        )}
      </div>
    </>
  );
}

interface CropAreaProps {
  readonly size: PictureSize | null;
  readonly area: PictureSize | null;
  readonly strategy: string;
  readonly values: TransformValues;
  readonly onChange: (changed: Partial<TransformValues>) => void;
  readonly children: JSX.Element;
}

/** The picture with its point of focus or its crop, moved with a pointer. The number fields below do the same by keyboard. */
function CropArea({ size, area, strategy, values, onChange, children }: CropAreaProps): JSX.Element {
  const element = useRef<HTMLDivElement>(null);
  const share = (event: PointerEvent): { x: number; y: number } => {
    const box = element.current!.getBoundingClientRect();
    const clamp = (value: number): number => Math.min(1, Math.max(0, value));
    return { x: clamp((event.clientX - box.left) / box.width), y: clamp((event.clientY - box.top) / box.height) };
  };
  const move = (event: PointerEvent): void => {
    if (size === null || !element.current!.hasPointerCapture(event.pointerId)) return;
    const { x, y } = share(event);
    if (strategy === 'cover') onChange({ focus_x: Number(x.toFixed(3)), focus_y: Number(y.toFixed(3)) });
    else {
      const scale = event.shiftKey ? Math.hypot(x - 0.5, y - 0.5) * 1.4 : currentScale(size, area, values);
      onChange(cropAround(size, area, { x: x * size.width, y: y * size.height }, scale));
    }
  };
  const canMove = size !== null && (strategy === 'cover' || strategy === 'manual');
  const percent = (value: unknown, whole: number): string => `${(Number(value ?? 0) / whole) * 100}%`;
  return (
    <div
      ref={element}
      class={canMove ? 'crop-area can-move' : 'crop-area'}
      title={strategy === 'manual' ? 'Drag to move the crop; with Shift to change its size' : undefined}
      onPointerDown={(event) => {
        if (!canMove) return;
        event.preventDefault();
        element.current!.setPointerCapture(event.pointerId);
        move(event);
      }}
      onPointerMove={move}
    >
      {children}
      {strategy === 'cover' && size !== null && (
        <span
          class="focus-point"
          style={{ left: percent(values.focus_x ?? 0.5, 1), top: percent(values.focus_y ?? 0.5, 1) }}
        />
      )}
      {strategy === 'manual' && size !== null && (
        <span
          class="crop-box"
          style={{
            left: percent(values.crop_x, size.width),
            top: percent(values.crop_y, size.height),
            width: percent(values.crop_width, size.width),
            height: percent(values.crop_height, size.height),
          }}
        />
      )}
    </div>
  );
}

/** Share of the largest possible crop that the present one has. */
function currentScale(size: PictureSize, area: PictureSize | null, values: TransformValues): number {
  const largest = cropAround(size, area, { x: 0, y: 0 }, 1);
  return Math.min(1, Number(values.crop_width ?? largest.crop_width) / largest.crop_width);
}

/** Start, volume, fades and repetition of a sound. */
export function SoundTransform({ field, address, values, onChange }: TransformProps): JSX.Element {
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
      <audio controls preload="metadata" src={address} aria-label={field.label} />
      <div class="transform">
        {seconds('trim_start_time', 'Starts at')}
        <PercentField label="Volume" name="volume" max={400} share={Number(values.volume ?? 1)} onChange={set} />
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

interface PercentFieldProps {
  readonly label: string;
  /** Field of the transform, whose value is a share. */
  readonly name: string;
  readonly max: number;
  readonly share: number;
  readonly onChange: (changed: Partial<TransformValues>) => void;
}

function PercentField({ label, name, max, share, onChange }: PercentFieldProps): JSX.Element {
  const change = (percent: number): void => onChange({ [name]: percent / 100 });
  return <NumberField label={label} unit="%" max={max} value={share * 100} onChange={change} />;
}

interface NumberFieldProps {
  readonly label: string;
  readonly unit: string;
  readonly value: number;
  readonly min?: number;
  readonly max: number;
  readonly step?: number;
  readonly onChange: (value: number) => void;
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
          value={typed ?? Number(value.toFixed(2))}
          onInput={({ currentTarget: { value: text, valueAsNumber } }) => {
            setTyped(text);
            if (valueAsNumber >= min && valueAsNumber <= max) onChange(valueAsNumber);
          }}
          onBlur={() => setTyped(null)}
        />
        {unit}
      </span>
    </label>
  );
}
