import { arch } from 'node:process';
import type { EncoderChoice } from '../../engine/h264/open-encoder.ts';
import { RENDER_EPOCH } from '../../engine/render-epoch.ts';

/**
 * Names what the bytes of a worker's videos depend on beside the scene: two workers of one build make the same, whatever
 * their number of cores.
 *
 * @param version of reelform
 */
export function workerBuild(version: string, { h264 }: EncoderChoice): string {
  return [version, `epoch ${RENDER_EPOCH}`, h264, arch].join(', ');
}
