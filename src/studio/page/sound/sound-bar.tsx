import type { JSX } from 'preact';
import type { Fields } from '../../../contract/fields/field.ts';
import { TRACK_FIELDS } from '../../../contract/fields/transform-fields.ts';
import type { VideoCard, VideoDetail } from '../../protocol.ts';
import type { SoundBlock } from '../../timeline-protocol.ts';
import { saveTrack } from '../edits.ts';
import { Refusal, useSavedValue } from '../form/control.tsx';
import { TableControl, usableFields } from '../form/table-control.tsx';
import { setFields, type TransformValues } from '../transform.ts';

interface SoundBarProps {
  readonly card: VideoCard;
  readonly detail: VideoDetail;
  readonly sound: SoundBlock;
}

/** The fields of the selected track. */
export function SoundBar({ card, detail, sound }: SoundBarProps): JSX.Element {
  const { name, scene, path } = sound;
  const isOfRows = detail.scenes.some(({ id, written }) => id === scene && written?.isEach === true);
  return (
    <fieldset class="sound-bar">
      <legend>
        <b>{name}</b> {scene === null ? 'of the video' : `of ${scene}`}
      </legend>
      {path === null ? (
        <p class="scene-where">
          This track is in a file that the definition extends, or columns fill its fields: edit it there.
        </p>
      ) : (
        <TrackFields card={card} detail={detail} sound={sound} />
      )}
      {isOfRows && <p class="scene-where">What is changed here applies to all rows of the scene.</p>}
    </fieldset>
  );
}

function TrackFields({ card, detail, sound }: SoundBarProps): JSX.Element {
  const { value, error, change } = useSavedValue<TransformValues>(sound.fields, (values) =>
    saveTrack(card, sound, values),
  );
  const names = [...new Set(detail.sounds.map(({ name }) => name))].filter((name) => name !== sound.name);
  const fields: Fields = TRACK_FIELDS;
  const shown = usableFields(fields, value, false).filter((name) => {
    return (name !== 'overrun' || sound.scene !== null) && (name !== 'duck_under' || names.length > 0);
  });
  return (
    <>
      <div class="transform">
        {shown.map((name) => (
          <TableControl
            key={name}
            fields={fields}
            name={name}
            names={names}
            values={value}
            onChange={(changed) => change(setFields(fields, value, changed))}
          />
        ))}
      </div>
      <Refusal error={error} />
    </>
  );
}
