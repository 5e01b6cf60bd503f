import { availableParallelism } from 'node:os';
import { arch } from 'node:process';
import { ffmpegBuild } from '../../engine/h264/ffmpeg-version.ts';
import type { EncoderChoice } from '../../engine/h264/open-encoder.ts';
import { RENDER_EPOCH } from '../../engine/render-epoch.ts';

/**
 * What the bytes of a worker's videos depend on beside the scene: two workers of one build make the same. EDGE: looks at
 * the machine, and asks ffmpeg where that encodes.
 *
 * @param version of reelform
 */
export async function workerBuild(version: string, encoder: EncoderChoice): Promise<string> {
  const name = encoder.kind === 'ffmpeg' ? await ffmpegBuild(encoder.program) : encoder.kind;
  return [version, `epoch ${RENDER_EPOCH}`, name, arch, `${availableParallelism()} cores`].join(', ');
}
