import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { VideoDetail } from '../../protocol.ts';
import { Icon } from '../controls/icon.tsx';
import { notifyError } from '../controls/notices.tsx';
import { saveFields, uploadFile } from '../edits.ts';
import { fileAddress } from '../server.ts';
import type { TransformValues } from '../transform.ts';
import { type ControlProps, Refusal, useSavedValue } from './control.tsx';
import { PictureTransform, SoundTransform } from './media-transform.tsx';

const ACCEPTED: Readonly<Record<string, string>> = {
  image: 'image/png,image/jpeg,image/webp,image/avif,image/gif',
  video: 'video/mp4,video/quicktime,video/webm,image/*',
  audio: 'audio/*,video/mp4',
};

interface MediaControlProps extends ControlProps {
  readonly detail: VideoDetail;
}

/** An image, clip or sound: dropped, chosen or written as a path, and how it fills its area and time. */
export function MediaControl({ field, id, save, detail }: MediaControlProps): JSX.Element {
  const path = useSavedValue(field.value ?? '', (text) => save(text === '' ? null : text));
  const transform = useSavedValue<TransformValues>(field.transform, (values) =>
    saveFields({
      id: detail.card.id,
      changes: [{ path: [...field.path, 'transform'], value: Object.keys(values).length === 0 ? null : values }],
    }),
  );
  const file = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const [isUploading, setUploading] = useState(false);
  const MediaTransform = field.kind === 'audio' ? SoundTransform : PictureTransform;
  const isLocal = field.value !== null && !/^https?:/i.test(field.value);
  const address = isLocal ? fileAddress(field.value) : null;

  const receive = async (dropped: File | undefined): Promise<void> => {
    if (dropped === undefined) return;
    setUploading(true);
    try {
      await save(await uploadFile(dropped));
    } catch (error) {
      notifyError(error);
    } finally {
      setUploading(false);
    }
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a drop target; the button inside does the same.
    <div
      class={isOver ? 'media is-over' : 'media'}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        void receive(event.dataTransfer?.files[0]);
      }}
    >
      {address !== null && (
        <MediaTransform
          key={address}
          field={field}
          address={address}
          values={transform.value}
          onChange={transform.change}
        />
      )}
      <div class="media-source">
        <input
          id={id}
          type="text"
          value={path.value}
          placeholder={field.kind === 'audio' ? 'No sound' : 'Path or URL'}
          spellcheck={false}
          onInput={(event) => path.change(event.currentTarget.value)}
          onBlur={path.flush}
        />
        <input
          ref={file}
          type="file"
          hidden
          accept={ACCEPTED[field.kind]}
          onChange={(event) => {
            void receive(event.currentTarget.files?.[0]);
            event.currentTarget.value = '';
          }}
        />
        <button type="button" disabled={isUploading} onClick={() => file.current?.click()}>
          <Icon name="upload" size={14} /> {isUploading ? 'Storing…' : 'Choose'}
        </button>
      </div>
      {field.width !== null && field.height !== null && (
        <p class="media-note">
          Drop a file here. It fills {field.width} × {field.height} pixels.
        </p>
      )}
      <Refusal error={path.error ?? transform.error} />
    </div>
  );
}
