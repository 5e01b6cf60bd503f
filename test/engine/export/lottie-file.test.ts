import { createCanvas, LottieAnimation, loadImage } from '@napi-rs/canvas';
import { describe, expect, it } from 'vitest';
import { exportLottie, type LottieFile } from '../../../src/engine/export/lottie-file.ts';
import { openSound } from '../../../src/engine/media/open-sound.ts';
import type { LottieDocument, RenderInput, VideoInput } from '../../../src/template/render-input.ts';
import { captioned } from '../../support/captioned-inputs.ts';
import { sceneVideo } from '../../support/scene-videos.ts';
import { solidPng } from '../../support/small-package.ts';
import { toneWav } from '../../support/tone.ts';
import { imageLayer, inputOf, movingInput } from '../inputs.ts';
import { numberedClip, numberIn } from '../media/media-files.ts';

async function exported(video: VideoInput): Promise<Pick<LottieFile, 'differences'> & { document: LottieDocument }> {
  const { file, differences } = await exportLottie(video);
  const document = JSON.parse((await file.bytes()).toString()) as LottieDocument;
  file.close();
  return { document, differences };
}

/** Reads the numbers of a clip that a document shows in some of its frames. */
function numbersIn(document: LottieDocument, frames: readonly number[]): number[] {
  const animation = LottieAnimation.loadFromData(JSON.stringify(document));
  const context = createCanvas(64, 36).getContext('2d');
  return frames.map((frame) => {
    context.fillRect(0, 0, 64, 36);
    animation.seekFrame(frame);
    animation.render(context, { x: 0, y: 0, width: 64, height: 36 });
    return numberIn(new Uint8Array(context.getImageData(0, 0, 64, 36).data.buffer));
  });
}

/** A template of 20 frames at 10 frames per second that shows a clip of 60 pictures. */
async function playing(): Promise<RenderInput> {
  const bytes = await numberedClip(10, 60);
  const clip = { assetId: 'clip', width: 64, height: 36, bytes, transform: {}, name: 'v_01' };
  const assets = [{ id: 'clip', w: 64, h: 36, u: '', p: 'clip.mp4', e: 0 }];
  return inputOf([imageLayer(1, 'clip')], { fps: 10, frameCount: 20, clips: [clip], document: { assets } });
}

function pictured(): RenderInput {
  const image = {
    assetId: 'photo',
    width: 32,
    height: 18,
    bytes: solidPng('#ff0000', 64, 36),
    transform: {},
    name: 'i',
  };
  const assets = [{ id: 'photo', w: 32, h: 18, u: 'images/', p: 'photo.png', e: 0 }];
  return inputOf([imageLayer(1, 'photo')], { fps: 10, frameCount: 10, images: [image], document: { assets } });
}

const picturesOf = ({ assets = [] }: LottieDocument) => assets.filter(({ p }) => typeof p === 'string');

describe('exportLottie()', () => {
  it('embeds images at their size, once for all scenes that show them', async () => {
    const { document } = await exported(
      sceneVideo([
        { id: 'a', of: pictured() },
        { id: 'b', of: pictured(), transition: { type: 'fade', duration: 0.4 } },
      ]),
    );
    expect(document).toMatchObject({ w: 64, h: 36, fr: 10, ip: 0, op: 20 });
    expect((document.layers as { nm?: string }[]).map(({ nm }) => nm)).toEqual(['b', 'a']);
    const [picture, second] = picturesOf(document);
    expect(second).toBeUndefined();
    expect(picture).toMatchObject({ u: '', e: 1, p: expect.stringMatching(/^data:image\/png;base64,/) });
    const image = await loadImage(Buffer.from(String(picture!.p).split(',')[1]!, 'base64'));
    expect([image.width, image.height]).toEqual([32, 18]);
  });

  it('sets texts as text layers whose letters are outlines', async () => {
    const { document, differences } = await exported(movingInput());
    const [text] = document.layers as { ty: number; t: { d: { k: { s: { f: string; t: string } }[] } } }[];
    expect(text!.ty).toBe(5);
    const { f: font, t: letters } = text!.t.d.k[0]!.s;
    const chars = document.chars as { ch: string; fFamily: string }[];
    expect([...letters].every((ch) => chars.some((char) => char.ch === ch && char.fFamily === font))).toBe(true);
    expect(differences).toEqual([]);
  });

  it('has the captions above everything else, as the rasteriser draws them', async () => {
    const video = movingInput({ fps: 10, frameCount: 20 });
    const captions = { cues: [{ start: 0.5, end: 1.5, text: 'Light' }], style: { background: '00FF00' } };
    const { document } = await exported(captioned(video, captions));
    const animation = LottieAnimation.loadFromData(JSON.stringify(document));
    const context = createCanvas(160, 90).getContext('2d');
    const hasGreen = (frame: number): boolean => {
      animation.seekFrame(frame);
      animation.render(context, { x: 0, y: 0, width: 160, height: 90 });
      const { data } = context.getImageData(0, 0, 160, 90);
      return data.some((_, at) => at % 4 === 0 && data[at] === 0 && data[at + 1] === 255 && data[at + 2] === 0);
    };
    expect([4, 5, 14, 15].map(hasGreen)).toEqual([false, true, true, false]);
  });

  it('shows the pictures of a clip in the time of its template', async () => {
    const { document, differences } = await exported(await playing());
    expect(numbersIn(document, [0, 1, 7, 19])).toEqual([0, 1, 7, 19]);
    expect(picturesOf(document)).toHaveLength(20);
    expect(differences).toEqual([]);
  });

  it('reports a clip that goes on in the rendered video while its scene or a transition is held', async () => {
    const of = await playing();
    const held = sceneVideo([
      { id: 'a', of: inputOf([], { fps: 10, frameCount: 10 }) },
      { id: 'b', of, duration: 4, timing: [{ hold: 5 }] as never },
    ]);
    const { document, differences } = await exported(held);
    expect(numbersIn(document, [10, 14, 15, 20, 30, 36, 49])).toEqual([0, 4, 5, 5, 5, 6, 19]);
    expect(differences).toEqual([{ part: 'clip', name: 'v_01', fromSeconds: 1.6 }]);
    const left = sceneVideo([
      { id: 'a', of },
      { id: 'b', of: inputOf([], { fps: 10, frameCount: 10 }), transition: { type: 'fade', duration: 0.4 } },
    ]);
    expect((await exported(left)).differences).toEqual([{ part: 'clip', name: 'v_01', fromSeconds: 2 }]);
  });

  it('embeds the mixed sound, as long as the video', async () => {
    const tone = { startSeconds: 0.5, endSeconds: 1, transform: {}, name: 'tone', optional: false };
    const { document } = await exported(movingInput({ fps: 12, sounds: [{ ...tone, bytes: toneWav(1, 440) }] }));
    const layer = (document.layers as { ty: number; refId: string }[]).at(-1)!;
    expect(layer).toMatchObject({ ty: 6, ip: 0, op: 12, st: 0 });
    const asset = document.assets!.find(({ id }) => id === layer.refId);
    const [type, bytes] = String(asset!.p).split(';base64,');
    expect(type).toBe('data:audio/mp4');
    const file = Buffer.from(bytes!, 'base64');
    // The time of its creation, which would make every export another file.
    expect(file.readUInt32BE(file.indexOf('mvhd') + 8)).toBe(0);
    const sound = (await openSound(file, 'sound'))!;
    expect(await sound.length()).toEqual({ samples: 48_000, rate: 48_000 });
    const samples: number[] = [];
    for await (const { left } of sound.samples(0)) samples.push(...left);
    sound.close();
    // The codec spreads the start of the tone over a few samples.
    expect(samples.findIndex((sample) => Math.abs(sample) > 0.1) / 48_000).toBeCloseTo(0.5, 2);
  });

  it('embeds the sound after the pictures', async () => {
    const tone = { startSeconds: 0, endSeconds: 1, transform: {}, name: 'tone', optional: false };
    const { document } = await exported({ ...pictured(), sounds: [{ ...tone, bytes: toneWav(1, 440) }] });
    const [picture, sound] = document.assets!;
    expect(picture).toMatchObject({ id: 'photo', p: expect.stringMatching(/^data:image\/png;base64,/) });
    expect(sound).toMatchObject({ id: 'reelform/sound', u: '', e: 1 });
  });
});
