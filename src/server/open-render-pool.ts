import { env } from 'node:process';
import type { EncoderChoice } from '../engine/h264/open-encoder.ts';
import { hideOwnProcess, openSandbox, type Sandbox } from '../sandbox/sandbox.ts';
import { chooseEncoder } from '../session/processes/choose-encoder.ts';
import { createRenderPool, type RenderPool } from '../session/processes/render-pool.ts';
import type { Log } from './log.ts';
import type { Settings } from './settings.ts';

/** A still and the still cuts of a template do not wait for videos. */
const FURTHER_PROCESSES = 2;

export interface OpenedRenderPool {
  readonly pool: RenderPool;
  readonly encoder: EncoderChoice;
  readonly sandbox: Sandbox;
}

/** Opens the pool of render processes with the limits of the settings. EDGE. @throws ReelformError `encoder_missing`, `sandbox_missing` */
export function openRenderPool(settings: Settings, log: Log): OpenedRenderPool {
  // Before anything untrusted runs: what a process without a sandbox could read of this one.
  hideOwnProcess();
  const sandbox = openSandbox(settings.sandbox);
  const { description, gap } = sandbox;
  if (gap === null) log.info({ sandbox: description }, 'renders run in a sandbox');
  else log.warn({ sandbox: description, gap }, 'the sandbox of renders is missing or incomplete');
  const encoder = chooseEncoder(settings.encoder, {
    PATH: env.PATH,
    ...(settings.ffmpeg === null ? {} : { REELFORM_FFMPEG: settings.ffmpeg }),
  });
  const pool = createRenderPool({
    size: settings.concurrency + FURTHER_PROCESSES,
    encoder,
    sandbox,
    stallMs: settings.renderStallSeconds * 1000,
    totalMs: settings.renderSeconds * 1000,
    cpuMs: settings.renderCpuSeconds * 1000,
    memoryBytes: settings.renderMemoryMb * 2 ** 20,
  });
  return { pool, encoder, sandbox };
}
