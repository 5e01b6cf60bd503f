import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { PreviewProblem } from '../../problem-protocol.ts';
import type { LintMark, VideoCard, VideoDetail } from '../../protocol.ts';
import type { LeftOutScene, SceneBlock } from '../../timeline-protocol.ts';
import { Icon } from '../controls/icon.tsx';
import { notifyError } from '../controls/notices.tsx';
import { saveLength, saveScenes } from '../edits.ts';
import { count, formatClock, formatLength } from '../wording.ts';
import { SceneBar } from './scene-bar.tsx';

interface SceneTrackProps {
  readonly card: VideoCard;
  readonly detail: VideoDetail;
  readonly lint: readonly LintMark[];
  readonly frame: number;
  readonly onFrame: (frame: number) => void;
}

/** Pixels that a pointer moves before a press becomes a drag. */
const DRAG_PIXELS = 5;

/** The scenes of a video as blocks: click to go there, drag to reorder, drag the right edge to change the length. */
export function SceneTrack({ card, detail, lint, frame, onFrame }: SceneTrackProps): JSX.Element | null {
  const { scenes, leftOut } = detail;
  const { frameCount, fps } = card.picture!;
  const track = useRef<HTMLDivElement>(null);
  const [drag, setDrag] = useState<Drag | null>(null);
  if (scenes.length === 0) return null;
  const current = scenes.findLast(({ first }) => first <= frame) ?? scenes[0]!;
  const share = (frames: number): string => `${(frames / frameCount) * 100}%`;

  const startDrag = (scene: SceneBlock, kind: Drag['kind']) => (event: PointerEvent) => {
    if (event.button !== 0 || scene.written === null) return;
    event.stopPropagation();
    (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
    setDrag({ kind, scene, from: event.clientX, at: event.clientX });
  };
  const moveDrag = (event: PointerEvent): void => {
    if (drag !== null) setDrag({ ...drag, at: event.clientX });
  };
  const endDrag = (): void => {
    if (drag === null) return;
    setDrag(null);
    if (Math.abs(drag.at - drag.from) < DRAG_PIXELS) return;
    save(drag).catch(notifyError);
  };
  const framesMoved = ({ from, at }: Drag): number =>
    Math.round(((at - from) / track.current!.clientWidth) * frameCount);
  const save = async (ended: Drag): Promise<unknown> => {
    const { written } = ended.scene;
    if (ended.kind === 'length')
      return saveLength(card, ended.scene, framesDragged(ended.scene, framesMoved(ended)) / fps);
    const { left } = track.current!.getBoundingClientRect();
    const under = ((ended.at - left) / track.current!.clientWidth) * frameCount;
    const target = scenes.findLast(({ first }) => first <= under)?.written ?? scenes[0]!.written;
    if (target === null || target.index === written!.index) return undefined;
    return saveScenes({ id: card.id, edit: { kind: 'move', from: written!.index, to: target.index } });
  };

  return (
    <div class="scenes">
      <div class="scene-track" ref={track}>
        {scenes.map((scene) => {
          const isDragged = drag?.scene.id === scene.id;
          const moved = isDragged ? framesMoved(drag) : 0;
          const frames = isDragged && drag.kind === 'length' ? framesDragged(scene, moved) : scene.end - scene.first;
          return (
            <button
              key={scene.id}
              type="button"
              class={isDragged ? `scene-block dragged ${drag.kind}` : 'scene-block'}
              aria-current={scene === current}
              title={`${scene.id}: ${formatClock(scene.first / fps)}, ${formatLength(scene.seconds)}, ${scene.why}`}
              style={{
                left: share(scene.first),
                width: share(frames),
                ...(isDragged && drag.kind === 'order' && { translate: `${drag.at - drag.from}px 0` }),
              }}
              onPointerDown={startDrag(scene, 'order')}
              onPointerMove={moveDrag}
              onPointerUp={endDrag}
              onPointerCancel={() => setDrag(null)}
              onClick={() => {
                onFrame(scene.first);
                showFields(scene.id);
              }}
            >
              {scene.transition !== null && (
                <i
                  class="scene-transition"
                  style={{ width: `${((scene.transition.end - scene.transition.first) / frames) * 100}%` }}
                  title={scene.transition.type}
                />
              )}
              <b>{scene.id}</b>
              <SceneNotes notes={[...scene.problems, ...lint.filter((mark) => mark.scene === scene.id)]} />
              <span>{formatLength(frames / fps)}</span>
              {scene.written !== null && !scene.written.isEach && (
                <i
                  class="scene-edge"
                  onPointerDown={startDrag(scene, 'length')}
                  onPointerMove={moveDrag}
                  onPointerUp={endDrag}
                  onPointerCancel={() => setDrag(null)}
                />
              )}
            </button>
          );
        })}
      </div>
      {leftOut.length > 0 && <LeftOutScenes scenes={leftOut} />}
      <SceneBar card={card} detail={detail} scene={current} />
    </div>
  );
}

/** Scrolls the form to the fields of a scene, where the form scrolls by itself: the page would leave the timeline. */
function showFields(id: string): void {
  const fields = document.querySelector<HTMLElement>(`[data-scene="${CSS.escape(id)}"]`);
  const panel = fields?.closest<HTMLElement>('.panel');
  if (!fields || !panel || panel.scrollHeight <= panel.clientHeight) return;
  const top = fields.getBoundingClientRect().top - panel.getBoundingClientRect().top;
  panel.scrollTo({ top: panel.scrollTop + top });
}

/** Marks a scene that has problems or findings. */
function SceneNotes({ notes }: { readonly notes: readonly (PreviewProblem | LintMark)[] }): JSX.Element | null {
  if (notes.length === 0) return null;
  const severity = notes.some((note) => note.severity === 'error') ? 'error' : 'warning';
  return (
    <i class={`scene-notes ${severity}`} title={notes.map(({ message }) => message).join('\n')}>
      <Icon name={severity} size={13} />
      <span class="hidden">{count(notes.length, 'problem')}</span>
    </i>
  );
}

interface Drag {
  readonly kind: 'order' | 'length';
  readonly scene: SceneBlock;
  /** Horizontal positions of the pointer in pixels. */
  readonly from: number;
  readonly at: number;
}

function framesDragged({ first, end }: SceneBlock, moved: number): number {
  return Math.max(1, end - first + moved);
}

function LeftOutScenes({ scenes }: { readonly scenes: readonly LeftOutScene[] }): JSX.Element {
  return (
    <ul class="scenes-left-out" aria-label="Scenes that are left out">
      {scenes.map(({ id, reason }) => (
        <li key={id}>
          <b>{id}</b> {reason}
        </li>
      ))}
    </ul>
  );
}
