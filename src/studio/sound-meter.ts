import type { LoudnessStep, MixWaveform, SoundWaveform } from '../engine/media/waveform.ts';
import { withoutPictures } from '../engine/packed-input.ts';
import { CURVE_STEPS, WAVEFORM_COLUMNS } from '../engine/sound/waveform-columns.ts';
import { audioCodecOf } from '../engine/writers/frame-writer.ts';
import { sha256 } from '../kernel/digest.ts';
import type { VideoInput } from '../template/render-input.ts';
import type { DrawQueue } from './draw-queue.ts';
import type { PreviewPorts } from './ports.ts';
import type { Stills } from './stills.ts';
import type { DrawSubject } from './subjects.ts';
import type { LoudnessReading, MixGraph, SoundGraphs } from './timeline-protocol.ts';

/** Results that are kept in memory. */
const MAX_KEPT = 24;

/**
 * Measures the sounds of videos for the page. The cache of drafts keeps the results under the digest of what is heard, so that an edit of
 * a picture measures nothing again.
 */
export class SoundMeter {
  readonly #ports: Pick<PreviewPorts, 'pool' | 'draftCache'>;
  readonly #stills: Stills;
  readonly #queue: DrawQueue;
  readonly #kept = new Map<string, Promise<unknown>>();

  constructor(ports: Pick<PreviewPorts, 'pool' | 'draftCache'>, stills: Stills, queue: DrawQueue) {
    this.#ports = ports;
    this.#stills = stills;
    this.#queue = queue;
  }

  /** Measures each sound of a video as it is heard. @throws RequestError `gone`; errors of the engine */
  sounds(subject: DrawSubject): Promise<SoundGraphs> {
    return this.#once(`sounds ${subject.fingerprint}`, async () => {
      const renderInput = await this.#renderInput(subject);
      const measured =
        renderInput.sounds.length === 0
          ? []
          : await this.#cached(renderInput, 'sounds', () =>
              this.#ports.pool.run('soundWaveforms', { renderInput: withoutPictures(renderInput) }),
            );
      return { columns: WAVEFORM_COLUMNS, sounds: measured.map(soundGraph) };
    });
  }

  /** Measures the sound of a video's file; null for a silent one. @throws RequestError `gone`; errors of the engine */
  mix(subject: DrawSubject): Promise<MixGraph | null> {
    return this.#once(`mix ${subject.fingerprint}`, async () => {
      const renderInput = await this.#renderInput(subject);
      const codec = audioCodecOf(renderInput.output.format);
      if (codec === null || renderInput.sounds.length === 0) return null;
      const measured = await this.#cached(renderInput, 'mix', () =>
        this.#ports.pool.run('mixWaveform', { renderInput: withoutPictures(renderInput), codec }),
      );
      return measured && mixGraph(measured, renderInput.loudness);
    });
  }

  #renderInput(subject: DrawSubject): Promise<VideoInput> {
    return this.#stills.renderInput(subject, subject.video.output ?? {});
  }

  /** Shares a result among all requests for it. Failures are not kept. */
  #once<T>(key: string, measure: () => Promise<T>): Promise<T> {
    const result = (this.#kept.get(key) as Promise<T> | undefined) ?? measure();
    this.#kept.delete(key);
    this.#kept.set(key, result);
    result.catch(() => this.#kept.delete(key));
    for (const oldest of [...this.#kept.keys()].slice(0, -MAX_KEPT)) this.#kept.delete(oldest);
    return result;
  }

  /** Names are no part of what is heard, but of the result. */
  async #cached<T>(renderInput: VideoInput, kind: string, measure: () => Promise<T>): Promise<T> {
    const { draftCache } = this.#ports;
    const codec = audioCodecOf(renderInput.output.format) ?? 'aac';
    const request = { renderInput, outputs: [], ranges: [], codec };
    const { sound } = await draftCache.keysOf(request, '');
    const names = renderInput.sounds.map(({ name }) => name);
    const key = sound && sha256(JSON.stringify([kind, sound, names]));
    const found = key && (await draftCache.find<{ readonly measured: T }>(key));
    if (found !== null) return found.measured;
    const measured = await this.#queue.run(measure, new AbortController().signal, false);
    if (key !== null) await draftCache.keep(key, { measured });
    return measured;
  }
}

function soundGraph({ name, gain, loudness, firstColumn, peaks, curve }: SoundWaveform): SoundGraphs['sounds'][number] {
  return {
    name,
    gain: tenths(gain),
    loudness: tenths(loudness),
    firstColumn,
    peaks: [...peaks],
    curve: Array.from(curve, (level) => level / CURVE_STEPS),
  };
}

function mixGraph({ peaks, stepSeconds, steps, whole }: MixWaveform, loudness: VideoInput['loudness']): MixGraph {
  return {
    peaks: [...peaks],
    stepSeconds,
    steps: steps.map(reading),
    whole: { ...reading(whole), range: tenths(whole.range) ?? 0 },
    target: loudness === undefined ? null : { loudness: loudness.target, truePeak: loudness.truePeak },
  };
}

function reading({ momentary, shortTerm, integrated, truePeak }: LoudnessStep): LoudnessReading {
  return {
    momentary: tenths(momentary),
    shortTerm: tenths(shortTerm),
    integrated: tenths(integrated),
    truePeak: tenths(truePeak),
  };
}

/** Rounds a level; null for -Infinity, which JSON does not have. */
function tenths(level: number): number | null {
  return Number.isFinite(level) ? Math.round(level * 10) / 10 : null;
}
