import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { pointerTo } from '../support/lfs-pointer.ts';
import { PreviewClient } from '../support/preview-client.ts';
import { makeRepository } from '../support/repository.ts';
import { reelform } from '../support/test-io.ts';

const PHOTO = 'videos/images/photo.png';

it('names Git LFS pointers in place of finished files and pictures', async () => {
  const root = makeRepository();
  expect((await reelform(root, ['apply', '--auto-approve'])).exitCode).toBe(0);
  const { videos: entries } = JSON.parse(readFileSync(join(root, 'reelform.lock.json'), 'utf8'));
  for (const path of [PHOTO, entries.berlin.video_url as string]) {
    writeFileSync(join(root, path), pointerTo(readFileSync(join(root, path))));
  }
  const page = await PreviewClient.start(root);
  const { videos } = await page.state();
  expect(videos.map(({ id, finished }) => [id, finished?.isPointer])).toEqual([
    ['berlin', true],
    ['oslo', undefined],
    ['rome', undefined],
  ]);
  const still = `/api/still/${encodeURIComponent(videos[0]!.fingerprint)}/0.png`;
  for (const path of [`/api/file?path=${PHOTO}`, `/${videos[0]!.finished!.url}`, still]) {
    expect({ path, ...(await page.get(path)) }).toMatchObject({
      path,
      status: 422,
      json: { code: 'lfs_pointer', hint: expect.stringContaining('git lfs pull') },
    });
  }
  expect(await page.close()).toBe(0);
});
