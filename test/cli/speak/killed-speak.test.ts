import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { soundLength } from '../../../src/engine/media/sound-length.ts';
import { PROGRAM } from '../../support/spawned-program.ts';
import { makeSpeakingRepository, speaking } from '../../support/speaking-repository.ts';

it('reelform speak that is killed leaves complete files only, and the next run makes the rest', async () => {
  const texts = Array.from({ length: 24 }, (_, at) => `Text ${at}`);
  const { root, speech } = makeSpeakingRepository(
    Object.fromEntries(texts.map((text, at) => [`videos/v${at}.yaml`, speaking(text, text)])),
  );
  const options = { cwd: root, reject: false, env: { CI: 'true', NO_COLOR: '1' } };
  let kept: string[] = [];
  for (const round of [1, 2, 3]) {
    const running = execa(process.execPath, [PROGRAM, 'speak'], options);
    const before = kept.length;
    while (running.exitCode === null && speech().length < before + round) await sleep(2);
    running.kill('SIGKILL');
    await running;
    const files = speech().filter((name) => !name.startsWith('.unfinished-'));
    expect(files).toEqual(expect.arrayContaining(kept));
    for (const name of files) {
      const bytes = readFileSync(join(root, 'speech', name));
      if (name.endsWith('.json')) expect(JSON.parse(bytes.toString())).toMatchObject({ seconds: 0.2 });
      else expect(await soundLength(bytes, name)).toEqual({ samples: 3200, rate: 16_000 });
    }
    kept = files;
  }
  const whole = await execa(process.execPath, [PROGRAM, 'speak', '--json'], options);
  const { texts: made, spoken_before: before } = JSON.parse(whole.stdout) as { texts: object[]; spoken_before: number };
  // A sound that arrived is not made again.
  expect([whole.exitCode, made.length + before]).toEqual([0, texts.length]);
  expect(before).toBe(kept.filter((name) => name.endsWith('.flac')).length);
  const names = readdirSync(join(root, 'speech')).filter((name) => !name.startsWith('.'));
  expect(names).toHaveLength(2 * texts.length);
});
