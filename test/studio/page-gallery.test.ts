import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadImage } from '@napi-rs/canvas';
import { describe, expect, it } from 'vitest';
import type { PreviewState, TemplateDetail, VideoDetail } from '../../src/studio/protocol.ts';
import { definition, makeRepository } from '../support/repository.ts';
import { reelform } from '../support/test-io.ts';

function json<T>(path: string): T {
  return JSON.parse(readFileSync(path, 'utf8')) as T;
}

describe('reelform preview --build', () => {
  it('writes the page, all details, stills and finished files, and replaces an earlier gallery only', async () => {
    const root = makeRepository();
    await reelform(root, ['apply', '--auto-approve']);
    writeFileSync(join(root, 'videos/rome.yaml'), definition('Roma'));
    const { stdout, stderr, exitCode } = await reelform(root, ['preview', '--build', 'site']);
    expect({ stdout, stderr, exitCode }).toEqual({
      stdout: 'Wrote 3 videos, 5 stills, 3 finished files to site\n',
      stderr: '',
      exitCode: 0,
    });
    const site = join(root, 'site');
    expect(readFileSync(join(site, 'index.html'), 'utf8')).toContain('<html data-gallery');
    const { videos, templates, isLive } = json<PreviewState>(join(site, 'api/state.json'));
    expect({ isLive, states: videos.map(({ state }) => state) }).toEqual({
      isLive: false,
      states: ['up_to_date', 'up_to_date', 'changed'],
    });
    const drawn = [
      ...videos.flatMap((card) => [card.fingerprint, card.beforeFingerprint ?? []].flat()),
      templates[0]!.fingerprints!.example,
    ];
    for (const fingerprint of drawn) {
      expect(fingerprint).not.toContain(':');
      expect((await loadImage(join(site, 'api/still', fingerprint, '5.jpeg'))).width).toBe(64);
    }
    for (const { finished } of videos) {
      expect(readFileSync(join(site, finished!.url)).subarray(4, 8).toString()).toBe('ftyp');
    }
    const detail = json<VideoDetail>(join(site, 'api/video/rome.json'));
    expect(detail.card.fingerprint).toBe(videos[2]!.fingerprint);
    expect(json<TemplateDetail>(join(site, 'api/template/small.json')).stills).toHaveLength(1);

    writeFileSync(join(site, 'api/old.json'), '{}');
    expect((await reelform(root, ['preview', '--build', 'site'])).exitCode).toBe(0);
    expect(existsSync(join(site, 'api/old.json'))).toBe(false);
    mkdirSync(join(root, 'other'));
    writeFileSync(join(root, 'other/mine.txt'), '');
    const refused = await reelform(root, ['preview', '--build', 'other']);
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('folder_taken') });
    expect((await reelform(root, ['preview', '--build', 'x', '--open'])).stderr).toContain('options_conflict');
  });
});
