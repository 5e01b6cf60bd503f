import { env } from 'node:process';
import type { EncoderChoice } from '../engine/h264/open-encoder.ts';
import { chooseEncoder } from '../session/processes/choose-encoder.ts';
import { createRenderPool, type RenderPool } from '../session/processes/render-pool.ts';
import type { Settings } from './settings.ts';

/** A still and the still cuts of a template do not wait for videos. */
const FURTHER_PROCESSES = 2;

/** Processes that render what the settings let them. EDGE. @throws ReelformError `encoder_missing` */
export function openRenderPool(settings: Settings): { readonly pool: RenderPool; readonly encoder: EncoderChoice } {
  const encoder = chooseEncoder(settings.encoder, {
    PATH: env.PATH,
    ...(settings.ffmpeg === null ? {} : { REELFORM_FFMPEG: settings.ffmpeg }),
  });
  const pool = createRenderPool({
    size: settings.concurrency + FURTHER_PROCESSES,
    encoder,
    stallMs: settings.renderStallSeconds * 1000,
    totalMs: settings.renderSeconds * 1000,
    cpuMs: settings.renderCpuSeconds * 1000,
    memoryBytes: settings.renderMemoryMb * 2 ** 20,
  });
  return { pool, encoder };
}
