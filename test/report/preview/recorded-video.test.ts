import { describe, expect, it } from 'vitest';
import type { Video } from '../../../src/reconciler/definition/video.ts';
import type { LockEntry } from '../../../src/reconciler/lock/lock.ts';
import { recordedVideo } from '../../../src/report/preview/recorded-video.ts';
import { desiredScenes, type SceneParts, scene, sceneVideo } from '../../reconciler/plan/scene-videos.ts';
import { lockOf, text } from '../../reconciler/plan/videos.ts';
import { smallPackage } from '../../support/small-package.ts';

const { spec } = smallPackage();
const DIGEST = 'ab'.repeat(32);
const PHOTO = '(Footage)/USER/photo.png';
const video = {
  id: 'berlin',
  scenes: [
    {
      id: 'launch',
      template: 'launch',
      resources: new Map([
        ['t_01', { kind: 'text', text: 'New' }],
        ['c_01', { kind: 'color', color: 'FFFFFF' }],
      ]),
      fonts: new Map(),
      audio: new Map(),
    },
  ],
  audio: new Map(),
} as unknown as Video;
const desired = { scenes: video.scenes, styleVersions: { launch: 'tsv_1' }, inputs: { t_01: 'New', c_01: 'FFFFFF' } };

/** Returns the texts, colours and files of the video according to the lockfile; null if they are incomplete. */
function former(inputs: Record<string, string>, { styleVersion = 'tsv_1', wanted = desired.inputs } = {}) {
  const entry = { style_version: styleVersion, inputs } as unknown as LockEntry;
  const fileOf = (digest: string): string | null => (digest === DIGEST ? 'images/old.png' : null);
  const found = recordedVideo({
    entry,
    desired: { ...desired, inputs: () => wanted } as never,
    video,
    specOf: () => spec,
    fileOf,
  });
  return found && Object.fromEntries(found.scenes[0]!.resources);
}

describe('recordedVideo()', () => {
  it('restores texts, colours and existing files from the lockfile', () => {
    expect(former({ t_01: 'Old', c_01: 'FFFFFF', [PHOTO]: `sha256:${DIGEST}` })).toEqual({
      t_01: { kind: 'text', text: 'Old' },
      c_01: { kind: 'color', color: 'FFFFFF' },
      [PHOTO]: {
        kind: 'image',
        source: { kind: 'file', path: 'images/old.png' },
        transform: { crop_strategy: 'cover' },
      },
    });
  });

  it('restores the values of each scene, unless scenes or their placement changed', () => {
    const film = (texts: readonly string[], parts: SceneParts = {}) =>
      sceneVideo(
        'film',
        texts.map((value, index) => scene('card', { id: `c${index}`, resources: { t_01: text(value) }, ...parts })),
      );
    const restored = (was: Video, is: Video) => {
      const entry = lockOf(desiredScenes(was)).videos.get('film')!;
      const found = recordedVideo({
        entry,
        desired: desiredScenes(is),
        video: is,
        specOf: () => spec,
        fileOf: () => null,
      });
      return found?.scenes.map(({ id, resources }) => [id, resources.get('t_01')]);
    };
    expect(restored(film(['a', 'old']), film(['a', 'new']))).toEqual([
      ['c0', { kind: 'text', text: 'a' }],
      ['c1', { kind: 'text', text: 'old' }],
    ]);
    expect(restored(film(['a', 'old']), film(['a', 'new', 'b']))).toBeUndefined();
    expect(restored(film(['a', 'old']), film(['a', 'new'], { duration: 5 }))).toBeUndefined();
    expect(restored(film(['a', 'old'], { duration: 5 }), film(['a', 'new']))).toBeUndefined();
  });

  it('returns null if the lockfile does not record everything', () => {
    const digest = 'cd'.repeat(32);
    expect(former({ t_01: `sha256:${digest}`, c_01: 'FFFFFF' })).toBeNull();
    expect(former({ t_01: 'Old', c_01: 'FFFFFF', [PHOTO]: `sha256:${digest}` })).toBeNull();
    expect(former({ t_01: 'Old', c_01: 'FFFFFF', 'audio.music': `sha256:${DIGEST}` })).toBeNull();
    expect(former({ t_01: 'Old' }, { styleVersion: 'tsv_0' })).toBeNull();
    const wanted = { ...desired.inputs, 'audio.music': 'https://example.com/a.mp3' };
    expect(former({ t_01: 'Old', c_01: 'FFFFFF' }, { wanted })).toBeNull();
  });
});
