import { describe, expect, it } from 'vitest';
import type { OutputRequest } from '../../../src/contract/wire/output.ts';
import type { SceneRequest, ScenesRequest } from '../../../src/contract/wire/scene-request.ts';
import { RENDER_EPOCH } from '../../../src/engine/render-epoch.ts';
import { canonicalJson, type Sha256, sha256 } from '../../../src/kernel/digest.ts';
import { inputDigest, renderingDigest } from '../../../src/service/sessions/input-digest.ts';
import { CLIP, mediaPackage, VOICE } from '../../support/media-package.ts';
import { scenesOfMapping } from '../../support/scenes-of-mapping.ts';

const TEMPLATE = mediaPackage();
const PHOTO = '(Footage)/USER/photo.png';
const REMOTE = { source: { remote_url: 'https://example.com/a' } };
const RESOURCES = {
  t_01: { source: { text: 'Hi' } },
  [PHOTO]: { ...REMOTE, transform: { crop_strategy: 'cover' } },
} as const;
const SOURCES = new Map<string, Sha256>([
  [PHOTO, sha256('photo')],
  ['audio_tracks.main', sha256('music')],
  ['audio_tracks.other', sha256('music')],
]);

type Values = Partial<Parameters<typeof scenesOfMapping>[1]> & { readonly output?: OutputRequest };

function digest(more: Values = {}, sources: ReadonlyMap<string, Sha256> = SOURCES): Sha256 {
  const { output, ...values } = { resources: RESOURCES, ...more };
  return inputDigest({ ...scenesOfMapping(TEMPLATE, values, sources), output });
}

describe('sceneDigest()', () => {
  it('is unchanged for requests without newer features', () => {
    const before = {
      render_epoch: RENDER_EPOCH,
      template: TEMPLATE.digest,
      resources: { t_01: { text: 'Hi' }, [PHOTO]: { sha256: sha256('photo'), transform: { crop_strategy: 'cover' } } },
    };
    expect(digest()).toBe(sha256(canonicalJson(before)));
    expect(digest({ audio_tracks: {}, font_changes: {}, output: {} })).toBe(digest());
    expect(digest({ output: { format: 'mp4', height: 36, fps: 10, quality: 'high' } })).toBe(digest());
  });

  it('is unchanged when a default is written out', () => {
    const picture = (transform?: object) => {
      const value = transform === undefined ? REMOTE : { ...REMOTE, transform };
      return digest({ resources: { ...RESOURCES, [PHOTO]: value } });
    };
    expect([picture(), picture({ focus_x: 0.5 }), picture({ crop_strategy: 'cover', focus_y: 0.5 })]).toEqual(
      Array(3).fill(digest()),
    );
    expect(picture({ focus_x: 0.4 })).not.toBe(digest());
    const track = (transform?: object) =>
      digest({ audio_tracks: { main: { ...REMOTE, ...(transform && { transform }) } } });
    expect(track({ volume: 1, loop: false, fade_in: 0 })).toBe(track());
  });

  it('changes with everything that affects frames, sound or file', () => {
    const track = (transform: object) => ({ audio_tracks: { main: { ...REMOTE, transform } } });
    const change = (font: string) => ({ font_changes: { 'Test-Regular': { source: { font } } } });
    const all = [
      digest(),
      digest(track({})),
      digest(track({ loop: true })),
      digest(track({}), new Map([...SOURCES, ['audio_tracks.main', sha256('other music')]])),
      digest(change('Spare-Italic')),
      digest(change('Wide-Regular')),
      digest({ output: { format: 'webm' } }),
      digest({ output: { height: 18 } }),
      digest({ output: { fps: 5 } }),
      digest({ output: { quality: 'low' } }),
    ];
    expect(new Set(all).size).toBe(all.length);
  });

  it('is unchanged when a track is renamed or comes from another URL', () => {
    const named = (name: string, remote_url: string) =>
      digest({ audio_tracks: { [name]: { source: { remote_url } } } });
    expect(named('main', 'https://a.example')).toBe(named('other', 'https://b.example'));
  });
});

describe('a raised sound epoch', () => {
  const [silent, noisy] = [{ ...TEMPLATE, sounds: new Map() }, TEMPLATE];
  const sources = new Map([...SOURCES, [CLIP, sha256('clip')], [VOICE, sha256('voice')]]);
  const epochs = (template: typeof TEMPLATE, more: Values = {}): Sha256[] =>
    [0, 1].map((epoch) => {
      const { output, ...values } = { resources: RESOURCES, ...more };
      return inputDigest({ ...scenesOfMapping(template, values, sources), output }, epoch);
    });
  const filled = (key: string, transform: object) => ({ resources: { ...RESOURCES, [key]: { ...REMOTE, transform } } });

  it.each<[string, Values, typeof TEMPLATE]>([
    ['the sound of its template', {}, noisy],
    ['a track', { audio_tracks: { main: REMOTE } }, silent],
    ['a filled sound', filled(VOICE, {}), silent],
    ['a clip with a volume', filled(CLIP, { crop_strategy: 'cover', volume: 0.5 }), silent],
    ['sound in a webm', { output: { format: 'webm' } }, noisy],
  ])('changes the digest of a video with %s', (_, values, template) => {
    const [before, after] = epochs(template, values);
    expect(after).not.toBe(before);
  });

  it.each<[string, Values, typeof TEMPLATE]>([
    ['without sounds', {}, silent],
    ['with a clip of the default volume', filled(CLIP, { crop_strategy: 'cover' }), silent],
    ['with a clip of volume 0', filled(CLIP, { crop_strategy: 'cover', volume: 0 }), silent],
    ['whose format is silent', { output: { format: 'gif' }, audio_tracks: { main: REMOTE } }, noisy],
  ])('keeps the digest of a video %s', (_, values, template) => {
    const [before, after] = epochs(template, values);
    expect(after).toBe(before);
  });
});

describe('renderingDigest()', () => {
  it('differs by scope and equals the input digest for the shared scope', () => {
    const renderInput = digest();
    expect(renderingDigest(renderInput, '')).toBe(renderInput);
    expect(new Set(['', 'acme', 'other'].map((scope) => renderingDigest(renderInput, scope))).size).toBe(3);
    expect(renderingDigest(renderInput, 'acme')).toMatch(/^[0-9a-f]{64}$/);
    expect(renderingDigest(renderInput, 'acme')).toBe(renderingDigest(renderInput, 'acme'));
  });
});

describe('the digest of scenes', () => {
  const { video, templates, sources } = scenesOfMapping(TEMPLATE, { resources: RESOURCES }, SOURCES);
  const [scene] = video.scenes;
  const digestOf = (scenes: readonly SceneRequest[], more: Partial<ScenesRequest> = {}): Sha256 => {
    const each = { scenes: scenes.map(() => sources.scenes[0]!), tracks: sources.tracks };
    return inputDigest({ video: { scenes: [...scenes], ...more }, templates, sources: each });
  };
  const intro = { ...scene!, id: 'intro' };

  it('of a single scene at its own times is that of its mapping', () => {
    const { width, height, fps } = TEMPLATE;
    expect(digestOf([intro])).toBe(digest());
    expect(digestOf([intro], { size: [width, height], rate: fps })).toBe(digest());
    expect(digestOf([{ ...intro, seconds: TEMPLATE.frameCount / fps, timing: [] }])).toBe(digest());
  });

  it('does not depend on ids, and on everything that is shown', () => {
    const outro = { ...intro, id: 'outro' };
    const both = digestOf([intro, outro]);
    expect(digestOf([{ ...intro, id: 'a' }, outro])).toBe(both);
    const transition = { type: 'fade', duration: 0.2 } as const;
    const others = [
      digestOf([intro]),
      digestOf([intro, { ...outro, transition }]),
      digestOf([intro, { ...outro, transition: { ...transition, easing: 'linear' } }]),
      digestOf([intro, { ...outro, seconds: 9 }]),
      digestOf([intro, { ...outro, background: 'FFFFFF' }]),
      digestOf([intro, outro], { rate: 20 }),
    ];
    expect(new Set([both, ...others]).size).toBe(others.length + 1);
  });
});
