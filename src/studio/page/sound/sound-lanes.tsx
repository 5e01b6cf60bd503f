import type { JSX } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import type { SoundBlock, SoundGraph, SoundGraphs } from '../../timeline-protocol.ts';
import { formatLength } from '../wording.ts';
import { curvePath, GRAPH_HEIGHT, peaksPath } from './graph-paths.ts';

interface SoundLanesProps {
  readonly sounds: readonly SoundBlock[];
  /** Null until they are measured. */
  readonly graphs: SoundGraphs | null;
  /** Length of the video. */
  readonly seconds: number;
  readonly selected: SoundBlock | null;
  readonly onSelect: (sound: SoundBlock | null) => void;
  /** Receives when a dragged sound starts, in seconds from the start of its scene or video. */
  readonly onMove: (sound: SoundBlock, start: number) => void;
}

/** Pixels that a pointer moves before a press becomes a drag. */
const DRAG_PIXELS = 5;

/**
 * The sounds of a video below its scenes, with their waveforms and the line of what lowers them. Hatched where an end is cut off, with
 * a line at each pass of a repeated sound. A click selects a sound; a drag changes when it starts.
 */
export function SoundLanes({ sounds, graphs, seconds, ...actions }: SoundLanesProps): JSX.Element | null {
  const lanes = useRef<HTMLDivElement>(null);
  if (sounds.length === 0) return null;
  const graphOf = ({ graph }: SoundBlock): SoundGraph | null =>
    graphs?.sounds.find(({ name }) => name === graph) ?? null;
  return (
    <div class="sound-lanes" ref={lanes}>
      {lanesOf(sounds, seconds).map((lane, index) => (
        <ul key={index} aria-label={index === 0 ? 'Sounds' : undefined}>
          {lane.map((sound) => (
            <Sound
              key={`${sound.scene} ${sound.name}`}
              sound={sound}
              graph={graphOf(sound)}
              seconds={seconds}
              secondsOf={(pixels) => (pixels / lanes.current!.clientWidth) * seconds}
              {...actions}
            />
          ))}
        </ul>
      ))}
    </div>
  );
}

interface SoundProps extends Omit<SoundLanesProps, 'sounds' | 'graphs'> {
  readonly sound: SoundBlock;
  readonly graph: SoundGraph | null;
  readonly secondsOf: (pixels: number) => number;
}

function Sound({ sound, graph, seconds, selected, onSelect, onMove, secondsOf }: SoundProps): JSX.Element {
  const { name, scene, from, to, cutSeconds, passSeconds, path } = sound;
  const [drag, setDrag] = useState<{ readonly from: number; readonly at: number } | null>(null);
  // The browser reports a click after a drag, too.
  const wasDragged = useRef(false);
  const start = Number(sound.fields.start ?? 0);
  const moved = drag === null ? 0 : Math.max(-start, secondsOf(drag.at - drag.from));
  const isDragged = drag !== null && Math.abs(drag.at - drag.from) >= DRAG_PIXELS;
  const heard = to - from;
  const whole = shownEnd(sound, seconds) - from;
  const percent = (part: number): string => `${part * 100}%`;
  const words = soundWords(sound, graph);
  const isSelected = selected?.name === name && selected.scene === scene;
  const classes = ['sound', cutSeconds === null && 'unmeasured', isDragged && 'dragged', path !== null && 'movable'];
  return (
    <li style={{ left: percent((from + (isDragged ? moved : 0)) / seconds), width: percent(whole / seconds) }}>
      <button
        type="button"
        class={classes.filter(Boolean).join(' ')}
        aria-pressed={isSelected}
        title={words}
        onPointerDown={(event) => {
          if (event.button !== 0 || path === null) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          setDrag({ from: event.clientX, at: event.clientX });
        }}
        onPointerMove={({ clientX }) => drag !== null && setDrag({ ...drag, at: clientX })}
        onPointerUp={() => {
          setDrag(null);
          wasDragged.current = isDragged;
          if (isDragged) onMove(sound, Math.max(0, Math.round((start + moved) * 100) / 100));
        }}
        onPointerCancel={() => setDrag(null)}
        onClick={() => {
          if (!wasDragged.current) onSelect(isSelected ? null : sound);
          wasDragged.current = false;
        }}
      >
        <i
          class={passSeconds === null ? 'sound-heard' : 'sound-heard repeated'}
          style={{
            width: percent(whole === 0 ? 1 : heard / whole),
            ...(passSeconds !== null && heard > 0 && { backgroundSize: `${percent(passSeconds / heard)} 100%` }),
          }}
        >
          {graph !== null && <GraphPicture graph={graph} />}
        </i>
        {(cutSeconds ?? 0) > 0 && <i class="sound-cut" />}
        <span class="sound-name" aria-hidden="true">
          {name}
          {isDragged && <b> {formatStart(start + moved)}</b>}
        </span>
        <span class="hidden">{words}</span>
      </button>
    </li>
  );
}

function GraphPicture({ graph }: { readonly graph: SoundGraph }): JSX.Element | null {
  const { peaks, curve } = graph;
  const area = useMemo(() => peaksPath(peaks), [peaks]);
  const line = useMemo(() => curvePath(curve), [curve]);
  if (peaks.length === 0) return null;
  return (
    <svg class="graph" viewBox={`0 0 ${peaks.length} ${GRAPH_HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <path class="graph-peaks" d={area} />
      {curve.some((level) => level > 0) && <path class="graph-curve" d={line} />}
    </svg>
  );
}

function soundWords(sound: SoundBlock, graph: SoundGraph | null): string {
  const { name, scene } = sound;
  const whose = scene === null ? name : `${name} of ${scene}`;
  return [`${whose}: ${lengthWords(sound)}`, ...(graph === null ? [] : graphWords(graph))].join(', ');
}

function lengthWords({ from, to, cutSeconds, passSeconds }: SoundBlock): string {
  if (cutSeconds === null) return 'its length is not known';
  if (passSeconds !== null) return `repeated each ${formatLength(passSeconds)}`;
  if (cutSeconds === 0) return formatLength(to - from);
  return `${formatLength(to - from)} of ${formatLength(to - from + cutSeconds)} are heard, the end is cut off`;
}

function graphWords({ gain, loudness, curve }: SoundGraph): string[] {
  const lowered = Math.max(0, ...curve);
  return [
    ...(gain === null
      ? ['volume 0']
      : gain === 0
        ? []
        : [`${gain > 0 ? 'raised' : 'lowered'} by ${Math.abs(gain)} dB`]),
    ...(loudness === null ? [] : [`${loudness} LUFS`]),
    ...(lowered > 0 ? [`fades and ducking down to −${Number(Math.min(60, lowered).toFixed(1))} dB`] : []),
  ];
}

function formatStart(seconds: number): string {
  return `${Math.max(0, seconds).toFixed(2)} s`;
}

/** Returns the end of a sound with what is cut off, as far as the video reaches. */
function shownEnd({ to, cutSeconds }: SoundBlock, seconds: number): number {
  return Math.min(seconds, to + (cutSeconds ?? 0));
}

/** Distributes sounds over as few lanes as do not overlap. */
function lanesOf(sounds: readonly SoundBlock[], seconds: number): SoundBlock[][] {
  const lanes: SoundBlock[][] = [];
  for (const sound of sounds) {
    const free = lanes.find((lane) => shownEnd(lane.at(-1)!, seconds) <= sound.from + 0.001);
    if (free === undefined) lanes.push([sound]);
    else free.push(sound);
  }
  return lanes;
}
