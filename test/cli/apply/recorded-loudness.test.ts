import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { stereoWav } from '../../engine/media/media-files.ts';
import { definition, makeRepository, NO_LINT } from '../../support/repository.ts';
import { reelform } from '../../support/test-io.ts';

const RATE = 8000;
const tone = stereoWav(
  RATE,
  Array.from({ length: 4 * RATE }, (_, at) => 0.3 * Math.sin((2 * Math.PI * 440 * at) / RATE)),
);
const AUDIO = 'audio: { music: { source: ./tone.wav } }\n';

const LINT = '.reelform/lint.json';

it('records what was measured of a sound, and shows it', async () => {
  const root = makeRepository({
    'videos/rome.yaml': definition('Rome', `${AUDIO}loudness: -20\n`),
    'videos/oslo.yaml': definition('Oslo', AUDIO),
    'videos/tone.wav': tone,
  });
  const run = (...args: string[]) => reelform(root, args);
  expect(await run('apply', '--auto-approve')).toMatchObject({ exitCode: 0 });
  const { videos } = JSON.parse(readFileSync(join(root, 'reelform.lock.json'), 'utf8'));
  expect(videos.oslo).not.toHaveProperty('loudness');
  const { loudness, inputs } = videos.rome;
  expect(loudness).toEqual({ integrated: expect.closeTo(-20, 0), true_peak: expect.any(Number) });
  expect(Math.abs(loudness.integrated + 20)).toBeLessThanOrEqual(0.5);
  expect(loudness.true_peak).toBeLessThan(-1);
  // The loudness is not a property of the timeline.
  expect(inputs).toMatchObject({ loudness: 'target=-20 true_peak=-1' });

  const words = `${loudness.integrated.toFixed(1)} LUFS, peaks ${loudness.true_peak.toFixed(1)} dBTP`;
  expect((await run('show', 'rome')).stdout).toContain(`loudness     ${words}`);
  expect((await run('explain', 'rome')).stdout).toContain(words);
  const listed = JSON.parse((await run('list', '--json')).stdout).videos as { id: string }[];
  expect(listed.filter((video) => 'loudness' in video)).toMatchObject([{ id: 'rome', loudness }]);
  expect(await run('plan', '--detailed-exitcode')).toMatchObject({ exitCode: 0 });

  const path = join(root, 'videos/rome.yaml');
  writeFileSync(path, readFileSync(path, 'utf8').replace('loudness: -20', 'loudness: -23'));
  const { stdout } = await run('plan', '--no-lint');
  expect(stdout).toMatch(/loudness +-20 LUFS, peaks up to -1 dBTP → -23 LUFS, peaks up to -1 dBTP/);
  expect(stdout).toMatch(new RegExp(`rendered sound +${words}`));
  const [change] = JSON.parse((await run('plan', '--no-lint', '--json')).stdout).changes;
  expect(change).toMatchObject({ id: 'rome', reason: 'input_changed', before: { loudness } });
});

it('shows in plans what lint has measured of a mix, beside what was rendered', async () => {
  const root = makeRepository({
    'videos/rome.yaml': definition('Rome', `${AUDIO}loudness: -20\n`),
    'videos/oslo.yaml': definition('Oslo', AUDIO),
    'videos/tone.wav': tone,
  });
  const config = join(root, 'reelform.yaml');
  writeFileSync(config, readFileSync(config, 'utf8').replace(NO_LINT, ''));
  const run = (...args: string[]) => reelform(root, args);
  const changeOf = async (...args: string[]) =>
    JSON.parse((await run('plan', '--json', ...args)).stdout).changes.find(({ id }: { id: string }) => id === 'rome');
  const wordsOf = ({ integrated, true_peak }: { integrated: number; true_peak: number }) =>
    `${integrated.toFixed(1)} LUFS, peaks ${true_peak.toFixed(1)} dBTP`;

  const created = await run('plan');
  const { after, before } = await changeOf();
  expect(before).toBeNull();
  expect(after.loudness).toEqual({ integrated: expect.closeTo(-20, 1), true_peak: expect.closeTo(-19.3, 1) });
  expect(created.stdout.match(/new sound .*/g)).toEqual([
    expect.stringContaining(`${wordsOf(after.loudness)}, measured by lint`),
  ]);
  // Only lint measures.
  expect((await changeOf('--no-lint')).after).not.toHaveProperty('loudness');

  await run('apply', '--auto-approve');
  const path = join(root, 'videos/rome.yaml');
  writeFileSync(path, readFileSync(path, 'utf8').replace('loudness: -20', 'loudness: -23'));
  await run('lint');
  const report = join(root, 'report');
  const { stdout } = await run('plan', '--report', report);
  const changed = await changeOf();
  expect(changed.after.loudness.integrated).toBeCloseTo(-23, 1);
  const html = readFileSync(join(report, 'plan.html'), 'utf8');
  const markdown = (await run('plan', '--markdown')).stdout;
  for (const text of [stdout, html, markdown]) {
    expect(text).toContain(wordsOf(changed.before.loudness));
    expect(text).toContain(`${wordsOf(changed.after.loudness)}, measured by lint`);
  }

  // A file of the cache without mixes is read: the videos are not linted again, and nothing is shown of their mixes.
  const cache = join(root, LINT);
  const { mixes, ...older } = JSON.parse(readFileSync(cache, 'utf8'));
  expect(Object.values(mixes)).toContainEqual(changed.after.loudness);
  writeFileSync(cache, JSON.stringify(older));
  expect((await changeOf()).after).not.toHaveProperty('loudness');
  expect(JSON.parse(readFileSync(cache, 'utf8'))).toEqual(older);
});
