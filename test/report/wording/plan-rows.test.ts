import { expect, test } from 'vitest';
import { inputRows } from '../../../src/report/wording/plan-rows.ts';

const digest = `sha256:${'0'.repeat(64)}`;

test('a track is shown with its place and its ducking in words', () => {
  const after = `${digest} duck_attack=0.3 duck_depth=12 duck_under=voice fade_out=1 level=-20 loop=true start=0.5`;
  const track = { key: 'audio.music', kind: 'audio', value: 'sounds/a.mp3', before: digest, after } as const;
  const [row] = inputRows([track]);
  expect(row).toMatchObject({
    name: 'audio music',
    after: { name: 'fade-out 1 s, loop, at 0.5 s, level -20 LUFS, ducks under voice, by 12 dB, attack 0.3 s' },
  });
});

test('a loudness is shown with its units', () => {
  const input = { key: 'loudness', before: null } as const;
  const [row] = inputRows([{ ...input, after: 'target=-14 true_peak=-1' }]);
  expect(row).toMatchObject({ name: 'loudness', before: null, after: { name: '-14 LUFS, peaks up to -1 dBTP' } });
});
