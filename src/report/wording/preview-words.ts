import type { LeftOut, MatrixSheet, PreviewStill, Unseen, VideoPreview } from '../preview/plan-preview.ts';
import { countNoun } from './quantities.ts';

const UNSEEN_WORDS: Readonly<Record<Unseen, string>> = {
  sound: 'its sound',
  duration: 'its length',
  output: 'its file',
};

/** Describes whether a change is visible and which invisible properties changed; empty if there is nothing to compare with. */
export function previewNote({ isVisible, unseen }: VideoPreview): string {
  const properties = unseen.map((property) => UNSEEN_WORDS[property]);
  const what = properties.length === 0 ? '' : `also changes: ${properties.join(', ')}`;
  if (isVisible !== false) return what;
  return what === '' ? 'no visible change' : `no visible change; ${what}`;
}

/** Returns the largest share of differing pixels in any still, 0..1; a still without a counterpart counts as 1. */
export function newOrChangedShare({ stills }: VideoPreview): number {
  return Math.max(0, ...stills.map(({ changedShare }) => changedShare ?? 1));
}

/** `12.3 % of the picture`, or that there is no difference. */
export function shareWords(share: number): string {
  if (share === 0) return 'no visible difference';
  const percent = share * 100;
  if (percent < 0.1) return 'less than 0.1 % of the frame';
  return `${percent < 10 ? percent.toFixed(1) : Math.round(percent)} % of the frame`;
}

/** `at 3.1 s`, or `product/lamp (moved) at 3.1 s, before at 2.4 s`. Ids are not escaped. */
export function momentWords({
  timeSeconds,
  beforeSeconds,
  scene,
  change,
}: Pick<PreviewStill, 'timeSeconds' | 'beforeSeconds' | 'scene' | 'change'>): string {
  const place = scene === undefined ? '' : `${scene}${change === undefined ? '' : ` (${change})`} `;
  const earlier = beforeSeconds === undefined ? '' : `, before ${timeWords(beforeSeconds)}`;
  return `${place}${timeWords(timeSeconds)}${earlier}`;
}

function timeWords(seconds: number): string {
  return `at ${Math.round(seconds * 100) / 100} s`;
}

/** Describes the table of a definition with a picture for each locale and variant. The id is not escaped. */
export function matrixAlt({ definition }: Pick<MatrixSheet, 'definition'>): string {
  return `Contact sheet of ${definition}: a picture for each locale, and for each variant or row`;
}

/** Says how many videos of a definition its table leaves out; empty if there are none. */
export function hiddenWords({ hidden }: Pick<MatrixSheet, 'hidden'>): string {
  return hidden === 0 ? '' : `${countNoun(hidden, 'more video')} not shown`;
}

/** Reasons for omitting videos from a preview. */
export const LEFT_OUT_WORDS: Readonly<Record<LeftOut['reason'], string>> = {
  budget: 'the time limit was reached',
  sample: 'other videos of the same definition are shown',
  undrawable: 'drawing failed',
  remote: 'the template is on the service',
  lfs_pointer: 'a file is a Git LFS pointer; git lfs pull fetches its content',
};
