import type { JSX } from 'preact';
import type { LintMark, SegmentMark, StillMark, VideoCard } from '../../protocol.ts';
import { Still } from '../controls/still.tsx';
import { useSize } from '../controls/use-size.ts';
import { formatClock } from '../wording.ts';

interface ScrubBarProps {
  readonly card: Pick<VideoCard, 'fingerprint' | 'picture'>;
  readonly frame: number;
  readonly stills: readonly StillMark[];
  readonly segments: readonly SegmentMark[];
  readonly marks: readonly LintMark[];
  readonly onFrame: (frame: number) => void;
}

const FILM_HEIGHT = 44;

/** The video as a strip of its frames: drag to scrub. Below it the marks of stills and findings, and the segments. */
export function ScrubBar({ card, frame, stills, segments, marks, onFrame }: ScrubBarProps): JSX.Element {
  const picture = card.picture!;
  const [element, { width }] = useSize<HTMLDivElement>();
  const last = Math.max(1, picture.frameCount - 1);
  const at = (markedFrame: number): string => `${(Math.min(markedFrame, last) / last) * 100}%`;
  const thumbWidth = Math.max(26, (FILM_HEIGHT * picture.width) / picture.height);
  const thumbCount = width === 0 ? 0 : Math.max(1, Math.min(16, Math.round(width / thumbWidth)));
  return (
    <div class="scrub">
      <div class="film" ref={element}>
        <div class="film-frames" aria-hidden="true">
          {Array.from({ length: thumbCount }, (_, index) => (
            <Still
              key={index}
              fingerprint={card.fingerprint}
              frame={Math.round(((index + 0.5) / thumbCount) * last)}
              width={Math.min(160, thumbWidth)}
            />
          ))}
        </div>
        <span class="film-head" style={{ left: at(frame) }} />
        <input
          type="range"
          aria-label="Frame"
          aria-valuetext={`Frame ${frame}, ${formatClock(frame / picture.fps)}`}
          min="0"
          max={last}
          step="1"
          value={frame}
          onInput={(event) => onFrame(Number(event.currentTarget.value))}
        />
      </div>
      {segments.length > 0 && (
        <div class="segments" aria-hidden="true">
          {segments.map(({ first, end, isCached }) => (
            <i
              key={first}
              class={isCached ? 'cached' : 'open'}
              style={{ flexGrow: end - first }}
              title={isCached ? 'In the segment cache' : 'An apply renders this segment'}
            />
          ))}
        </div>
      )}
      <div class="scrub-marks">
        {stills.map(({ name, frame: still }) => (
          <button
            key={name}
            type="button"
            class="still-mark"
            style={{ left: at(still) }}
            aria-label={`Go to ${name}`}
            aria-pressed={still === frame}
            title={`${name}, ${formatClock(still / picture.fps)}`}
            onClick={() => onFrame(still)}
          />
        ))}
        {marks.map((mark) => (
          <button
            key={`${mark.code} ${mark.editable} ${mark.frame}`}
            type="button"
            class={`lint-mark ${mark.severity}`}
            style={{ left: at(mark.frame) }}
            aria-label={`Go to ${mark.severity}: ${mark.message}`}
            title={mark.message}
            onClick={() => onFrame(mark.frame)}
          />
        ))}
      </div>
    </div>
  );
}
