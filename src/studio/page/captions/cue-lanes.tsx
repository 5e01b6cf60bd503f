import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { CueBlock } from '../../timeline-protocol.ts';
import { Icon } from '../controls/icon.tsx';
import { count, formatClock } from '../wording.ts';
import { type CueEdge, type CueTimes, draggedTimes, timesOf } from './cue-times.ts';

interface CueLanesProps {
  readonly cues: readonly CueBlock[];
  /** Length of the video. */
  readonly seconds: number;
  readonly fps: number;
  readonly frame: number;
  readonly selected: CueBlock | null;
  readonly onSelect: (cue: CueBlock) => void;
  readonly onMove: (cue: CueBlock, times: CueTimes) => void;
}

/** Pixels that a pointer moves before a press becomes a drag. */
const DRAG_PIXELS = 4;

/** The cues of a video below its sounds. A click selects a cue; a drag moves it, or one of its ends, to whole frames. */
export function CueLanes({ cues, frame, ...rest }: CueLanesProps): JSX.Element {
  const lanes = useRef<HTMLDivElement>(null);
  const secondsOf = (pixels: number): number => (pixels / lanes.current!.clientWidth) * rest.seconds;
  return (
    <div class="cue-lanes" ref={lanes}>
      {lanesOf(cues).map((lane, index) => (
        <ul key={index} aria-label={index === 0 ? 'Captions' : undefined}>
          {lane.map((cue) => (
            <Cue key={keyOf(cue)} cue={cue} secondsOf={secondsOf} {...rest} />
          ))}
        </ul>
      ))}
      <i class="sound-head" style={{ left: `${(frame / rest.fps / rest.seconds) * 100}%` }} />
    </div>
  );
}

interface CueProps extends Omit<CueLanesProps, 'cues' | 'frame'> {
  readonly cue: CueBlock;
  readonly secondsOf: (pixels: number) => number;
}

interface Drag {
  readonly edge: CueEdge;
  /** Horizontal positions of the pointer in pixels. */
  readonly from: number;
  readonly at: number;
}

function Cue({ cue, seconds, fps, selected, onSelect, onMove, secondsOf }: CueProps): JSX.Element {
  const [drag, setDrag] = useState<Drag | null>(null);
  // The browser reports a click after a drag, too.
  const wasDragged = useRef(false);
  const isDragged = drag !== null && Math.abs(drag.at - drag.from) >= DRAG_PIXELS;
  const { start, end } = isDragged ? draggedTimes(cue, drag.edge, secondsOf(drag.at - drag.from), fps) : timesOf(cue);
  const isSelected = selected !== null && keyOf(selected) === keyOf(cue);
  const percent = (part: number): string => `${(part / seconds) * 100}%`;
  const begin = (edge: CueEdge) => (event: PointerEvent) => {
    if (event.button !== 0 || cue.at === null) return;
    event.stopPropagation();
    (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
    setDrag({ edge, from: event.clientX, at: event.clientX });
  };
  const follow = ({ clientX }: PointerEvent): void => {
    if (drag !== null) setDrag({ ...drag, at: clientX });
  };
  const drop = (): void => {
    setDrag(null);
    wasDragged.current = isDragged;
    if (isDragged) onMove(cue, { start, end });
  };
  const pointer = { onPointerMove: follow, onPointerUp: drop, onPointerCancel: () => setDrag(null) };
  const severity = cue.problems.some((problem) => problem.severity === 'error') ? 'error' : 'warning';
  const classes = ['cue', isDragged && 'dragged', cue.at === null && 'fixed', cue.problems.length > 0 && severity];
  return (
    <li style={{ left: percent(start), width: percent(Math.min(seconds, end) - start) }}>
      <button
        type="button"
        class={classes.filter(Boolean).join(' ')}
        aria-pressed={isSelected}
        title={`${formatClock(start)} – ${formatClock(end)}\n${cue.text}`}
        onPointerDown={begin('both')}
        {...pointer}
        onClick={() => {
          if (!wasDragged.current) onSelect(cue);
          wasDragged.current = false;
        }}
      >
        {cue.problems.length > 0 && (
          <>
            <Icon name={severity} size={11} />
            <span class="hidden">{count(cue.problems.length, 'problem')}: </span>
          </>
        )}
        <span class="cue-text">{cue.text}</span>
        {cue.at !== null && (
          <>
            <i class="cue-edge start" onPointerDown={begin('start')} {...pointer} />
            <i class="cue-edge end" onPointerDown={begin('end')} {...pointer} />
          </>
        )}
      </button>
    </li>
  );
}

/** Names a cue among those of a video while its file is edited: by its place in its file, or its time. */
export function keyOf({ scene, at, start }: CueBlock): string {
  return at === null ? `${scene} ${start}` : `${at.path} ${at.position}`;
}

/** Distributes cues over as few lanes as do not overlap. */
function lanesOf(cues: readonly CueBlock[]): CueBlock[][] {
  const lanes: CueBlock[][] = [];
  for (const cue of cues) {
    const free = lanes.find((lane) => timesOf(lane.at(-1)!).end <= timesOf(cue).start + 0.001);
    if (free === undefined) lanes.push([cue]);
    else free.push(cue);
  }
  return lanes;
}
