import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPointerSearch } from '../../../src/reconciler/project/find-pointers.ts';
import { pointerTo } from '../../support/lfs-pointer.ts';
import { resolveScenes, scenesOf } from '../../support/resolve-scenes.ts';
import { writeFiles } from '../../support/temporary-repository.ts';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'reelform-')));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const TEXT = `title: A
audio: {music: music.mp3}
resources: {logo: logo.png}
scenes:
  - {template: intro, resources: {t_01: x}, audio: {voice: voice.mp3}}
  - {template: card, resources: {t_01: x, clip: clip.mp4}}
`;

describe('createPointerSearch()', () => {
  it('finds the pointers among the values and tracks of all scenes, each at its value', () => {
    const pointer = pointerTo(Buffer.from('content'));
    const names = ['music.mp3', 'logo.png', 'voice.mp3', 'clip.mp4'];
    writeFiles(root, Object.fromEntries(names.map((name) => [name, pointer])));
    const files = { 'videos/a.yaml': TEXT };
    const { filled } = resolveScenes(files);
    const search = createPointerSearch({ root, templates: new Map(), filled, source: () => TEXT });
    const found = search(scenesOf(files)[0]!);
    expect(found.map(({ code, at }) => [code, TEXT.slice(at!.start, at!.end)])).toEqual(
      ['logo.png', 'voice.mp3', 'logo.png', 'clip.mp4', 'music.mp3'].map((name) => ['lfs_pointer', name]),
    );
  });
});
