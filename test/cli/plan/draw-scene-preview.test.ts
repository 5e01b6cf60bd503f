import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readPreview } from '../../../src/report/preview/read-preview.ts';
import { stereoWav } from '../../engine/media/media-files.ts';
import { gitIn } from '../../support/git-repository.ts';
import { makeRepository } from '../../support/repository.ts';
import { reelform } from '../../support/test-io.ts';

const FILM = `title: Spring
resources: { c_01: "#EEADA7" }
scenes:
  - template: small
    resources: { t_01: Spring }
    audio: { voice: { source: ./voice.wav } }
    duration: content
  - id: product
    template: small
    each: { from: ../data/products.csv, id: "\${slug}" }
    transition: { type: slide, duration: 0.2 }
    resources: { t_01: "\${name}", c_01: "\${color}" }
`;
const products = (...rows: string[]): string => ['slug,name,color', ...rows].join('\n');
const wav = (seconds: number): Buffer => stereoWav(8000, new Float32Array(8000 * seconds));

/** A branch that changes products and the length of a voice, and what plans of it print. */
async function branch() {
  const [lamp, sofa] = ['lamp,Lamp,FF0000', 'sofa,Sofa,00FF00'];
  const root = makeRepository({
    '.gitignore': '.reelform/\nlooks/\n',
    'videos/film.yaml': FILM,
    'videos/voice.wav': wav(2),
    'data/products.csv': products(lamp, sofa),
  });
  const { git, commit } = gitIn(root);
  await git('init', '--quiet', '--initial-branch=main');
  await commit({});
  await git('checkout', '--quiet', '-b', 'change');
  writeFileSync(join(root, 'videos/voice.wav'), wav(3));
  await commit({ 'data/products.csv': products(lamp, 'sofa,Sofa,0000FF', 'chair,Chair,FFFFFF') });
  return (...flags: string[]) =>
    reelform(root, ['plan', '--target', 'film', '--base', 'main', '--preview-dir', 'looks', '--no-lint', ...flags], {
      now: Date.now,
    }).then((ran) => ({ ...ran, root }));
}

it('plan --preview compares the changed scenes with the merge base, and names them with their times', async () => {
  const plan = await branch();
  const { root, stdout, exitCode } = await plan('--preview', 'draft', '--markdown');
  expect(exitCode).toBe(0);
  const { videos, leftOut } = await readPreview(`${root}/looks`);
  expect(leftOut).toEqual([]);
  const { stills, drafts, unseen } = videos.get('film')!;
  expect(unseen).toEqual(['sound', 'duration']);
  const about = stills.map(({ scene, change, timeSeconds, beforeSeconds, editables, before, changedShare: share }) => ({
    ...{ scene, change, timeSeconds, beforeSeconds, editables },
    share: before === null ? share : share! > 0.5,
  }));
  // The voice is a second longer, so the scenes begin later: at 4.5 and 5.5 s instead of 3.5.
  expect(about).toEqual([
    { scene: 'product/sofa', timeSeconds: 5, beforeSeconds: 4, editables: ['product/sofa.c_01'], share: true },
    { scene: 'product/chair', change: 'added', timeSeconds: 6, editables: [], share: null },
  ]);
  expect([drafts?.before, drafts?.after].map((bytes) => bytes?.length)).toEqual([
    expect.any(Number),
    expect.any(Number),
  ]);
  expect(stdout).toMatch(
    /\| <code>film<\/code> \| \d+ % of the frame differs, product\/sofa at 5 s, before at 4 s; also changes: its sound, its length \|/,
  );
  const page = await plan('--preview', 'stills', '--format', 'html');
  expect(page.stdout).toContain('product/chair (added) at 6 s');
  expect((await plan('--preview', 'stills')).stdout).toMatch(
    /film {2}\d+ % of the frame changes in product\/sofa at 5 s, before at 4 s/,
  );
});
