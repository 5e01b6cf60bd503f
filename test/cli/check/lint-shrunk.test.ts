import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeFolder } from '../../support/repository.ts';
import { reelform } from '../../support/test-io.ts';

const ROOT = join(import.meta.dirname, '../../..');

it('reelform lint reports a headline that its box shrinks below the line under it, with the sizes', async () => {
  const dune = readFileSync(join(ROOT, 'videos/launch/dune.yaml'), 'utf8');
  const root = makeFolder({
    'reelform.yaml': 'templates: { launch: ./templates/launch }\n',
    'videos/launch/dune.yaml': dune.replace('Light that lands softly', 'W'.repeat(35)),
  });
  for (const path of ['templates/launch', 'videos/_launch.yaml', 'videos/images']) {
    cpSync(join(ROOT, path), join(root, path), { recursive: true });
  }
  const { exitCode, stdout } = await reelform(root, ['lint', '--json']);
  expect(exitCode).toBe(0);
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string }[] };
  expect(diagnostics.filter(({ code }) => code !== 'schema_outdated')).toMatchObject([
    {
      code: 'text_shrunk',
      severity: 'warning',
      file: 'videos/launch/dune.yaml',
      line: 5,
      message: expect.stringMatching(
        /^t_01 of launch\/dune is shrunk to fit its box, from 152 to 2\d pixels in a picture of 1080, smaller than t_02 with 4\d, at 2\.8 s \(stillcut_01\)$/,
      ),
      hint: 'Shorten it, or enlarge its box in the template. To see it: reelform render launch/dune --frame 84',
    },
  ]);
});
