import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { TRACK_FIELDS } from '../../../contract/fields/transform-fields.ts';
import type { VideoCard, VideoDetail } from '../../protocol.ts';
import type { MixGraph, SoundBlock, SoundGraphs } from '../../timeline-protocol.ts';
import { notifyError } from '../controls/notices.tsx';
import { useRequest } from '../controls/use-request.ts';
import { saveTrack } from '../edits.ts';
import { fetchJson } from '../server.ts';
import { setFields } from '../transform.ts';
import { LoudnessMeter, MixLane } from './loudness-meter.tsx';
import { SoundBar } from './sound-bar.tsx';
import { SoundLanes } from './sound-lanes.tsx';

interface SoundTimelineProps {
  readonly card: VideoCard;
  readonly detail: VideoDetail;
  readonly frame: number;
}

/** The sounds of a video: waveforms of its tracks and of its mix, the loudness at the current frame, and the selected track. */
export function SoundTimeline({ card, detail, frame }: SoundTimelineProps): JSX.Element | null {
  const { fingerprint, picture } = card;
  const { fps, durationSeconds, hasSound } = picture!;
  const [selected, setSelected] = useState<Pick<SoundBlock, 'name' | 'scene'> | null>(null);
  const subject = hasSound && fingerprint !== '' ? card.id : null;
  const fetchGraph = <T,>(kind: string): Promise<T> => fetchJson<T>(`${kind}/${encodeURIComponent(fingerprint)}`);
  const graphs = useRequest(subject, fingerprint, () => fetchGraph<SoundGraphs>('sounds'));
  const mix = useRequest(subject, fingerprint, () => fetchGraph<MixGraph | null>('mix'));
  if (subject === null) return null;
  const sound = detail.sounds.find(({ name, scene }) => name === selected?.name && scene === selected.scene) ?? null;
  // Content that was edited meanwhile is measured again.
  const error = [graphs.error, mix.error].find((reason) => reason !== null && reason.code !== 'gone') ?? null;
  const isMeasuring = error === null && graphs.value === null;
  const move = (moved: SoundBlock, start: number): void => {
    saveTrack(card, moved, setFields(TRACK_FIELDS, moved.fields, { start })).catch(notifyError);
  };
  return (
    <section class="sounds" aria-label="Sound">
      <div class="sound-graphs">
        <SoundLanes
          sounds={detail.sounds}
          graphs={graphs.value}
          seconds={durationSeconds}
          selected={sound}
          onSelect={setSelected}
          onMove={move}
        />
        {mix.value !== null && <MixLane mix={mix.value} />}
        <i class="sound-head" style={{ left: `${(frame / fps / durationSeconds) * 100}%` }} />
      </div>
      {isMeasuring && (
        <p class="sound-note" role="status">
          Measuring the sound…
        </p>
      )}
      {error !== null && <p class="sound-note error">{error.message}</p>}
      {mix.value !== null && <LoudnessMeter mix={mix.value} seconds={frame / fps} />}
      {sound !== null && <SoundBar key={`${sound.scene} ${sound.name}`} card={card} detail={detail} sound={sound} />}
    </section>
  );
}
