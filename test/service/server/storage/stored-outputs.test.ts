import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sha256 } from '../../../../src/kernel/digest.ts';
import type { ObjectStorage } from '../../../../src/service/server/ports.ts';
import { createDiskStorage } from '../../../../src/service/server/storage/object-storage.ts';
import { createOutputFiles, createStoredOutputs } from '../../../../src/service/server/storage/stored-outputs.ts';
import type { OutputStore } from '../../../../src/service/sessions/ports.ts';
import { renderingWarnings } from '../../../../src/service/sessions/session-problems.ts';
import { renderedFile } from '../../../support/in-memory.ts';

const DIGEST = sha256('input');
const RECORD = `renderings/${DIGEST}/rendering.json`;
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const VIDEO = bytes('0123456789');
const RENDERING = await renderedFile({
  video: VIDEO,
  stills: [
    { name: 'stillcut_01', bytes: bytes('still one'), width: 64, height: 36 },
    { name: 'b', bytes: bytes('still b'), width: 64, height: 36 },
  ],
});

let directory: string;
let storage: ObjectStorage;
let outputs: OutputStore;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'reelform-outputs-'));
  storage = createDiskStorage(directory);
  outputs = createStoredOutputs(storage);
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const files = () =>
  createOutputFiles({
    index: {
      findOutput: async (place) =>
        'outputName' in place && place.outputName === 'known'
          ? { inputDigest: DIGEST, title: 'Summer/Sale: "Berlin"' }
          : null,
    },
    storage,
    key: new Uint8Array(32),
  });

describe('createStoredOutputs()', () => {
  test('gives every session its own URLs to the same files', async () => {
    const [first] = await outputs.save(DIGEST, 'name-1', [RENDERING]);
    expect(first).toEqual({
      video_url: '/outputs/name-1/video.mp4',
      thumbnails: ['/outputs/name-1/stillcut_01.jpg', '/outputs/name-1/b.jpg'],
      bytes: 10,
      sha256: sha256(VIDEO),
    });
    expect((await outputs.find(DIGEST, 'name-2'))?.[0]?.video_url).toBe('/outputs/name-2/video.mp4');
    expect(await storage.list('renderings/')).toHaveLength(1);
  });

  test('stores the loudness that a further file misses, with its name', async () => {
    const missed = { code: 'loudness_missed', editable: null, integrated: -16.2, target: -8 } as const;
    const others = [{ ...RENDERING, findings: [missed] }, RENDERING];
    await outputs.save(DIGEST, 'name-1', [RENDERING, ...others], ['web', 'loop']);
    const findings = (await outputs.find(DIGEST, 'name-2'))![0]!.findings!;
    expect(findings).toEqual([{ ...missed, output: 'web' }]);
    const [warning] = renderingWarnings(findings, { scenes: [] } as never);
    expect(warning).toMatchObject({ detail: 'The finished sound of output web has -16.2 LUFS; requested are -8 LUFS' });
  });

  test('stores the findings of the render', async () => {
    const text = { editable: 't_01', text: '漢', font: 'Test-Regular', characters: ['漢'], overflow: 0 };
    const findings = [{ code: 'glyph_missing', ...text } as const];
    await outputs.save(DIGEST, 'name-1', [{ ...RENDERING, findings }]);
    expect((await outputs.find(DIGEST, 'name-2'))?.[0]?.findings).toEqual(findings);
  });

  test('stores what was measured of the sound', async () => {
    const loudness = { integrated: -14.02, true_peak: -1.2 };
    const saved = await outputs.save(DIGEST, 'name-1', [{ ...RENDERING, loudness }]);
    expect(saved[0]?.loudness).toEqual(loudness);
    expect((await outputs.find(DIGEST, 'name-2'))?.[0]?.loudness).toEqual(loudness);
  });

  test('stores and serves the files beside the main one', async () => {
    const further = [
      await renderedFile({ format: 'mp4', video: bytes('small') }),
      await renderedFile({ format: 'png', video: bytes('picture') }),
    ];
    const saved = await outputs.save(DIGEST, 'known', [RENDERING, ...further], ['web', 'poster']);
    const urls = ['web.mp4', 'poster.png'].map((file) => `/outputs/known/video.${file}`);
    expect(saved.slice(1).map(({ video_url }) => video_url)).toEqual(urls);
    expect(saved.slice(1).map(({ bytes: size }) => size)).toEqual([5, 7]);
    expect(await outputs.find(DIGEST, 'known')).toEqual(saved);
    const opened = await outputs.openVideo({
      inputDigest: DIGEST,
      video_url: urls[1]!,
    });
    expect(opened).toMatchObject({ contentType: 'image/png', size: 7, sha256: sha256('picture') });
    expect((await buffer(opened!.stream())).toString()).toBe('picture');
    const found = await files().find({ outputName: 'known' }, 'video.web.mp4');
    expect(found).toMatchObject({ size: 5, contentType: 'video/mp4', fileName: 'Summer-Sale- -Berlin-.web.mp4' });
    await storage.put(`renderings/${DIGEST}/video.poster.png`, bytes('pic'));
    expect(await outputs.find(DIGEST, 'known')).toBeNull();
  });

  test('finds nothing before the last file is stored', async () => {
    expect(await outputs.find(DIGEST, 'n')).toBeNull();
    // State after a crash in the middle of save().
    await storage.put(`renderings/${DIGEST}/video.mp4`, RENDERING.video);
    expect(await outputs.find(DIGEST, 'n')).toBeNull();
  });

  test.each(['video.mp4', 'b.jpg'])(
    'finds nothing when %s is missing or truncated, until it is saved again',
    async (file) => {
      await outputs.save(DIGEST, 'n', [RENDERING]);
      await rm(join(directory, 'renderings', DIGEST, file));
      expect(await outputs.find(DIGEST, 'n')).toBeNull();
      await outputs.save(DIGEST, 'n', [RENDERING]);
      expect(await outputs.find(DIGEST, 'n')).not.toBeNull();
      await storage.put(`renderings/${DIGEST}/video.mp4`, bytes('01'));
      expect(await outputs.find(DIGEST, 'n')).toBeNull();
    },
  );

  test.each(['', '{', 'null', '[]', '{"bytes":1}'])('finds nothing where rendering.json is %j', async (text) => {
    await outputs.save(DIGEST, 'n', [RENDERING]);
    await storage.put(`renderings/${DIGEST}/rendering.json`, bytes(text));
    expect(await outputs.find(DIGEST, 'n')).toBeNull();
  });

  test('keeps existing bytes', async () => {
    await outputs.save(DIGEST, 'n', [RENDERING]);
    await outputs.save(DIGEST, 'm', [await renderedFile({ video: bytes('the same, encoded elsewhere') })]);
    expect((await storage.stat(`renderings/${DIGEST}/video.mp4`))?.size).toBe(10);
  });
});

describe('createOutputFiles()', () => {
  test('finds the video with a digest as its ETag', async () => {
    await outputs.save(DIGEST, 'known', [RENDERING]);
    const file = await files().find({ outputName: 'known' }, 'video.mp4');
    expect(file).toMatchObject({
      size: 10,
      contentType: 'video/mp4',
      etag: sha256(VIDEO),
      fileName: 'Summer-Sale- -Berlin-.mp4',
    });
    expect((await buffer(file!.stream({ start: 2, end: 5 }))).toString()).toBe('234');
  });

  test.each([
    ['webm', 'video.webm', 'video/webm', '.webm'],
    ['gif', 'video.gif', 'image/gif', '.gif'],
    ['webp', 'video.webp', 'image/webp', '.webp'],
    ['png', 'video.png', 'image/png', '.png'],
    ['png_sequence', 'video.zip', 'application/zip', '.zip'],
  ] as const)('finds a %s as %s with its content type', async (format, name, contentType, ending) => {
    const [saved] = await outputs.save(DIGEST, 'known', [{ ...RENDERING, format }]);
    expect(saved?.video_url).toBe(`/outputs/known/${name}`);
    const file = await files().find({ outputName: 'known' }, name);
    expect(file).toMatchObject({ size: 10, contentType, fileName: `Summer-Sale- -Berlin-${ending}` });
    expect(await files().find({ outputName: 'known' }, 'video.mp4')).toBeNull();
  });

  test('treats a record without a format as MP4', async () => {
    await outputs.save(DIGEST, 'known', [RENDERING]);
    const { format: _, ...old } = JSON.parse(Buffer.from((await storage.read(RECORD))!).toString());
    await storage.put(RECORD, bytes(JSON.stringify(old)));
    expect(await files().find({ outputName: 'known' }, 'video.mp4')).toMatchObject({ contentType: 'video/mp4' });
    await storage.put(RECORD, bytes(JSON.stringify({ ...old, format: 'avi' })));
    expect(await files().find({ outputName: 'known' }, 'video.mp4')).toBeNull();
  });

  test('finds the stills', async () => {
    await outputs.save(DIGEST, 'known', [RENDERING]);
    const file = await files().find({ outputName: 'known' }, 'b.jpg');
    expect(file).toMatchObject({ size: 7, contentType: 'image/jpeg', fileName: 'Summer-Sale- -Berlin- b.jpg' });
    expect(file?.etag).toMatch(/^[\w-]+$/);
    expect((await buffer(file!.stream())).toString()).toBe('still b');
  });

  test.each(['rendering.json', 'c.jpg', '../x', 'video.mp4/', '', 'stillcut_01', '.unfinished'])(
    'returns null for %j',
    async (file) => {
      await outputs.save(DIGEST, 'known', [RENDERING]);
      expect(await files().find({ outputName: 'known' }, file)).toBeNull();
    },
  );

  test('returns null for an unknown name and for missing files', async () => {
    await outputs.save(DIGEST, 'known', [RENDERING]);
    expect(await files().find({ outputName: 'unknown' }, 'video.mp4')).toBeNull();
    await storage.remove(`renderings/${DIGEST}/`);
    expect(await files().find({ outputName: 'known' }, 'video.mp4')).toBeNull();
  });
});
