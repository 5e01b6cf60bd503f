import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { type Field, type Fields, isRelationMet } from '../../../contract/fields/field.ts';
import { TRANSFORM_FIELDS, type TransformedKind } from '../../../contract/fields/transform-fields.ts';
import type { FormField } from '../../protocol.ts';
import { cropAround, type PictureSize, setTransform, type TransformValues } from '../transform.ts';

interface TransformProps {
  readonly field: FormField;
  readonly address: string;
  readonly values: TransformValues;
  readonly onChange: (values: TransformValues) => void;
}

/** How an image or clip fills its area: the point that stays in view, a rectangle, and for clips their start and volume. */
export function PictureTransform({ field, address, values, onChange }: TransformProps): JSX.Element {
  const [size, setSize] = useState<PictureSize | null>(null);
  const [duration, setDuration] = useState(0);
  // The first attempt is a clip if clips are allowed: an editable for clips also accepts images.
  const [isImage, setImage] = useState(field.kind === 'image');
  const [isMissing, setMissing] = useState(false);
  const strategy = String(values.crop_strategy ?? 'cover');
  const kind = field.kind === 'image' ? 'image' : 'video';
  const set = (changed: Partial<TransformValues>): void => onChange(setTransform(kind, values, changed));
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
        <ChoiceControl
          field={TRANSFORM_FIELDS.image.crop_strategy}
          value={strategy}
          // A crop is in pixels of the picture.
          disabled={size === null ? 'manual' : null}
          onChange={(value) =>
            set(
              value === 'manual' && size !== null
                ? { crop_strategy: value, ...cropAround(size, area, { x: size.width / 2, y: size.height / 2 }, 1) }
                : { crop_strategy: value },
            )
          }
        />
        {usableFields(kind, values, isImage)
          .filter((name) => name !== 'crop_strategy')
          .map((name) =>
            name === 'trim_start_time' ? (
              <TrimControl key={name} values={values} duration={duration} onChange={set} />
            ) : (
              <FieldControl key={name} kind={kind} name={name} values={values} onChange={set} />
            ),
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

/** Returns the size of the present crop, as a share of the largest possible crop. */
function currentScale(size: PictureSize, area: PictureSize | null, values: TransformValues): number {
  const largest = cropAround(size, area, { x: 0, y: 0 }, 1);
  return Math.min(1, Number(values.crop_width ?? largest.crop_width) / largest.crop_width);
}

/** Start, volume, fades and repetition of a sound. */
export function SoundTransform({ field, address, values, onChange }: TransformProps): JSX.Element {
  const set = (changed: Partial<TransformValues>): void => onChange(setTransform('audio', values, changed));
  return (
    <>
      {/* biome-ignore lint/a11y/useMediaCaption: sounds of videos have no captions. */}
      <audio controls preload="metadata" src={address} aria-label={field.label} />
      <div class="transform">
        {usableFields('audio', values, false).map((name) => (
          <FieldControl key={name} kind="audio" name={name} values={values} onChange={set} />
        ))}
      </div>
    </>
  );
}

/** Returns the names of the fields with a control that the present values and the file allow. */
function usableFields(kind: TransformedKind, values: TransformValues, isImage: boolean): string[] {
  const fields: Fields = TRANSFORM_FIELDS[kind];
  const names = Object.entries(fields).flatMap(([name, { label, affects, onlyWith }]) => {
    const isAffected = affects === undefined || (affects === 'still images') === isImage;
    const isUsable = onlyWith === undefined || isRelationMet(onlyWith, values, fields);
    return label !== undefined && isAffected && isUsable ? [name] : [];
  });
  return names;
}

interface ControlProps {
  readonly values: TransformValues;
  readonly onChange: (changed: Partial<TransformValues>) => void;
}

interface FieldControlProps extends ControlProps {
  readonly kind: TransformedKind;
  readonly name: string;
}

/** The control of a field of the table, by the kind of its values. */
function FieldControl({ kind, name, values, onChange }: FieldControlProps): JSX.Element {
  const field: Field = (TRANSFORM_FIELDS[kind] as Fields)[name]!;
  const { label = name } = field;
  const value = values[name] ?? field.default;
  const change = (changed: string | number | boolean): void => onChange({ [name]: changed });
  switch (field.kind) {
    case 'number': {
      const scale = field.unit === 'share' ? 100 : 1;
      return (
        <NumberField
          label={label}
          {...NUMBERS[field.unit ?? 'none']}
          min={scale * (field.min ?? (field.above === undefined ? -1e6 : 1))}
          {...(field.max !== undefined && { max: scale * field.max })}
          value={scale * Number(value ?? 0)}
          onChange={(typed) => change(typed / scale)}
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
    case 'names':
    case 'text':
      throw new Error('Internal error: only tracks and styles of captions have names, and a form has neither');
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

interface ChoiceControlProps {
  readonly field: Extract<Field, { readonly kind: 'choice' }>;
  readonly value: string;
  /** A choice that is not possible now. */
  readonly disabled: string | null;
  readonly onChange: (value: string) => void;
}

function ChoiceControl({ field, value, disabled, onChange }: ChoiceControlProps): JSX.Element {
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

/** @param duration of the clip, in seconds */
function TrimControl({ values, duration, onChange }: ControlProps & { readonly duration: number }): JSX.Element {
  const start = Number(values.trim_start_time ?? 0);
  return (
    <label class="trim">
      {TRANSFORM_FIELDS.video.trim_start_time.label} {start.toFixed(2)} s
      <input
        type="range"
        min="0"
        max={Math.max(0.1, duration - 0.1)}
        step="0.04"
        value={start}
        onInput={({ currentTarget: { value } }) => onChange({ trim_start_time: Number(value) })}
      />
    </label>
  );
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
