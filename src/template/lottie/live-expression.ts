import { isRecord } from '../../kernel/json.ts';
import type { LottieNode } from './lottie-layers.ts';

/** Field of a property that keeps the expression its keyframes were baked from. */
export const SOURCE = 'baked';

/** Returns whether an expression of a property is evaluated again for each video. */
export function isLive(property: LottieNode): boolean {
  return isRecord(property[SOURCE]) && property[SOURCE].live === true;
}
