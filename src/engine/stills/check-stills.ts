import type { VideoInput } from '../../template/render-input.ts';
import { checkInput } from '../check-input.ts';
import { mediaFindings } from '../input-media.ts';

/**
 * Rejects an input whose stills cannot be drawn.
 *
 * @throws RenderError as `renderFile`
 */
export async function checkStills(renderInput: VideoInput): Promise<void> {
  checkInput(renderInput);
  await mediaFindings(renderInput);
}
