import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it, onTestFinished } from 'vitest';
import { renderFile } from '../../../src/engine/render-file.ts';
import { captionSamples } from '../../../src/engine/writers/caption-track.ts';
import { threeLetterCode } from '../../../src/engine/writers/language-codes.ts';
import type { InputCaptionTrack, RenderInput } from '../../../src/template/render-input.ts';
import { hasFfprobe } from '../../support/ffprobe.ts';
import { bytesOf } from '../../support/in-memory.ts';
import { movingInput } from '../inputs.ts';

const HAS_FFPROBE = await hasFfprobe();

const TRACK: InputCaptionTrack = {
  lang: 'pt-BR',
  isDefault: false,
  cues: [
    { start: 0.25, end: 0.75, text: 'Luz que pousa\ncom suavidade' },
    { start: 0.5, end: 1, text: '春の光' },
  ],
};

async function rendered(format: RenderInput['output']['format'], captionTrack?: InputCaptionTrack): Promise<Buffer> {
  const input = movingInput({ fps: 10, frameCount: 12, output: { format, quality: 'low', fingerprint: null } });
  const file = await renderFile(captionTrack === undefined ? input : { ...input, captionTrack });
  return Buffer.from(await bytesOf(file.video));
}

it('captionSamples() fills the time without gaps, with texts that are shown together', () => {
  const samples = [...captionSamples(TRACK.cues, 1.2)];
  expect(
    samples.map(({ time, duration, bytes }) => [
      time,
      Number(duration.toFixed(3)),
      Buffer.from(bytes.subarray(2)).toString(),
    ]),
  ).toEqual([
    [0, 0.25, ''],
    [0.25, 0.25, 'Luz que pousa\ncom suavidade'],
    [0.5, 0.25, '春の光\nLuz que pousa\ncom suavidade'],
    [0.75, 0.25, '春の光'],
    [1, 0.2, ''],
  ]);
});

it.each([
  ['de', 'deu'],
  ['pt-BR', 'por'],
  ['fil', 'fil'],
  ['xx', 'und'],
  [null, 'und'],
])('threeLetterCode(%j) is %s', (lang, code) => expect(threeLetterCode(lang)).toBe(code));

it.each(['mp4', 'mov'] as const)('an %s has the captions in a track of their own', async (format) => {
  const [plain, captioned] = [await rendered(format), await rendered(format, TRACK)];
  const atom = captioned.indexOf('tx3g');
  expect(atom).toBeGreaterThan(0);
  expect(captioned.includes('sbtl')).toBe(true);
  expect(captioned.includes('pt-BR\0')).toBe(true);
  expect(plain.includes('tx3g')).toBe(false);
  const pictures = (file: Buffer): Buffer => file.subarray(file.indexOf('mdat') + 4);
  // The pictures are the same; the texts follow them.
  const texts = pictures(captioned).length - pictures(plain).length;
  expect(texts).toBe([...captionSamples(TRACK.cues, 1.2)].reduce((sum, { bytes }) => sum + bytes.length, 0));
});

it('a WebM has the captions as WebVTT', async () => {
  const file = await rendered('webm', TRACK);
  expect(file.includes('S_TEXT/WEBVTT')).toBe(true);
  expect(file.includes('Luz que pousa\ncom suavidade')).toBe(true);
  expect(file.includes('por')).toBe(true);
});

it.skipIf(!HAS_FFPROBE)('FFmpeg reads texts, times and language of an MP4', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'captions-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'video.mp4');
  writeFileSync(path, await rendered('mp4', TRACK));
  const entries = ['-show_entries', 'stream=codec_name:stream_tags=language:stream_disposition=default'];
  const { stdout } = await execa('ffprobe', ['-v', 'error', '-of', 'json', '-select_streams', 's', ...entries, path]);
  expect(JSON.parse(stdout)).toMatchObject({
    streams: [{ codec_name: 'mov_text', tags: { language: 'por' }, disposition: { default: 0 } }],
  });
  const read = await execa('ffmpeg', ['-v', 'error', '-i', path, '-map', '0:s:0', '-f', 'webvtt', '-']);
  expect(read.stdout.split('\n\n').map((block) => block.trim())).toEqual([
    'WEBVTT',
    '00:00.250 --> 00:00.500\nLuz que pousa\ncom suavidade',
    '00:00.500 --> 00:00.750\n春の光\nLuz que pousa\ncom suavidade',
    '00:00.750 --> 00:01.000\n春の光',
  ]);
});
