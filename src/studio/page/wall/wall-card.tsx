import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { VideoCard } from '../../protocol.ts';
import { StateMark } from '../controls/icon.tsx';
import { Still } from '../controls/still.tsx';
import { formatRoute } from '../route.ts';
import { IS_GALLERY } from '../server.ts';
import { count, formatLength, STATE_NAMES, spell } from '../wording.ts';

interface WallCardProps {
  readonly card: VideoCard;
  readonly index: number;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly pictureHeight: number;
  readonly isCurrent: boolean;
  readonly onFocus: (index: number) => void;
}

/** Width of a card whose id leaves room for a note. */
const WIDE_ENOUGH = 190;

/** A video on the wall. A mouse that moves across the picture runs through its frames. */
export function WallCard(props: WallCardProps): JSX.Element {
  const { card, index, left, top, width, pictureHeight, isCurrent, onFocus } = props;
  const [share, setShare] = useState<number | null>(null);
  const picture = useRef<HTMLDivElement>(null);
  const frameCount = card.picture?.frameCount ?? 1;
  // A limited number of moments, so that a second pass finds them in the cache.
  const frame = share === null ? card.posterFrame : Math.round(Math.round(share * 24) * ((frameCount - 1) / 24));
  const errors = card.problems.filter(({ severity }) => severity === 'error').length;
  const warnings = card.problems.length - errors;

  return (
    <a
      class={`card state-${card.state}`}
      href={formatRoute({ kind: 'video', id: card.id, panel: null })}
      data-index={index}
      data-id={card.id}
      tabIndex={isCurrent ? 0 : -1}
      style={{ width: `${width}px`, transform: `translate(${left}px, ${top}px)` }}
      onFocus={() => onFocus(index)}
    >
      <div
        ref={picture}
        class="card-picture"
        style={{ height: `${pictureHeight}px` }}
        onPointerMove={(event) => {
          if (event.pointerType !== 'mouse' || IS_GALLERY || card.picture === null) return;
          const box = picture.current!.getBoundingClientRect();
          setShare(Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)));
        }}
        onPointerLeave={() => setShare(null)}
      >
        {card.picture === null ? (
          <span class="still still-failed">Only the service can draw this template</span>
        ) : (
          <Still
            isCut={Math.abs((width * card.picture.height) / (pictureHeight * card.picture.width) - 1) < 0.02}
            fingerprint={card.fingerprint}
            frame={frame}
            width={width}
          />
        )}
        {share !== null && <span class="playhead" style={{ left: `${share * 100}%` }} />}
        {card.picture !== null && <span class="card-length">{formatLength(card.picture.durationSeconds)}</span>}
        {card.progress !== null && card.state === 'running' && (
          <span class="card-progress" style={{ width: `${card.progress.percent}%` }} />
        )}
      </div>
      <div class="card-caption">
        <strong>
          <StateMark state={card.state} />
          <span class="hidden">{STATE_NAMES[card.state]}: </span>
          <span class="card-title">{card.title}</span>
        </strong>
        <span class="card-id">{card.id}</span>
        <span class="card-note">
          {errors > 0 && <em class="error">{count(errors, 'error')}</em>}
          {errors === 0 && warnings > 0 && <em class="warning">{count(warnings, 'warning')}</em>}
          {card.problems.length === 0 && card.failures.length > 0 && <em class="error">last render failed</em>}
          {card.problems.length === 0 && card.failures.length === 0 && width >= WIDE_ENOUGH && noteOf(card)}
        </span>
      </div>
    </a>
  );
}

function noteOf(card: VideoCard): string {
  if (card.state === 'running' && card.progress !== null) return `${Math.round(card.progress.percent)} %`;
  return card.reason === null ? '' : spell(card.reason);
}
