import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { LintMark, StillMark, VideoCard, VideoDetail } from '../../protocol.ts';
import { CueTimeline } from '../captions/cue-timeline.tsx';
import { BackLink, IconButton } from '../controls/button.tsx';
import { StateBadge } from '../controls/icon.tsx';
import { useShortcuts } from '../controls/shortcuts.tsx';
import { useRequest } from '../controls/use-request.ts';
import { navigate } from '../controls/use-route.ts';
import { undoLast } from '../edits.ts';
import { formatRoute, type Panel } from '../route.ts';
import { fetchJson, IS_GALLERY } from '../server.ts';
import { SoundTimeline } from '../sound/sound-timeline.tsx';
import { usePage } from '../store.ts';
import { FIRST_VIEW } from '../video-list.ts';
import { SceneTrack } from './scene-track.tsx';
import { ScrubBar } from './scrub-bar.tsx';
import { type Comparison, Stage } from './stage.tsx';
import { Transport } from './transport.tsx';
import { usePlayer } from './use-player.ts';
import { VideoPanels } from './video-panels.tsx';

const NO_MARKS: readonly LintMark[] = [];

export function VideoView({ id, panel }: { readonly id: string; readonly panel: Panel | null }): JSX.Element {
  const card = usePage(({ server }) => server?.videos.find((video) => video.id === id) ?? null);
  if (card === null) {
    return (
      <div class="empty">
        <h1>{id}</h1>
        <p>This video does not exist any more.</p>
        <a class="button" href="#/">
          All videos
        </a>
      </div>
    );
  }
  return <VideoPage card={card} panel={panel} />;
}

function VideoPage({ card, panel }: { readonly card: VideoCard; readonly panel: Panel | null }): JSX.Element {
  const [frame, setFrame] = useState(card.posterFrame);
  const [comparison, setComparison] = useState<Comparison>('off');
  const detail = useRequest(card.id, card, () => fetchJson<VideoDetail>('video', { id: card.id }));
  const findings = useRequest(IS_GALLERY ? null : card.id, card.fingerprint, () =>
    fetchJson<LintMark[]>('lint', { id: card.id }),
  );
  const lint = findings.value ?? NO_MARKS;
  const last = (card.picture?.frameCount ?? 1) - 1;
  const shownFrame = Math.min(frame, last);
  const player = usePlayer({
    fingerprint: card.fingerprint,
    picture: card.picture,
    frame: shownFrame,
    onFrame: setFrame,
  });
  const stills = detail.value?.stills ?? [];
  const scene = detail.value?.scenes.findLast(({ first }) => first <= shownFrame) ?? null;

  const goTo = (target: number): void => {
    player.stop();
    const reachable = Math.min(last, Math.max(0, Math.round(target)));
    setFrame(IS_GALLERY ? closestStill(stills, reachable, card.posterFrame) : reachable);
  };
  const fps = card.picture?.fps ?? 1;
  const compare = (mode: Comparison): void => {
    player.stop();
    if (card.beforeFingerprint !== null) setComparison(comparison === mode ? 'off' : mode);
  };
  const siblings = useSiblings(card.id);
  useShortcuts({
    ' ': () => player.toggle(),
    ArrowLeft: ({ shiftKey }) => goTo(shownFrame - (shiftKey ? fps : 1)),
    ArrowRight: ({ shiftKey }) => goTo(shownFrame + (shiftKey ? fps : 1)),
    ArrowUp: () => goTo(stills.findLast((still) => still.frame < shownFrame)?.frame ?? 0),
    ArrowDown: () => goTo(stills.find((still) => still.frame > shownFrame)?.frame ?? last),
    c: () => compare('slider'),
    b: () => compare('blink'),
    '[': () => open(siblings.previous),
    ']': () => open(siblings.next),
    'mod+z': () => void undoLast(),
    Escape: () => navigate({ kind: 'wall', view: FIRST_VIEW }),
  });
  const marks = lint.filter((mark) => mark.frame === shownFrame);

  return (
    <>
      <VideoHeader card={card} siblings={siblings} />
      <div class="video-picture">
        {card.picture === null ? (
          <p class="empty">Only the service has this template, so that its frames cannot be drawn here.</p>
        ) : (
          <>
            <Stage card={card} frame={shownFrame} player={player} comparison={comparison} marks={marks} />
            {!IS_GALLERY && (
              <ScrubBar
                card={card}
                frame={shownFrame}
                stills={stills}
                segments={detail.value?.segments ?? []}
                marks={lint}
                onFrame={goTo}
              />
            )}
            {!IS_GALLERY && detail.value !== null && (
              <>
                <SceneTrack card={card} detail={detail.value} lint={lint} frame={shownFrame} onFrame={goTo} />
                <div class="video-tracks">
                  <SoundTimeline card={card} detail={detail.value} frame={shownFrame} />
                  <CueTimeline
                    card={card}
                    cues={detail.value.cues}
                    frame={shownFrame}
                    onFrame={goTo}
                    onPlay={player.playRange}
                  />
                </div>
              </>
            )}
            <Transport
              card={card}
              frame={shownFrame}
              player={player}
              stills={scene === null ? stills : stills.filter(({ name }) => name.startsWith(`${scene.id}.`))}
              segments={detail.value?.segments ?? []}
              comparison={comparison}
              onCompare={compare}
              onFrame={goTo}
            />
          </>
        )}
      </div>
      <VideoPanels card={card} panel={panel} detail={detail} findings={findings} onFrame={goTo} />
    </>
  );
}

/** A gallery has pictures of the stills only. */
function closestStill(stills: readonly StillMark[], frame: number, poster: number): number {
  return [poster, ...stills.map((still) => still.frame)].reduce((best, candidate) =>
    Math.abs(candidate - frame) < Math.abs(best - frame) ? candidate : best,
  );
}

interface Siblings {
  readonly previous: string | null;
  readonly next: string | null;
}

function VideoHeader({ card, siblings }: { readonly card: VideoCard; readonly siblings: Siblings }): JSX.Element {
  return (
    <header class="video-header">
      <BackLink title="All videos (Esc)" />
      <div class="video-title">
        <h1>{card.title}</h1>
        <p>
          <StateBadge card={card} />
          <span class="card-id">{card.id}</span>
          <a class="template-link" href={formatRoute({ kind: 'template', name: card.template })}>
            {card.template}
          </a>
          {card.languages !== undefined && !IS_GALLERY && (
            <a class="template-link" href={formatRoute({ kind: 'languages', ...card.languages })}>
              Languages
            </a>
          )}
          {card.picture !== null && (
            <span class="measures">
              {card.picture.width} × {card.picture.height} · {Number(card.picture.fps.toFixed(2))} fps
            </span>
          )}
        </p>
      </div>
      <nav class="siblings" aria-label="Other videos">
        <SiblingLink id={siblings.previous} name="Previous video" icon="previous" shortcut="[" />
        <SiblingLink id={siblings.next} name="Next video" icon="next" shortcut="]" />
      </nav>
    </header>
  );
}

interface SiblingLinkProps {
  readonly id: string | null;
  readonly name: string;
  readonly icon: 'previous' | 'next';
  readonly shortcut: string;
}

function SiblingLink({ id, name, icon, shortcut }: SiblingLinkProps): JSX.Element {
  return (
    <IconButton
      icon={icon}
      label={name}
      title={id === null ? name : `${id} (${shortcut})`}
      disabled={id === null}
      onClick={() => open(id)}
    />
  );
}

function open(id: string | null): void {
  if (id !== null) navigate({ kind: 'video', id, panel: null });
}

function useSiblings(id: string): Siblings {
  const videos = usePage(({ server }) => server?.videos ?? NO_VIDEOS);
  const index = videos.findIndex((card) => card.id === id);
  return { previous: videos[index - 1]?.id ?? null, next: videos[index + 1]?.id ?? null };
}

const NO_VIDEOS: readonly VideoCard[] = [];
