import { describe, expect, test } from 'vitest';
import { checkClip, checkSound, MAX_SOUND_BYTES } from '../../../src/engine/media/check-media.ts';
import { findBoxProblem } from '../../../src/engine/media/check-mp4.ts';
import type { RenderError } from '../../../src/engine/render-error.ts';
import { mediaFile, numberedClip, speechSound, stereoWav } from './media-files.ts';

async function refused(checking: Promise<unknown>): Promise<RenderError> {
  const error = (await checking.then(
    () => undefined,
    (reason: unknown) => reason,
  )) as RenderError;
  expect(error).toMatchObject({ name: 'RenderError', imageName: 'clip' });
  return error;
}

describe('checkClip()', () => {
  const clips: [string, object][] = [
    ['b-frames-25.mp4', { type: 'mp4', width: 64, height: 36, durationSeconds: 4, fps: 25, hasSound: false }],
    ['vp9-29.97.webm', { type: 'webm', width: 64, height: 36, hasSound: false }],
    ['hevc-open-gop-60.mov', { type: 'mov', width: 64, height: 36, durationSeconds: 3, hasSound: false }],
  ];
  test.each(clips)('describes %s', async (file, expected) => {
    expect(await checkClip(mediaFile(file), 'clip')).toMatchObject(expected);
  });

  const strangers: [string, string][] = [
    ['a playlist', '#EXTM3U\n#EXTINF:10,\nfile:///etc/passwd\n'],
    ['a concatenation', "ffconcat version 1.0\nfile '/etc/passwd'\n"],
    ['a manifest', '<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011"></MPD>'],
    ['a picture', '\x89PNG\r\n\x1a\n\0\0\0\rIHDR'],
    ['nothing', ''],
  ];
  test.each(strangers)('rejects %s, whatever its name', async (_, text) => {
    expect((await refused(checkClip(Buffer.from(text, 'latin1'), 'clip'))).code).toBe('asset_type_unsupported');
    expect((await refused(checkSound(Buffer.from(text, 'latin1'), 'clip'))).code).toBe('asset_type_unsupported');
  });

  test('rejects a sound', async () => {
    expect((await refused(checkClip(mediaFile('beep.m4a'), 'clip'))).code).toBe('asset_type_unsupported');
  });

  test('rejects too many pixels in the index and in the pictures themselves', async () => {
    const bytes = Buffer.from(await numberedClip(25, 2));
    const entry = bytes.indexOf('avc1', bytes.indexOf('stsd'));
    bytes.writeUInt16BE(5000, entry + 4 + 24);
    expect((await refused(checkClip(bytes, 'clip'))).code).toBe('asset_too_large');
  });

  test('rejects a file that is truncated before the end of its index', async () => {
    const bytes = await numberedClip(25, 2);
    expect((await refused(checkClip(bytes.subarray(0, 300), 'clip'))).code).toBe('asset_decode_failed');
  });

  test('rejects tables that declare billions of samples before counting them', async () => {
    const bytes = mediaFile('b-frames-25.mp4');
    bytes.writeUInt32BE(0xffffffff, bytes.indexOf('stts') + 12);
    expect(findBoxProblem(bytes)).toBe('it names too many samples');
    expect((await refused(checkClip(bytes, 'clip'))).code).toBe('asset_decode_failed');
  });

  test('rejects boxes that contain themselves or are nested too deeply', () => {
    const nested = (depth: number): Buffer => {
      const inner = depth === 0 ? Buffer.alloc(0) : nested(depth - 1);
      const box = Buffer.alloc(8);
      box.writeUInt32BE(8 + inner.length);
      box.write('moov', 4);
      return Buffer.concat([box, inner]);
    };
    expect(findBoxProblem(nested(5))).toBeUndefined();
    expect(findBoxProblem(nested(50))).toBe('it has too many boxes');
    const short = nested(0);
    short.writeUInt32BE(4);
    expect(findBoxProblem(short)).toBe('the box moov is smaller than its header');
  });
});

describe('checkSound()', () => {
  test('describes a sound, also that of a video', async () => {
    const wav = stereoWav(44_100, new Float32Array(22_050));
    expect(await checkSound(wav, 'clip')).toEqual({
      type: 'wav',
      durationSeconds: 0.5,
      sampleRate: 44_100,
      channels: 2,
    });
    expect(await checkSound(mediaFile('beep.m4a'), 'clip')).toMatchObject({
      type: 'mp4',
      durationSeconds: 0.5,
      channels: 1,
    });
    expect((await refused(checkSound(mediaFile('b-frames-25.mp4'), 'clip'))).message).toBe('The file has no sound');
  });

  test('suggests a format to convert to when there is no decoder', async () => {
    const { code, message } = await refused(checkSound(speechSound(), 'clip'));
    expect([code, message]).toEqual([
      'asset_type_unsupported',
      "The sound's codec samr is not supported; convert it to MP3, WAV, or AAC in M4A",
    ]);
  });

  test('lists the codecs allowed in an Ogg file', async () => {
    const speex = Buffer.from(mediaFile('beep.ogg').toString('latin1').replace('OpusHead', 'Speex   '), 'latin1');
    const { code, message } = await refused(checkSound(speex, 'clip'));
    expect([code, message]).toEqual([
      'asset_type_unsupported',
      'The Ogg file has no sound in Opus or Vorbis; convert it to MP3, WAV, or AAC in M4A',
    ]);
  });

  test('rejects too many bytes', async () => {
    expect((await refused(checkSound(new Uint8Array(MAX_SOUND_BYTES + 1), 'clip'))).code).toBe('asset_too_large');
  });
});
