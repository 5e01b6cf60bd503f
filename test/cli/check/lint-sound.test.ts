import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { stereoWav } from '../../engine/media/media-files.ts';
import { definition, makeRepository } from '../../support/repository.ts';
import { reelform } from '../../support/test-io.ts';

const RATE = 8000;

function tone(seconds: number, amplitude: number): Uint8Array {
  const sine = (_: unknown, at: number): number => amplitude * Math.sin((2 * Math.PI * 440 * at) / RATE);
  return stereoWav(
    RATE,
    Array.from({ length: seconds * RATE }, sine).map((value) => Math.max(-1, Math.min(1, value))),
  );
}

const AUDIO = `audio:
  voice: { source: ./quiet.wav, level: -16, words: ./quiet.json }
  music: { source: ./clipped.wav, duck: { under: voice } }
  room: { source: ./silent.wav }
loudness: { target: -5, true_peak: -9 }
`;

const FILES = {
  'videos/rome.yaml': definition('Rome', AUDIO),
  'videos/quiet.wav': tone(4, 0.01),
  'videos/quiet.json': JSON.stringify([{ text: 'Rome', start: 0.2, end: 6 }]),
  'videos/clipped.wav': tone(4, 3),
  'videos/silent.wav': tone(4, 0),
};

type Found = { code: string; file: string; line: number; severity: string; message: string };

it('reelform lint and plan report what is wrong with sounds, at their tracks', async () => {
  const codes = ['words_unheard', 'sound_clipped', 'sound_silent', 'level_missed', 'loudness_missed'];
  const lint = `lint:\n  loudness_missed: error\n`;
  const root = makeRepository({
    ...FILES,
    'reelform.yaml': `service: embedded\ntemplates:\n  small: ./templates/small\n${lint}`,
  });
  const { exitCode, stdout } = await reelform(root, ['lint', '--json']);
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: Found[] };
  const found = diagnostics.filter(({ code }) => codes.includes(code));
  const lineOf = (text: string): number =>
    FILES['videos/rome.yaml'].split('\n').findIndex((line) => line.includes(text)) + 1;
  expect(found).toMatchObject([
    { code: 'words_unheard', line: lineOf('voice:'), severity: 'warning' },
    { code: 'level_missed', line: lineOf('voice:') },
    { code: 'sound_clipped', line: lineOf('music:') },
    { code: 'sound_silent', line: lineOf('room:') },
    { code: 'loudness_missed', line: lineOf('loudness:'), severity: 'error' },
  ]);
  expect(new Set(found.map(({ file }) => file))).toEqual(new Set(['videos/rome.yaml']));
  expect(found.map(({ message }) => message)).toEqual([
    'The sound of audio_tracks.voice of rome lasts 4.0 s, and the last of its words ends at 6.0 s',
    expect.stringMatching(
      /^The sound of audio_tracks\.voice of rome has -4\d\.\d LUFS and the level -16: it is raised by 12 dB, to -\d\d\.\d, at 0\.0 s$/,
    ),
    expect.stringMatching(
      /^The sound of audio_tracks\.music of rome is clipped: \d+ of its peaks are cut off at full scale, at 0\.0 s$/,
    ),
    'The sound of audio_tracks.room of rome is silent where it is heard, at 0.0 s',
    expect.stringMatching(/^The sound of rome can have -\d+\.\d LUFS; requested are -5$/),
  ]);
  expect(exitCode).toBe(1);
  const plan = await reelform(root, ['plan', '--json']);
  expect(plan.exitCode).toBe(1);
  expect(JSON.parse(plan.stdout).diagnostics.filter(({ code }: Found) => codes.includes(code))).toEqual(found);
  // A track that is shorter than its words, in the page and in the comment, with its file and line.
  const report = join(root, 'report');
  await reelform(root, ['plan', '--report', report]);
  const page = readFileSync(join(report, 'plan.html'), 'utf8').replace(/<[^>]+>/g, '');
  const comment = (await reelform(root, ['plan', '--markdown'])).stdout.replaceAll('&#58;', ':');
  const [unheard] = found;
  for (const text of [page, comment]) {
    expect(text).toContain(`videos/rome.yaml:${unheard!.line}:`);
    expect(text).toContain('lasts 4.0 s, and the last of its words ends at 6.0 s');
  }
});
