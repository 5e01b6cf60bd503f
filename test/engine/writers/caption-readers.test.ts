import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa, execaSync } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cue } from '../../../src/contract/captions/cue.ts';
import { writeCaptions } from '../../../src/contract/captions/write-captions.ts';
import { renderFile } from '../../../src/engine/render-file.ts';
import { hasFfprobe } from '../../support/ffprobe.ts';
import { bytesOf } from '../../support/in-memory.ts';
import { movingInput } from '../inputs.ts';

const CUES: readonly Cue[] = [
  { start: 0.25, end: 0.75, text: 'Luz que pousa\ncom suavidade & calma' },
  { start: 0.8, end: 1.1, text: '春の光' },
];
const FORMATS = ['mp4', 'mov', 'webm'] as const;

let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'caption-readers-'));
  chmodSync(folder, 0o777);
  for (const format of FORMATS) {
    const input = movingInput({ fps: 10, frameCount: 12, output: { format, quality: 'low', fingerprint: null } });
    for (const isDefault of [true, false]) {
      const { video } = await renderFile({ ...input, captionTrack: { lang: 'pt-BR', isDefault, cues: CUES } });
      writeFileSync(join(folder, `${isDefault ? 'shown' : 'video'}.${format}`), await bytesOf(video));
    }
  }
  for (const format of ['vtt', 'srt'] as const) {
    writeFileSync(join(folder, `beside.${format}`), writeCaptions(CUES, format));
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Returns the captions of a file as FFmpeg reads them. */
async function readByFfmpeg(name: string): Promise<string[]> {
  const args = ['-v', 'error', '-i', join(folder, name), '-map', '0:s:0', '-f', 'webvtt', '-'];
  const { stdout } = await execa('ffmpeg', args);
  return stdout.split('\n\n').map((block) => block.trim());
}

const READ = [
  'WEBVTT',
  '00:00.250 --> 00:00.750\nLuz que pousa\ncom suavidade & calma',
  '00:00.800 --> 00:01.100\n春の光',
];

describe.skipIf(!(await hasFfprobe()))('FFmpeg', () => {
  it.each(['beside.vtt', 'beside.srt', 'video.mp4', 'video.mov'])('reads texts and times of %s', async (name) => {
    expect(await readByFfmpeg(name)).toEqual(READ);
  });

  // FFmpeg 5.1 decodes WebVTT of WebM only under the older name D_WEBVTT.
  it.each(FORMATS)('lists the captions of a %s with their language', async (format) => {
    const entries = ['-show_entries', 'stream=codec_type:stream_tags=language:stream_disposition=default'];
    const args = ['-v', 'error', '-of', 'json', '-select_streams', 's', ...entries, join(folder, `video.${format}`)];
    const { stdout } = await execa('ffprobe', args);
    expect(JSON.parse(stdout)).toMatchObject({
      streams: [{ codec_type: 'subtitle', tags: { language: 'por' }, disposition: { default: 0 } }],
    });
  });
});

/** Set where VLC must be installed: see .ci/run. */
const isRequired = process.env.REELFORM_REQUIRE_VLC === '1';
const hasVlc = execaSync('which', ['cvlc'], { reject: false }).exitCode === 0;

describe.skipIf(!isRequired && !hasVlc)('VLC', () => {
  it.each([
    ['mp4', 'adding track[Id 0x2] subtitle (enable) language por', 'using spu decoder module "substx3g"'],
    ['mov', 'adding track[Id 0x2] subtitle (enable) language por', 'using spu decoder module "substx3g"'],
    ['webm', 'Track Language=`por', 'using spu decoder module "webvtt"'],
  ])('finds and decodes the captions of a %s', async (format, track, decoder) => {
    const options = ['-vvv', '--no-color', '--intf', 'dummy', '--vout', 'dummy', '--aout', 'dummy'];
    const play = ['--no-sub-autodetect-file', '--sub-track', '0', '--play-and-exit', join(folder, `shown.${format}`)];
    // VLC refuses to run as root.
    const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
    const { all } = await execa('cvlc', [...options, ...play], { all: true, env: { HOME: folder }, ...user });
    expect(all).toContain(track);
    expect(all).toContain(decoder);
  });
});
