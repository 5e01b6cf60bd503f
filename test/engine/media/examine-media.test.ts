import { describe, expect, it } from 'vitest';
import type { Transform } from '../../../src/contract/wire/mapping.ts';
import { examineMedia } from '../../../src/engine/media/examine-media.ts';
import type { InputSound, RenderInput } from '../../../src/template/render-input.ts';
import { imageLayer, inputOf } from '../inputs.ts';
import { mediaFile, numberedClip, stereoWav } from './media-files.ts';

/** A clip in a layer shown for this many seconds at ten frames each, with a still in the middle. */
function clipInput(bytes: Uint8Array, seconds: number, transform: Transform = {}): RenderInput {
  const clip = { assetId: 'clip', width: 64, height: 36, bytes, transform, name: 'v_01' };
  const asset = { id: 'clip', w: 64, h: 36, u: '', p: 'clip.mp4', e: 0 };
  const frameCount = seconds * 10;
  const stills = [{ name: 'stillcut_01', frame: frameCount / 2 }];
  const document = { fr: 10, op: frameCount, assets: [asset] };
  return inputOf([imageLayer(1, 'clip')], { fps: 10, frameCount, clips: [clip], stills, document });
}

function soundInput(bytes: Uint8Array, changes: Partial<InputSound> = {}): RenderInput {
  const times = { startSeconds: 1, endSeconds: 6, optional: false };
  const sound = { bytes, name: 'a_01', ...times, transform: {}, ...changes };
  return inputOf([], { fps: 10, frameCount: 60, sounds: [sound], document: { fr: 10, op: 60 } });
}

function cut(bytes: Uint8Array, share: number): Uint8Array {
  return bytes.subarray(0, Math.floor(bytes.length * share));
}

/** A GIF with `count` pictures of a single pixel, each shown for a fifth of a second. */
function gif(count: number): Buffer {
  const picture = '21f90400140000002c00000000010001000002024401 00'.replace(' ', '');
  return Buffer.from(`4749463839610100010080000000 0000ffffff${picture.repeat(count)}3b`.replace(' ', ''), 'hex');
}

describe('examineMedia()', () => {
  it('reports nothing for whole files that are long enough', async () => {
    for (const [file, seconds] of [
      ['b-frames-25.mp4', 4],
      ['av1-24.mp4', 3],
      ['hevc-open-gop-60.mov', 3],
      ['vp9-29.97.webm', 3],
      ['vp8-hidden-30.webm', 3],
      ['edit-list-25.mp4', 3],
    ] as const) {
      expect(await examineMedia(clipInput(mediaFile(file), seconds)), file).toEqual([]);
    }
    for (const file of ['beep.flac', 'beep.m4a', 'beep.mp3', 'beep.ogg', 'alac.m4a']) {
      expect(await examineMedia(soundInput(mediaFile(file))), file).toEqual([]);
    }
    expect(await examineMedia(soundInput(stereoWav(8000, new Float32Array(800))))).toEqual([]);
    expect(await examineMedia(clipInput(gif(10), 2))).toEqual([]);
    expect(await examineMedia(clipInput(gif(1), 2)), 'a single picture need not move').toEqual([]);
  });

  it('reports a clip that ends early and the still that shows its last picture', async () => {
    const clip = await numberedClip(10, 20);
    const [finding, ...more] = await examineMedia(clipInput(clip, 4, { trim_start_time: 0.5 }));
    expect(finding).toEqual({
      code: 'clip_ends_early',
      editable: 'v_01',
      frame: 20,
      seconds: 2,
      still: 'stillcut_01',
      freezesAtSeconds: 1.5,
      neededSeconds: 4,
      lengthSeconds: expect.closeTo(1.5, 3),
    });
    expect(more).toEqual([]);
    expect(await examineMedia(clipInput(gif(3), 2))).toMatchObject([{ code: 'clip_ends_early', frame: 10 }]);
  });

  it('reports truncated files', async () => {
    expect(await examineMedia(clipInput(cut(mediaFile('b-frames-25.mp4'), 0.6), 4))).toMatchObject([
      { code: 'media_truncated', editable: 'v_01', still: 'stillcut_01', announcedSeconds: 4, presentSeconds: 0.64 },
    ]);
    const webm = mediaFile('vp9-29.97.webm');
    const short = Buffer.from(webm);
    // The duration in the header, 3003 ms as a double, is increased.
    const at = short.indexOf(Buffer.from([0x44, 0x89, 0x88])) + 3;
    short.writeDoubleBE(short.readDoubleBE(at) * 2, at);
    expect(await examineMedia(clipInput(short, 2))).toMatchObject([
      {
        code: 'media_truncated',
        frame: 10,
        announcedSeconds: expect.closeTo(6, 1),
        presentSeconds: expect.closeTo(3, 1),
      },
    ]);
    expect(await examineMedia(clipInput(cut(gif(10), 0.5), 2))).toMatchObject([
      { code: 'media_truncated', frame: 10, announcedSeconds: null },
    ]);
    for (const [file, bytes] of [
      ['wav', stereoWav(8000, new Float32Array(16_000))],
      ['mp3', mediaFile('beep.mp3')],
    ] as const) {
      const found = await examineMedia(soundInput(cut(bytes, 0.5)));
      expect(found, file).toMatchObject([{ code: 'media_truncated', editable: 'a_01', still: null }]);
      expect(found[0]!.frame, file).toBeGreaterThan(10);
    }
  });

  it('reports a sound whose end is cut off, with both lengths', async () => {
    const voice = stereoWav(8000, new Float32Array(18 * 8000));
    const track = { name: 'audio_tracks.voice', startSeconds: 0, endSeconds: 6 };
    expect(await examineMedia(soundInput(voice, track))).toEqual([
      {
        code: 'sound_cut',
        editable: 'audio_tracks.voice',
        frame: 59,
        seconds: 5.9,
        still: null,
        lengthSeconds: 18,
        playedSeconds: 6,
      },
    ]);
    const trimmed = await examineMedia(soundInput(voice, { ...track, transform: { trim_start_time: 10 } }));
    expect(trimmed).toMatchObject([{ code: 'sound_cut', lengthSeconds: 8, playedSeconds: 6 }]);
    for (const transform of [{ trim_start_time: 12 }, { loop: true }, { fade_out: 1 }]) {
      expect(await examineMedia(soundInput(voice, { ...track, transform })), JSON.stringify(transform)).toEqual([]);
    }
    expect(await examineMedia(soundInput(voice, { ...track, isOwn: true }))).toEqual([]);
  });

  it('reports no cut of a sound whose uses continue each other', async () => {
    const renderInput = soundInput(stereoWav(8000, new Float32Array(4 * 8000)), { startSeconds: 0, endSeconds: 2 });
    const [first] = renderInput.sounds;
    const second = { ...first!, startSeconds: 2, endSeconds: 4, skipSeconds: 2, transform: { trim_start_time: 2 } };
    expect(await examineMedia(renderInput)).toMatchObject([{ code: 'sound_cut', lengthSeconds: 4, playedSeconds: 2 }]);
    expect(await examineMedia({ ...renderInput, sounds: [first!, second] })).toEqual([]);
  });

  it('keeps a silent sound under which another is lowered', async () => {
    const renderInput = soundInput(stereoWav(8000, new Float32Array(16_000)), { transform: { volume: 0 } });
    const [silent] = renderInput.sounds;
    const music = { ...silent!, name: 'music', transform: {}, duckedBy: [0] };
    expect(await examineMedia({ ...renderInput, sounds: [silent!, music] })).toEqual([]);
  });

  it('lets a definition silence the sound of a template', async () => {
    const wav = stereoWav(8000, new Float32Array(16_000));
    expect(await examineMedia(soundInput(wav, { transform: { volume: 0 } }))).toEqual([]);
  });

  it('reports sounds that are not heard', async () => {
    const wav = stereoWav(8000, new Float32Array(16_000));
    const unused = (reason: string, editable: string) => [{ code: 'sound_unused', editable, reason, lengthSeconds: 2 }];
    const late = { startSeconds: 6, endSeconds: 9 };
    expect(await examineMedia(soundInput(wav, late))).toMatchObject(unused('late', 'a_01'));
    for (const name of ['audio_tracks.voice', 'product/dune.audio_tracks.voice']) {
      const muted = soundInput(wav, { name, transform: { volume: 0 } });
      expect(await examineMedia(muted)).toMatchObject(unused('volume', name));
    }
    const renderInput = clipInput(await numberedClip(10, 20), 2);
    const { bytes, name } = renderInput.clips[0]!;
    const sound = { bytes, name, startSeconds: 0, endSeconds: 2, transform: { volume: 1 }, optional: true };
    expect(await examineMedia({ ...renderInput, sounds: [sound] })).toMatchObject([
      { code: 'sound_unused', editable: 'v_01', reason: 'no_sound', lengthSeconds: null },
    ]);
  });

  it('reports a clip whose end is cut off, with both lengths', async () => {
    const clip = await numberedClip(10, 50);
    expect(await examineMedia(clipInput(clip, 2, { trim_start_time: 1 }))).toEqual([
      {
        code: 'clip_cut',
        editable: 'v_01',
        frame: 19,
        seconds: 1.9,
        still: null,
        lengthSeconds: expect.closeTo(4, 3),
        playedSeconds: expect.closeTo(2, 3),
      },
    ]);
    const input = clipInput(clip, 2);
    expect(await examineMedia({ ...input, clips: [{ ...input.clips[0]!, isOwn: true }] })).toEqual([]);
  });

  it('rejects a requested trim beyond the end', async () => {
    const clip = await numberedClip(10, 20);
    const refused = {
      code: 'asset_decode_failed',
      imageName: 'v_01',
      message: expect.stringContaining('at 2 s: nothing'),
    };
    await expect(examineMedia(clipInput(clip, 1, { trim_start_time: 2 }))).rejects.toMatchObject(refused);
    const untrimmed = await examineMedia(clipInput(clip, 1, { trim_start_time: 2, trim_strategy: 'none' }));
    expect(untrimmed).toMatchObject([{ code: 'clip_cut', lengthSeconds: 2, playedSeconds: 1 }]);
    const wav = stereoWav(8000, new Float32Array(8000));
    const beyond = { transform: { trim_start_time: 1.5 } };
    await expect(examineMedia(soundInput(wav, beyond))).rejects.toMatchObject({ imageName: 'a_01' });
    expect(await examineMedia(soundInput(wav, { ...beyond, skipSeconds: 1 }))).toEqual([]);
  });
});
