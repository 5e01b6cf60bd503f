import { createCanvas } from '@napi-rs/canvas';
import { describe, expect, it } from 'vitest';
import type { PlanPreview, PreviewImage, PreviewStill } from '../../../src/report/preview/plan-preview.ts';
import { reencodeImages } from '../../../src/report/preview/reencode-images.ts';
import { pixels } from '../../engine/stored-frame.ts';
import { openPool } from '../../support/render-pools.ts';

const CANARY = Buffer.from('<script>canary</script>');

function picture(color: string, kind: 'png' | 'jpeg', width = 64, height = 36): PreviewImage {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  context.fillStyle = color;
  context.fillRect(0, 0, width, height);
  // Data that decoders ignore would stay in the file without being part of the image.
  const bytes = Buffer.concat([kind === 'png' ? canvas.toBuffer('image/png') : canvas.toBuffer('image/jpeg'), CANARY]);
  const url = 'https://github.com/acme/videos/raw/x.png';
  return { bytes, contentType: `image/${kind}`, width: 9, height: 9, url };
}

function previewOf(pairs: readonly (readonly [PreviewImage | null, PreviewImage])[]): PlanPreview {
  const stills = pairs.map(([before, after], timeSeconds): PreviewStill => {
    return { timeSeconds, editables: [], before, after, changedShare: null };
  });
  const drafts = { before: null, after: CANARY };
  const videos = new Map([['rome', { stills, isVisible: null, unseen: [], drafts }]]);
  return { videos, leftOut: [], contactSheet: null, matrices: [], seconds: { all: 1, rendering: 1 } };
}

describe('reencodeImages()', () => {
  it('keeps only the pixels of a file', async () => {
    const pool = openPool();
    const good = [picture('#ff0000', 'png'), picture('#0000ff', 'jpeg')] as const;
    const damaged = (bytes: Uint8Array): PreviewImage => ({ ...good[0], bytes });
    const cut = damaged(good[0].bytes.subarray(0, 60));
    const huge = picture('#00ff00', 'jpeg', 4000, 4000);
    const markup = damaged(Buffer.from('\x89PNG<svg onload="canary">'));
    const hostile = [cut, huge, markup].map((image) => [good[0], image] as const);
    const { preview, leftOut } = await reencodeImages(previewOf([good, ...hostile, [null, good[1]]]), {
      compare: (comparison) => pool.run('compare', comparison),
    });
    const video = preview.videos.get('rome')!;
    expect(leftOut).toBe(3);
    expect(video.drafts).toBeUndefined();
    expect(video.stills.map(({ timeSeconds }) => timeSeconds)).toEqual([0, 4]);
    const [{ before, after } = { before: null, after: good[0] }] = video.stills;
    const middle = async ({ bytes }: PreviewImage): Promise<number[]> =>
      [...(await pixels(bytes)).data.subarray(4 * 1000, 4 * 1000 + 3)].map((value) => Math.round(value / 16));
    expect([await middle(before!), await middle(after)]).toEqual([
      [16, 0, 0],
      [0, 0, 16],
    ]);
    for (const { bytes, ...image } of [before!, after]) {
      expect(image).toEqual({ contentType: 'image/jpeg', width: 64, height: 36, url: null });
      expect(Buffer.from(bytes).includes('canary')).toBe(false);
    }
  });

  it('limits the number of images', async () => {
    const pool = openPool();
    const many = Array.from({ length: 201 }, () => [null, picture('#ff0000', 'jpeg', 4, 4)] as const);
    const { preview, leftOut } = await reencodeImages(previewOf(many), {
      compare: (comparison) => pool.run('compare', comparison),
    });
    expect([preview.videos.get('rome')!.stills.length, leftOut]).toEqual([200, 1]);
  });
});
