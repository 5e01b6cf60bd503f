import type { JSX } from 'preact';
import type { VideoCard } from '../../protocol.ts';
import { StateBadge } from '../controls/state-badge.tsx';
import { Still } from '../controls/still.tsx';
import { formatRoute } from '../route.ts';
import { spell } from '../wording.ts';

/** One change of the plan, with the picture before and after. */
export function PlanItem({ card }: { readonly card: VideoCard }): JSX.Element {
  const { picture, progress } = card;
  const width = picture === null ? 0 : Math.min(128, (84 * picture.width) / picture.height);
  const size = picture === null ? {} : { width: `${width}px`, aspectRatio: `${picture.width} / ${picture.height}` };
  return (
    <li class="plan-item">
      <a href={formatRoute({ kind: 'video', id: card.id, panel: 'changes' })}>
        <span class="plan-pictures" aria-hidden="true">
          {picture !== null && card.beforeFingerprint !== null && (
            <span style={size} class="is-before">
              <Still fingerprint={card.beforeFingerprint} frame={card.posterFrame} width={width} isCut />
            </span>
          )}
          {picture !== null && (
            <span style={size}>
              <Still fingerprint={card.fingerprint} frame={card.posterFrame} width={width} isCut />
            </span>
          )}
        </span>
        <span class="plan-text">
          <strong>{card.title}</strong>
          <span class="card-id">{card.id}</span>
          <span class="plan-reason">
            {card.action !== null && spell(card.action)}
            {card.reason !== null && `: ${spell(card.reason)}`}
          </span>
          {card.state === 'running' && progress !== null && (
            <>
              <progress aria-label={`Progress of ${card.title}`} max={100} value={progress.percent} />
              {progress.segments !== null && (
                <small>
                  {progress.segments.done} of {progress.segments.total} segments, {progress.segments.reused} from the
                  cache
                </small>
              )}
            </>
          )}
        </span>
        <StateBadge card={card} />
      </a>
    </li>
  );
}
