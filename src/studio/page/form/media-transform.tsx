import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { TRANSFORM_FIELDS } from '../../../contract/fields/transform-fields.ts';
import type { FormField } from '../../protocol.ts';
import { cropAround, type FieldChanges, type PictureSize, setFields, type TransformValues } from '../transform.ts';
import { ChoiceControl, type FieldsProps, TableControl, usableFields } from './table-control.tsx';

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
  const set = (changed: FieldChanges): void => onChange(setFields(TRANSFORM_FIELDS[kind], values, changed));
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
        {usableFields(TRANSFORM_FIELDS[kind], values, isImage)
          .filter((name) => name !== 'crop_strategy')
          .map((name) =>
            name === 'trim_start_time' ? (
              <TrimControl key={name} values={values} duration={duration} onChange={set} />
            ) : (
              <TableControl key={name} fields={TRANSFORM_FIELDS[kind]} name={name} values={values} onChange={set} />
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
  readonly onChange: (changed: FieldChanges) => void;
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
  const set = (changed: FieldChanges): void => onChange(setFields(TRANSFORM_FIELDS.audio, values, changed));
  return (
    <>
      {/* biome-ignore lint/a11y/useMediaCaption: sounds of videos have no captions. */}
      <audio controls preload="metadata" src={address} aria-label={field.label} />
      <div class="transform">
        {usableFields(TRANSFORM_FIELDS.audio, values, false).map((name) => (
          <TableControl key={name} fields={TRANSFORM_FIELDS.audio} name={name} values={values} onChange={set} />
        ))}
      </div>
    </>
  );
}

/** @param duration of the clip, in seconds */
function TrimControl({ values, duration, onChange }: FieldsProps & { readonly duration: number }): JSX.Element {
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
