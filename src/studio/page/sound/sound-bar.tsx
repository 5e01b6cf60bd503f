import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Fields } from '../../../contract/fields/field.ts';
import { TRACK_FIELDS } from '../../../contract/fields/transform-fields.ts';
import type { PreviewError } from '../../problem-protocol.ts';
import type { VideoCard, VideoDetail } from '../../protocol.ts';
import type { SoundBlock } from '../../timeline-protocol.ts';
import { errorOf } from '../controls/use-request.ts';
import { saveTrack, speakTrack } from '../edits.ts';
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
        <>
          {sound.speech !== null && <SpeechField card={card} sound={sound} />}
          <TrackFields card={card} detail={detail} sound={sound} />
        </>
      )}
      {isOfRows && <p class="scene-where">What is changed here applies to all rows of the scene.</p>}
    </fieldset>
  );
}

/** What a voice speaks. The text is written when the voice is asked to speak it, because a text without speech holds the video back. */
function SpeechField({ card, sound }: Pick<SoundBarProps, 'card' | 'sound'>): JSX.Element {
  const { text: saved, voice, isFilled, isMissing } = sound.speech!;
  const [text, setText] = useState(saved);
  useEffect(() => setText(saved), [saved]);
  const [isSpeaking, setSpeaking] = useState(false);
  const [error, setError] = useState<PreviewError | null>(null);
  const speak = async (): Promise<void> => {
    setSpeaking(true);
    setError(null);
    try {
      await speakTrack(card, sound, text);
    } catch (reason) {
      setError(errorOf(reason));
    } finally {
      setSpeaking(false);
    }
  };
  const isNew = isMissing || text !== saved;
  return (
    <div class="speech-field">
      <label>
        Text that {voice} speaks
        <textarea
          rows={2}
          value={text}
          disabled={isFilled || isSpeaking}
          onInput={({ currentTarget: { value } }) => setText(value)}
        />
      </label>
      <div class="cue-tools">
        <button type="button" disabled={isSpeaking || text.trim() === ''} onClick={() => void speak()}>
          {isSpeaking ? 'Speaking…' : isNew ? 'Speak' : 'Speak again'}
        </button>
        <small role="status">
          {isFilled ? 'Columns fill this text: edit it there.' : isNew && 'The sound is that of the earlier text.'}
        </small>
      </div>
      <Refusal error={error} />
    </div>
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
