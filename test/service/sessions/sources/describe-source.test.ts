import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_IMAGE_BYTES } from '../../../../src/engine/images/check-image.ts';
import { sha256 } from '../../../../src/kernel/digest.ts';
import { inspectIn } from '../../../../src/service/server/templates/open-sources.ts';
import { SessionFailure, type SourceKind } from '../../../../src/service/sessions/ports.ts';
import { describeSource, MAX_MEDIA_BYTES } from '../../../../src/service/sessions/sources/describe-source.ts';
import { checkSource as check, type InspectSource } from '../../../../src/service/sessions/sources/sources.ts';
import { mediaFile } from '../../../engine/media/media-files.ts';
import { testPicture } from '../../../engine/pictures.ts';
import { repeated } from '../../../support/bombs/bomb.ts';
import { colorsGif } from '../../../support/colors-gif.ts';
import { runs } from '../../../support/full-run.ts';
import { openPool } from '../../../support/render-pools.ts';
import { toneWav } from '../../../support/tone.ts';
import { animatedGif, animatedPng, animatedWebp, flatPng, manyScans } from './bomb-pictures.ts';

const checkSource = (bytes: Uint8Array, kind: SourceKind | 'any', inspect: InspectSource = describeSource) =>
  check(bytes, kind, { inspect, owner: 'acme' });

const TYPES = ['png', 'jpeg', 'webp', 'gif', 'avif'] as const;

async function codeOf(bytes: Uint8Array, kind: SourceKind = 'image'): Promise<string> {
  try {
    await checkSource(bytes, kind);
    return 'fine';
  } catch (error) {
    if (error instanceof SessionFailure) return error.error.code;
    throw error;
  }
}

describe('checkSource()', () => {
  it.each(TYPES)('detects a %s by its bytes', async (type) => {
    const bytes = await testPicture(70, 50).encode(type as 'png');
    const expected = { bytes, sha256: sha256(bytes), contentType: `image/${type}`, width: 70, height: 50 };
    expect(await checkSource(bytes, 'image')).toEqual(expected);
  });

  it.each([
    ['nothing', ''],
    ['a page', '<!doctype html><title>Log in</title>'],
    ['an SVG', '<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>'],
    ['an SVG behind a declaration', '<?xml version="1.0"?><svg/>'],
    ['a PDF', '%PDF-1.7'],
    ['a BMP', 'BM\x46\0\0\0'],
    ['a TIFF', 'II*\0'],
    ['an icon', '\0\0\x01\0'],
    ['a playlist', '#EXTM3U\nfile:///etc/passwd'],
    ['a program', '\x7fELF'],
    ['PostScript', '%!PS'],
    ['HEIC', '\0\0\0\x18ftypheic'],
    ['HEIC of the container brand', '\0\0\0\x1cftypmif1\0\0\0\0mif1heicmiaf'],
  ])('rejects %s', async (_, text) => expect(await codeOf(Buffer.from(text, 'latin1'))).toBe('asset_type_unsupported'));

  it.each([
    ['ftypheic\0\0\0\0mif1heic', 'image'],
    ['ftypmif1\0\0\0\0mif1heic', 'image'],
    ['ftypmif1\0\0\0\0mif1heic', 'video'],
    ['ftypmsf1\0\0\0\0msf1hevc', 'image'],
    ['ftypheic\0\0\0\0mif1heic', 'audio'],
    ['ftypmif1\0\0\0\0mif1heic', 'any'],
  ] as const)('names HEIC and the way out: %j as a source of the kind %s', async (brands, kind) => {
    const refused = checkSource(Buffer.from(`\0\0\0\x18${brands}`, 'latin1'), kind);
    await expect(refused).rejects.toMatchObject({
      error: {
        code: 'asset_type_unsupported',
        detail: expect.stringMatching(/^The file is a HEIC image, not .*; export it as PNG, JPEG or WebP$/),
      },
    });
  });

  it.each([
    ['too many bytes', () => Buffer.concat([flatPng(1, 1), Buffer.alloc(MAX_IMAGE_BYTES)])],
    ['a side of 20,000', () => flatPng(20_000, 20_000)],
    ['sides of four thousand million', () => flatPng(0xffff_ffff, 0xffff_ffff, [])],
    ['a GIF of 400 Mpx', () => animatedGif(20_000, 20_000, 1)],
    ['a GIF of 100,000 frames', () => animatedGif(200, 200, 100_000)],
    ['a WebP of 100,000 frames', () => animatedWebp(200, 200, 100_000)],
    ['a PNG of 50,000 frames', () => animatedPng(200, 200, 50_000)],
    ['a PNG of enormous frames', () => animatedPng(4000, 4000, 100)],
  ])('rejects a decompression bomb: %s', async (_, make) => expect(await codeOf(make())).toBe('asset_too_large'));

  it('rejects a JPEG with very many scans', async () => {
    const jpeg = await testPicture(2000, 2000).encode('jpeg');
    expect(await codeOf(manyScans(jpeg, 10))).toBe('fine');
    expect(await codeOf(manyScans(jpeg, 300))).toBe('asset_too_large');
  });

  it('accepts an animation of ordinary length', async () => {
    expect(await codeOf(animatedGif(500, 500, 300))).toBe('fine');
    expect(await codeOf(animatedWebp(500, 500, 300))).toBe('fine');
    expect(await codeOf(animatedPng(500, 500, 300))).toBe('fine');
  });

  it.each(['webp', 'png', 'avif'])('accepts a moving %s as an image and rejects it as a clip', async (type) => {
    const bytes = mediaFile(`moving.${type}`);
    expect(await codeOf(bytes)).toBe('fine');
    expect(await codeOf(bytes, 'video')).toBe('asset_type_unsupported');
    const still = await testPicture(70, 50).encode(type as 'png');
    expect(await codeOf(still, 'video')).toBe('fine');
  });

  it.each(TYPES)('rejects a truncated %s', async (type) => {
    const bytes = await testPicture(70, 50).encode(type as 'png');
    for (const share of [0.3, 0.6, 0.95]) {
      expect(await codeOf(bytes.subarray(0, Math.floor(bytes.length * share)))).toBe('asset_decode_failed');
    }
  });

  it.each([
    [
      'a PNG of chunks',
      '\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x09\0\0\0\x09\x08\0\0\0\0\0\0\0\0',
      '\0\0\0\0aAAA\0\0\0\0',
    ],
    ['an AVIF of boxes', '\0\0\0\x10ftypavif\0\0\0\0', '\0\0\0\x08free'],
    ['a JPEG of nothing', '\xff\xd8\xff\xe0\0\x02', '\xff'],
  ])('gives up on %s early', async (_, start, part) => {
    const bytes = Buffer.from(start + part.repeat(300_000), 'latin1');
    expect(await codeOf(bytes)).toBe('asset_decode_failed');
  });

  it('returns a result for any bytes', async () => {
    const whole = await Promise.all(TYPES.map((type) => testPicture(20, 20).encode(type as 'png')));
    const samples = [...whole, animatedGif(9, 9, 3), animatedWebp(9, 9, 3), animatedPng(9, 9, 3)];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...samples),
        fc.nat(400),
        fc.uint8Array({ maxLength: 40 }),
        async (bytes, at, noise) => {
          const damaged = Buffer.from(bytes);
          damaged.set(noise.subarray(0, Math.max(0, damaged.length - at)), Math.min(at, damaged.length));
          expect(await codeOf(damaged)).toMatch(/^(fine|asset_(too_large|decode_failed|type_unsupported))$/);
        },
      ),
      { numRuns: runs(2_000) },
    );
  });
});

describe('checkSource() of videos and sounds', () => {
  const gif = colorsGif([[255, 0, 0]], 20, 10);

  it('detects an image, a clip and a sound by their bytes', async () => {
    const png = flatPng(3, 4);
    expect(await checkSource(png, 'video')).toMatchObject({ contentType: 'image/png', width: 3, height: 4 });
    expect(await checkSource(gif, 'video')).toMatchObject({ contentType: 'image/gif', width: 20, height: 10 });
    const wav = toneWav(0.1);
    expect(await checkSource(wav, 'audio')).toEqual({ bytes: wav, sha256: sha256(wav), contentType: 'audio/wav' });
  });

  it.each<[string, SourceKind, Uint8Array]>([
    ['a sound as a video', 'video', toneWav(0.1)],
    ['a sound as an image', 'image', toneWav(0.1)],
    ['an image as a sound', 'audio', flatPng(1, 1)],
    ['an animation as a sound', 'audio', gif],
    ['a playlist', 'video', Buffer.from('#EXTM3U\nfile:///etc/passwd')],
    ['a playlist as a sound', 'audio', Buffer.from('#EXTM3U\nfile:///etc/passwd')],
  ])('rejects %s', async (_, kind, bytes) => expect(await codeOf(bytes, kind)).toBe('asset_type_unsupported'));

  it('rejects any media file over 200 MB', async () => {
    const large = new Uint8Array(MAX_MEDIA_BYTES + 1);
    large.set(gif);
    expect(await codeOf(large, 'video')).toBe('asset_too_large');
    expect(await codeOf(large, 'audio')).toBe('asset_too_large');
  });

  it('rejects a sound that is truncated in its header', async () => {
    expect(await codeOf(toneWav(0.1).subarray(0, 30), 'audio')).toBe('asset_decode_failed');
  });
});

describe('checkSource() of a file of any kind', () => {
  it.each<[string, Uint8Array]>([
    ['image/png', flatPng(1, 1)],
    ['image/gif', colorsGif([[0, 0, 0]])],
    ['audio/wav', toneWav(0.1)],
    ['video/quicktime', mediaFile('prores-4444.mov')],
    ['audio/mp4', mediaFile('alac.m4a')],
    ['audio/aiff', mediaFile('beep.aiff')],
    ['audio/x-caf', mediaFile('beep.caf')],
    ['audio/ac3', mediaFile('beep.ac3')],
    ['audio/x-ms-wma', mediaFile('beep.wma')],
  ])('detects %s', async (contentType, bytes) => {
    expect(await checkSource(bytes, 'any')).toMatchObject({ contentType });
  });

  it('rejects a file of no supported type', async () => {
    await expect(checkSource(Buffer.from('<svg/>'), 'any')).rejects.toMatchObject({
      error: { code: 'asset_type_unsupported' },
    });
  });
});

describe('checkSource() in a sandboxed process', () => {
  const inspect = (options: Parameters<typeof openPool>[0] = {}): InspectSource => inspectIn(openPool(options));
  const refused = (detail: string) => ({ error: { code: 'asset_too_large', detail } });

  it('returns the same as in this process, for small and large files', async () => {
    const inspectThere = inspect();
    const wav = toneWav(60);
    const webm = Buffer.alloc(1_200_000);
    webm.writeUInt32BE(0x1a45dfa3);
    for (const [bytes, kind] of [
      [wav, 'audio'],
      [flatPng(3, 4), 'video'],
      [flatPng(3, 4), 'any'],
      [wav, 'any'],
    ] as const) {
      const { bytes: _, ...there } = await checkSource(bytes, kind, inspectThere);
      const { bytes: __, ...here } = await checkSource(bytes, kind);
      expect(there).toEqual(here);
    }
    for (const [bytes, kind, code] of [
      [wav, 'video', 'asset_type_unsupported'],
      [webm, 'video', 'asset_decode_failed'],
      [Buffer.from('<svg/>'), 'any', 'asset_type_unsupported'],
    ] as const) {
      await expect(checkSource(bytes, kind, inspectThere)).rejects.toMatchObject({ error: { code } });
    }
  });

  it('reports that a file takes too much memory or time', async () => {
    // Takes about a second to read; usage is measured four times a second.
    const mp3 = repeated(mediaFile('beep.mp3').subarray(0, 104), 30_000_000);
    const tooLong = 'The file takes too long to read; convert it';
    await expect(checkSource(mp3, 'audio', inspect({ totalMs: 1 }))).rejects.toMatchObject(refused(tooLong));
    const tooMuch = 'The file takes too much memory to read; convert it';
    await expect(checkSource(mp3, 'audio', inspect({ memoryBytes: 2 ** 20 }))).rejects.toMatchObject(refused(tooMuch));
  });

  it('reports a process that cannot start as a crash, not as a bad file', async () => {
    const broken = inspect({ environment: { NODE_OPTIONS: '--require=/nonexistent.js' } });
    await expect(checkSource(toneWav(1), 'audio', broken)).rejects.toMatchObject({ code: 'render_crashed' });
  });
});
