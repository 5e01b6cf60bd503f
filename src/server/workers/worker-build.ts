import { availableParallelism } from 'node:os';
import { arch } from 'node:process';
import type { EncoderChoice } from '../../engine/h264/open-encoder.ts';
import { RENDER_EPOCH } from '../../engine/render-epoch.ts';

/**
 * What the bytes of a worker's videos depend on beside the scene: two workers of one build make the same. EDGE: looks at
 * the machine.
 *
 * @param version of reelform
 */
export function workerBuild(version: string, encoder: EncoderChoice): string {
  return [version, `epoch ${RENDER_EPOCH}`, encoder.kind, arch, `${availableParallelism()} cores`].join(', ');
}
