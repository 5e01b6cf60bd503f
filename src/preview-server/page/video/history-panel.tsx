import type { JSX } from 'preact';
import type { VideoDetail } from '../../protocol.ts';
import { formatBytes, formatDate } from '../wording.ts';

const PLAYABLE = ['mp4', 'webm', 'mov'];

/** The finished file and earlier renderings. */
export function HistoryPanel({ detail }: { readonly detail: VideoDetail }): JSX.Element {
  const { card, history } = detail;
  const { finished } = card;
  return (
    <>
      {finished === null ? (
        <p class="calm">There is no finished file.</p>
      ) : (
        <figure class="finished">
          {PLAYABLE.includes(finished.extension) ? (
            // biome-ignore lint/a11y/useMediaCaption: rendered videos have no captions.
            <video controls preload="metadata" src={finished.url} aria-label={`Finished file of ${card.title}`} />
          ) : (
            <img src={finished.url} alt={`Finished file of ${card.title}`} loading="lazy" />
          )}
          <figcaption>
            <a href={finished.url} download={`${card.id.replaceAll('/', '-')}.${finished.extension}`}>
              {finished.extension.toUpperCase()}
              {finished.bytes !== null && `, ${formatBytes(finished.bytes)}`}
            </a>
            <span>{formatDate(finished.renderedAt)}</span>
            {finished.deliveries.map((delivery) => (
              <code key={delivery}>{delivery}</code>
            ))}
          </figcaption>
        </figure>
      )}
      {history.length > 0 && (
        <ol class="history">
          {history.map(({ renderedAt, commit, title }) => (
            <li key={`${renderedAt} ${commit}`}>
              <time dateTime={renderedAt}>{formatDate(renderedAt)}</time>
              <span>{title}</span>
              {commit !== null && <code>{commit.slice(0, 8)}</code>}
            </li>
          ))}
        </ol>
      )}
    </>
  );
}
