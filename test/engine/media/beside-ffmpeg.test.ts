import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSound } from '../../../src/engine/media/open-sound.ts';
import { videoPictures } from '../../../src/engine/media/video-pictures.ts';
import { hasFfprobe } from '../../support/ffprobe.ts';
import { onset } from './decoded-track.ts';
import { mediaFile } from './media-files.ts';

const RATE = 48_000;
const hasFfmpeg = await hasFfprobe();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelform-beside-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function stored(name: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, mediaFile(name));
  return path;
}

/** Creates a file of two seconds whose tone begins 0.5 s into the sound, and whose tracks start at the given times. */
async function createFile(
  name: string,
  starts: { readonly pictures: number; readonly sound: number },
  codecs: string[],
) {
  const path = join(folder, name);
  const parts = ['testsrc2=s=64x36:r=25:d=2', "aevalsrc='0.3*sin(2*PI*1000*t)*gt(t,0.5)':s=48000:d=2"];
  const sources: string[] = [];
  for (const [index, start] of [starts.pictures, starts.sound].entries()) {
    const source = join(folder, `${name}-${index}.mkv`);
    const codec = index === 0 ? codecs[0]! : codecs[1]!;
    await execa('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', parts[index]!, '-c', codec, source]);
    sources.push('-itsoffset', String(start), '-i', source);
  }
  await execa('ffmpeg', ['-v', 'error', ...sources, '-c', 'copy', path]);
  return path;
}

/** Left samples of a file at 48 kHz by FFmpeg, from the first sample that it shows. */
async function samplesOf(path: string): Promise<Float32Array> {
  const raw = ['-map', 'a:0', '-ac', '1', '-ar', String(RATE), '-f', 'f32le', '-'];
  const { stdout } = await execa('ffmpeg', ['-v', 'error', '-i', path, ...raw], { encoding: 'buffer' });
  return new Float32Array(Uint8Array.from(stdout).buffer);
}

/** The time of the first decoded frame of a stream in seconds, by FFmpeg. */
async function startOf(path: string, stream: 'v:0' | 'a:0'): Promise<number> {
  const entries = ['-show_entries', 'frame=best_effort_timestamp_time', '-of', 'csv=p=0', '-read_intervals', '%+#8'];
  const { stdout } = await execa('ffprobe', ['-v', 'error', '-select_streams', stream, ...entries, path]);
  return Number.parseFloat(stdout.split('\n')[0]!);
}

/** Our samples, from the first picture on or from the start of a sound. */
async function ownSamples(path: string): Promise<Float32Array> {
  const sound = (await openSound(await readFile(path), path))!;
  const blocks: number[] = [];
  for await (const { left } of sound.samples(0)) blocks.push(...left);
  sound.close();
  return Float32Array.from(blocks);
}

describe.skipIf(!hasFfmpeg)('compared with FFmpeg', () => {
  // Times of containers in milliseconds are not more exact.
  test.each<[name: string, tolerance: number, starts: { pictures: number; sound: number } | null, codecs: string[]]>([
    ['edit-list-25.mp4', 2, null, []],
    ['vp9-opus-25.webm', 48, null, []],
    ['late-sound.mp4', 2, { pictures: 0, sound: 0.4 }, ['libx264', 'aac']],
    ['late-pictures.mp4', 2, { pictures: 0.24, sound: 0 }, ['libx264', 'aac']],
    ['late-sound.webm', 48, { pictures: 0, sound: 0.4 }, ['libvpx-vp9', 'libopus']],
  ])(
    'openSound() keeps the sound of %s beside its pictures, within %i samples',
    async (name, tolerance, starts, codecs) => {
      const path = starts === null ? await stored(name) : await createFile(name, starts, codecs);
      const [theirs, ours] = [await samplesOf(path), await ownSamples(path)];
      const late = (await startOf(path, 'a:0')) - (await startOf(path, 'v:0'));
      expect(Math.abs(onset(ours) - (onset(theirs) + late * RATE))).toBeLessThanOrEqual(tolerance);
    },
  );

  test.each(['beep.mp3', 'beep.flac', 'beep.m4a', 'beep.ogg', 'vorbis.ogg'])(
    'openSound() gives the samples of %s',
    async (name) => {
      const path = await stored(name);
      const [theirs, ours] = [await samplesOf(path), await ownSamples(path)];
      let worst = 0;
      for (let at = 0; at < 0.5 * RATE; at++) worst = Math.max(worst, Math.abs((ours[at] ?? 0) - (theirs[at] ?? 0)));
      expect(worst).toBeLessThan(0.02);
    },
  );

  // Greys of 0 to 203 cd/m², the reference white. @see ITU-R BT.2408-7, 2.1
  test('videoPictures() maps the greys of a PQ clip up to the reference white as zscale does', async () => {
    const path = join(folder, 'greys.mp4');
    const codes = [64, 306, 382, 440, 509, 573];
    const luma = codes.map((code, index) => `between(X,${index * 16},${index * 16 + 15})*${code}`).join('+');
    const source = `color=black:s=96x36:r=25:d=0.2,format=yuv420p10le,geq=lum='${luma}':cb=512:cr=512`;
    const tags = ['-color_primaries', 'bt2020', '-color_trc', 'smpte2084', '-colorspace', 'bt2020nc'];
    const coded = [
      '-c:v',
      'libx265',
      '-x265-params',
      'log-level=error:lossless=1',
      '-color_range',
      'tv',
      '-tag:v',
      'hvc1',
    ];
    await execa('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', source, ...coded, ...tags, path]);
    const linear = 'zscale=t=linear:npl=203,format=gbrpf32le,zscale=p=bt709,tonemap=clip';
    const raw = ['-vf', `${linear},zscale=t=bt709:m=bt709:r=pc,format=bgra`, '-frames:v', '1', '-f', 'rawvideo', '-'];
    const { stdout } = await execa('ffmpeg', ['-v', 'error', '-i', path, ...raw], { encoding: 'buffer' });
    const pictures = await videoPictures(await readFile(path), path, { from: 0, to: 1 });
    const { bgra } = await pictures.picture(0);
    for (const [index] of codes.entries()) {
      const green = (18 * 96 + index * 16 + 8) * 4 + 1;
      expect(Math.abs(bgra[green]! - stdout[green]!)).toBeLessThanOrEqual(3);
    }
    pictures.close();
  });
});
