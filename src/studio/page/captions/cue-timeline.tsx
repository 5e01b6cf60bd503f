import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { CueChange } from '../../edit-protocol.ts';
import type { VideoCard } from '../../protocol.ts';
import type { CueBlock } from '../../timeline-protocol.ts';
import { notifyError } from '../controls/notices.tsx';
import { saveCues } from '../edits.ts';
import { CueBar } from './cue-bar.tsx';
import { CueLanes } from './cue-lanes.tsx';
import { timeChange, timesOf } from './cue-times.ts';

interface CueTimelineProps {
  readonly card: VideoCard;
  readonly cues: readonly CueBlock[];
  readonly frame: number;
  readonly onFrame: (frame: number) => void;
  /** Plays the frames of a range; `end` is exclusive. */
  readonly onPlay: (first: number, end: number) => void;
}

/** The captions of a video: its cues on the timeline, and the selected one. */
export function CueTimeline({ card, cues, frame, onFrame, onPlay }: CueTimelineProps): JSX.Element | null {
  const { fps, durationSeconds } = card.picture!;
  // A cue is found again by its time: its place in the file changes with every edit before it.
  const [selected, setSelected] = useState<{ readonly scene: string | null; readonly start: number } | null>(null);
  if (cues.length === 0) return null;
  const cue = selected && closest(cues, selected);
  const select = (chosen: Pick<CueBlock, 'scene' | 'start'>): void =>
    setSelected({ scene: chosen.scene, start: chosen.start });
  const save = (path: string, changes: readonly CueChange[]): Promise<unknown> =>
    changes.length === 0 ? Promise.resolve() : saveCues({ id: card.id, path, changes });
  const frameOf = (seconds: number): number => Math.round(seconds * fps);
  return (
    <section class="captions" aria-label="Captions">
      <CueLanes
        cues={cues}
        seconds={durationSeconds}
        fps={fps}
        frame={frame}
        selected={cue}
        onSelect={(chosen) => {
          select(chosen);
          onFrame(frameOf(timesOf(chosen).start));
        }}
        onMove={(moved, times) => {
          const change = timeChange(moved, times);
          if (change === null) return;
          select({ ...moved, start: times.start - moved.origin });
          save(moved.at!.path, [change]).catch(notifyError);
        }}
      />
      {cue !== null && (
        <CueBar
          key={`${cue.scene} ${cue.at?.path}`}
          cue={cue}
          next={nextOf(cues, cue)}
          fps={fps}
          seconds={frame / fps}
          save={async (changes) => {
            await save(cue.at!.path, changes);
            const start = changes.find((change) => change.kind === 'change')?.start;
            if (start !== undefined) select({ ...cue, start });
          }}
          onPlay={() => onPlay(frameOf(timesOf(cue).start), frameOf(timesOf(cue).end))}
        />
      )}
    </section>
  );
}

/** Returns the cue of a scene that starts closest to a time; null if the scene has none. */
function closest(
  cues: readonly CueBlock[],
  { scene, start }: { readonly scene: string | null; readonly start: number },
): CueBlock | null {
  const ofScene = cues.filter((cue) => cue.scene === scene);
  return ofScene.reduce<CueBlock | null>(
    (best, cue) => (best === null || Math.abs(cue.start - start) < Math.abs(best.start - start) ? cue : best),
    null,
  );
}

/** Returns the cue after another of the same place and file; null if there is none. */
function nextOf(cues: readonly CueBlock[], cue: CueBlock): CueBlock | null {
  const ofPlace = cues.filter(({ scene, at }) => scene === cue.scene && at !== null && at.path === cue.at?.path);
  return ofPlace[ofPlace.indexOf(cue) + 1] ?? null;
}
