import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { LoudnessReading, MixGraph } from '../../timeline-protocol.ts';
import { GRAPH_HEIGHT, loudnessDepth, loudnessPath, peaksPath } from './graph-paths.ts';

/** The mix of a video with its short-term loudness as a line, and the loudness that the definition asks for. */
export function MixLane({ mix }: { readonly mix: MixGraph }): JSX.Element {
  const { peaks, steps, target } = mix;
  const area = useMemo(() => peaksPath(peaks), [peaks]);
  const line = useMemo(() => loudnessPath(steps.map(({ shortTerm }) => shortTerm)), [steps]);
  return (
    <div class="mix-lane" title="The finished sound, and its short-term loudness from 0 to −60 LUFS">
      <svg class="graph" viewBox={`0 0 ${peaks.length} ${GRAPH_HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        <path class="graph-peaks" d={area} />
      </svg>
      <svg class="graph" viewBox={`0 0 ${steps.length} ${GRAPH_HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        <path class="graph-loudness" d={line} />
      </svg>
      {target !== null && <i class="mix-target" style={{ top: `${loudnessDepth(target.loudness) * 100}%` }} />}
      <span class="sound-name">Mix</span>
    </div>
  );
}

interface LoudnessMeterProps {
  readonly mix: MixGraph;
  /** Of the frame that is shown or played. */
  readonly seconds: number;
}

/** LU from the target within which a video is as loud as it should be, and dB for its peaks. */
const TOLERANCE = { loudness: 0.5, truePeak: 0.05 };

/** Loudness and true peak at a time and of the whole video. The steps are measured, so that the page only shows them. */
export function LoudnessMeter({ mix, seconds }: LoudnessMeterProps): JSX.Element {
  const { steps, stepSeconds, whole, target } = mix;
  const now = steps[Math.min(steps.length - 1, Math.floor(seconds / stepSeconds))] ?? SILENCE;
  const share = (level: number | null): string => `${(1 - loudnessDepth(level)) * 100}%`;
  const isMissed = target !== null && Math.abs((whole.integrated ?? -Infinity) - target.loudness) > TOLERANCE.loudness;
  const isOver = whole.truePeak !== null && whole.truePeak > (target?.truePeak ?? 0) + TOLERANCE.truePeak;
  return (
    <div class="loudness">
      <div class="loudness-bar">
        <meter class="hidden" aria-label="Momentary loudness" min={-60} max={0} value={now.momentary ?? -60}>
          {levelWords(now.momentary, 'LUFS')}
        </meter>
        <i class="loudness-momentary" style={{ width: share(now.momentary) }} />
        <i class="loudness-short" style={{ left: share(now.shortTerm) }} />
        {target !== null && <i class="loudness-target" style={{ left: share(target.loudness) }} />}
      </div>
      <dl class="readings">
        <Reading name="Momentary" level={now.momentary} unit="LUFS" />
        <Reading name="Short-term" level={now.shortTerm} unit="LUFS" />
        <Reading name="So far" level={now.integrated} unit="LUFS" />
        <Reading name="Peak so far" level={now.truePeak} unit="dBTP" />
      </dl>
      <dl class="readings whole">
        <Reading name="Whole video" level={whole.integrated} unit="LUFS" isWrong={isMissed} />
        {target !== null && <Reading name="Target" level={target.loudness} unit="LUFS" />}
        <Reading name="True peak" level={whole.truePeak} unit="dBTP" isWrong={isOver} />
        <Reading name="Range" level={whole.range} unit="LU" />
      </dl>
    </div>
  );
}

const SILENCE: LoudnessReading = { momentary: null, shortTerm: null, integrated: null, truePeak: null };

interface ReadingProps {
  readonly name: string;
  readonly level: number | null;
  readonly unit: string;
  /** Whether the level is not what the video should have. */
  readonly isWrong?: boolean;
}

function Reading({ name, level, unit, isWrong = false }: ReadingProps): JSX.Element {
  return (
    <div class={isWrong ? 'wrong' : undefined}>
      <dt>{name}</dt>
      <dd>
        {levelWords(level, unit)}
        {isWrong && <span class="hidden"> is outside the target</span>}
      </dd>
    </div>
  );
}

function levelWords(level: number | null, unit: string): string {
  return level === null ? '–' : `${level.toFixed(1).replace('-', '−')} ${unit}`;
}
