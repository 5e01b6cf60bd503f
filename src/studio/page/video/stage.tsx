import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { LintMark, VideoCard } from '../../protocol.ts';
import { useShortcuts } from '../controls/shortcuts.tsx';
import { useDecoded } from '../controls/still.tsx';
import { useSize } from '../controls/use-size.ts';
import { stillAddress } from '../server.ts';
import type { Player } from './use-player.ts';

export type Comparison = 'off' | 'slider' | 'blink';

interface StageProps {
  readonly card: Drawn;
  readonly frame: number;
  /** Null if nothing can be played. */
  readonly player?: Player;
  readonly comparison: Comparison;
  readonly marks: readonly LintMark[];
}

/** What the stage draws: a video, or a template with some texts. */
type Drawn = Pick<VideoCard, 'title' | 'fingerprint' | 'beforeFingerprint' | 'picture'>;

/** Time without a new frame after which the exact frame is requested. */
const REST_MS = 140;
const BLINK_MS = 700;

/** The picture: a quickly encoded frame while scrubbing, the exact frame at rest, the draft while playing. */
export function Stage({ card, frame, player, comparison, marks }: StageProps): JSX.Element {
  const [element, size] = useSize<HTMLDivElement>();
  const picture = card.picture!;
  const scale = Math.min(size.width / picture.width, size.height / picture.height);
  const width = Math.floor(picture.width * scale);
  const isPlaying = player?.isPlaying ?? false;
  const { shown, isExact, isFailed } = useFrame(card, frame, width, isPlaying);
  const isCompared = comparison !== 'off' && card.beforeFingerprint !== null && !isPlaying;
  return (
    <div class="stage" ref={element}>
      <div class="picture" style={{ width: `${width}px`, height: `${Math.floor(picture.height * scale)}px` }}>
        {shown !== null && (
          <img
            class="frame"
            src={shown}
            alt={`Frame ${frame} of ${card.title}`}
            data-frame={frame}
            data-exact={isExact ? '' : undefined}
            draggable={false}
          />
        )}
        {shown === null && (
          <span class={isFailed ? 'still still-failed' : 'still still-waiting'}>
            {isFailed && 'This frame cannot be drawn'}
          </span>
        )}
        {player !== undefined && <div class="player" ref={player.container} hidden={!isPlaying} />}
        {player?.isWaiting && (
          <p class="stage-note" role="status">
            Rendering the draft…
          </p>
        )}
        {isCompared && <Before card={card} frame={frame} width={width} comparison={comparison} />}
        {!isPlaying &&
          !isCompared &&
          marks.map((mark) => <LintBox key={`${mark.code} ${mark.editable}`} mark={mark} />)}
      </div>
    </div>
  );
}

function useFrame(card: Drawn, frame: number, width: number, isPlaying: boolean) {
  const [rested, setRested] = useState<string | null>(null);
  const subject = `${card.fingerprint} ${frame}`;
  const isReady = width > 0 && !isPlaying;
  useEffect(() => {
    if (!isReady) return;
    const timer = setTimeout(() => setRested(subject), REST_MS);
    return () => clearTimeout(timer);
  }, [subject, isReady]);
  const quickAddress = stillAddress(card.fingerprint, frame, Math.min(1280, width * devicePixelRatio));
  const exactAddress = stillAddress(card.fingerprint, frame, null);
  const quick = useDecoded(isReady ? quickAddress : null);
  const exact = useDecoded(isReady && rested === subject ? exactAddress : null);
  const isExact = exact.shown === exactAddress;
  return { shown: isExact ? exact.shown : quick.shown, isExact, isFailed: quick.isFailed };
}

interface BeforeProps {
  readonly card: Drawn;
  readonly frame: number;
  readonly width: number;
  readonly comparison: Comparison;
}

/** The same frame of the version in the lockfile, over the present version. */
function Before({ card, frame, width, comparison }: BeforeProps): JSX.Element {
  const [cut, setCut] = useState(50);
  const [isVisible, setVisible] = useState(true);
  const { shown, isFailed } = useDecoded(
    width === 0 ? null : stillAddress(card.beforeFingerprint!, frame, width * devicePixelRatio),
  );
  const flip = (): void => setVisible((last) => !last);
  useShortcuts({ x: flip });
  useEffect(() => {
    if (comparison !== 'blink') return;
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    const timer = setInterval(flip, BLINK_MS);
    return () => clearInterval(timer);
  }, [comparison]);
  const isSlider = comparison === 'slider';
  return (
    <div class="before">
      {shown !== null && (
        <img
          src={shown}
          alt={`Frame ${frame} of the earlier version`}
          style={
            isSlider ? { clipPath: `inset(0 ${100 - cut}% 0 0)` } : { visibility: isVisible ? 'visible' : 'hidden' }
          }
          draggable={false}
        />
      )}
      {isFailed && <p class="stage-note">The earlier version has no such frame</p>}
      {(isSlider || isVisible) && <span class="side side-before">Before</span>}
      {(isSlider || !isVisible) && <span class="side side-after">After</span>}
      {isSlider && (
        <>
          <span class="cut" style={{ left: `${cut}%` }} />
          <input
            type="range"
            aria-label="Share of the earlier version"
            min="0"
            max="100"
            step="0.5"
            value={cut}
            onInput={(event) => setCut(Number(event.currentTarget.value))}
          />
        </>
      )}
    </div>
  );
}

/** Frames what a finding is about. */
function LintBox({ mark }: { readonly mark: LintMark }): JSX.Element | null {
  if (mark.box === null) return null;
  const { x, y, width, height } = mark.box;
  const percent = (share: number): string => `${share * 100}%`;
  return (
    <span
      class={`lint-box ${mark.severity}`}
      style={{ left: percent(x), top: percent(y), width: percent(width), height: percent(height) }}
    >
      <span>{mark.editable ?? 'Flashes'}</span>
    </span>
  );
}
