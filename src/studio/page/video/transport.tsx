import type { JSX } from 'preact';
import type { SegmentMark, StillMark, VideoCard } from '../../protocol.ts';
import { IconButton } from '../controls/button.tsx';
import { Icon } from '../controls/icon.tsx';
import { IS_GALLERY } from '../server.ts';
import { formatClock, spell } from '../wording.ts';
import type { Comparison } from './stage.tsx';
import type { Player } from './use-player.ts';

interface TransportProps {
  readonly card: VideoCard;
  readonly frame: number;
  readonly player: Player;
  /** Those of the current scene, if there are several. */
  readonly stills: readonly StillMark[];
  readonly segments: readonly SegmentMark[];
  readonly comparison: Comparison;
  readonly onCompare: (mode: Comparison) => void;
  readonly onFrame: (frame: number) => void;
}

/** Buttons and figures below the scrub bar. */
export function Transport(props: TransportProps): JSX.Element {
  const { card, frame, player, stills, segments, comparison, onCompare, onFrame } = props;
  const picture = card.picture!;
  const cached = segments.filter(({ isCached }) => isCached).length;
  return (
    <div class="transport">
      {!IS_GALLERY && (
        <>
          <button
            type="button"
            class="play"
            onClick={player.toggle}
            aria-keyshortcuts="Space"
            title="Play and pause (Space)"
          >
            <Icon name={player.isPlaying ? 'pause' : 'play'} size={18} />
            <span class="hidden">{player.isPlaying ? 'Pause' : 'Play'}</span>
          </button>
          {picture.hasSound && (
            <IconButton
              icon={player.isMuted ? 'muted' : 'sound'}
              label="Mute"
              aria-pressed={player.isMuted}
              onClick={player.toggleMuted}
            />
          )}
        </>
      )}
      <p class="time">
        <b>{formatClock(frame / picture.fps)}</b>
        <span> / {formatClock(picture.durationSeconds)}</span>
        <span class="frame-number">
          frame {frame} of {picture.frameCount - 1}
        </span>
      </p>
      {stills.length > 0 && (
        <div class="still-buttons">
          {stills.map((still) => (
            <button
              key={still.name}
              type="button"
              class="chip"
              aria-pressed={still.frame === frame}
              onClick={() => onFrame(still.frame)}
            >
              {spell(still.name)}
            </button>
          ))}
        </div>
      )}
      <div class="transport-end">
        {!IS_GALLERY && segments.length > 0 && (
          <p class="segment-note" title="An apply takes cached segments as they are and renders the others">
            <i class="cached" aria-hidden="true" /> {cached} of {segments.length} segments cached
          </p>
        )}
        {card.beforeFingerprint !== null && (
          <fieldset class="compare">
            <legend class="hidden">Compare with the version in the lockfile</legend>
            <button
              type="button"
              class="chip"
              aria-pressed={comparison === 'slider'}
              onClick={() => onCompare('slider')}
            >
              <Icon name="compare" size={14} /> Compare
            </button>
            <button type="button" class="chip" aria-pressed={comparison === 'blink'} onClick={() => onCompare('blink')}>
              <Icon name="blink" size={14} /> Blink
            </button>
          </fieldset>
        )}
      </div>
    </div>
  );
}
