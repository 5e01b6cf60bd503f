import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execaSync } from 'execa';
import { describe, expect, it } from 'vitest';
import { soundLength } from '../../../src/engine/media/sound-length.ts';
import { makeSpeakingRepository, speaking } from '../../support/speaking-repository.ts';
import { reelform } from '../../support/test-io.ts';

/** The script of docs/reference/speech.md under a heading. */
function documented(heading: string): string {
  const text = readFileSync(join(import.meta.dirname, '../../../docs/reference/speech.md'), 'utf8');
  return new RegExp(`### ${heading}\\n+\`\`\`sh\\n([\\s\\S]*?)\`\`\``).exec(text)![1]!;
}

const has = (program: string): boolean => execaSync('which', [program], { reject: false }).exitCode === 0;

/** Set where it must be installed: see .ci/run. */
const isRequired = process.env.REELFORM_REQUIRE_ESPEAK === '1';

describe.skipIf(!isRequired && !(has('espeak-ng') && has('jq')))('espeak-ng as a voice', () => {
  it('speaks by the documented script', async () => {
    const { root, speech } = makeSpeakingRepository(
      {
        'videos/dune.yaml': speaking('Dune', 'Light that lands softly, at 12 o’clock.', ', voice: espeak'),
        'videos/reef.yaml': speaking('Reef', 'Licht, das weich fällt.', ', voice: espeak, options: {language: de}'),
        'espeak.sh': documented('espeak-ng'),
      },
      'espeak: {command: [./espeak.sh]}',
    );
    chmodSync(join(root, 'espeak.sh'), 0o755);
    const { exitCode, stdout, stderr } = await reelform(root, ['speak', '--json'], {
      env: { PATH: process.env.PATH! },
    });
    expect([exitCode, stderr]).toEqual([0, '']);
    const { texts } = JSON.parse(stdout) as { texts: { sound: string; seconds: number; words: null }[] };
    expect(speech()).toHaveLength(4);
    for (const { sound, seconds, words } of texts) {
      expect(words).toBeNull();
      expect(seconds).toBeGreaterThan(1);
      const { samples, rate } = await soundLength(readFileSync(join(root, sound)), sound);
      expect([rate, samples / rate]).toEqual([22_050, expect.closeTo(seconds, 6)]);
    }
    writeFileSync(join(root, 'videos/reef.yaml'), speaking('Reef', 'Licht, das weich fällt.', ', voice: espeak'));
    expect(await reelform(root, ['speak', '--check'])).toMatchObject({ exitCode: 2 });
  });
});
