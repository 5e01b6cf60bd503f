import type { PlanPreview, PreviewImage } from '../../../src/report/preview/plan-preview.ts';
import { solidPng } from '../../support/small-package.ts';

/** Returns a picture of one colour. */
export function image(color: string, width = 64, height = 36): PreviewImage {
  return { bytes: solidPng(color, width, height), contentType: 'image/png', width, height, url: null };
}

/** Returns a preview for the changes of `everyAction`: one visible, one invisible, one new, one left out. */
export function examplePreview(): PlanPreview {
  const still = { timeSeconds: 2, editables: ['Headline'], before: image('#eeada7'), after: image('#ff8800') };
  const drafts = { before: new Uint8Array([1, 2]), after: new Uint8Array([3, 4]) };
  return {
    videos: new Map([
      ['berlin', { stills: [{ ...still, changedShare: 0.25 }], isVisible: true, unseen: ['sound'], drafts }],
      ['paris', { stills: [{ ...still, before: null, changedShare: null }], isVisible: null, unseen: [] }],
      ['vienna', { stills: [{ ...still, changedShare: 0 }], isVisible: false, unseen: [] }],
    ]),
    leftOut: [{ id: 'bergen', reason: 'budget' }],
    contactSheet: image('#888888', 320, 200),
    matrices: [],
    seconds: { all: 2, rendering: 1 },
  };
}
