import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { PlanDocument } from '../../src/reconciler/plan/plan-document.ts';
import { CONFIG, DEFINITION, makeMarketersRepository } from '../support/marketers-repository.ts';
import { count, tell } from '../support/proof.ts';
import { reelform } from '../support/test-io.ts';

// The case of issue reports about every peer: many products, languages and formats, kept once.

const LANGUAGES = ['de', 'en', 'es', 'fr'];
const FORMATS = ['square', 'tall', 'wide'];
/** The product that is rendered. */
const PRODUCT = 'spring/dune-1/**';

it('keeps products in four languages and three formats in one definition and one CSV', async () => {
  const products = count(40, 4);
  const root = makeMarketersRepository(products);
  const run = async (...args: string[]): Promise<string> => {
    const { exitCode, stdout, stderr } = await reelform(root, args);
    expect({ args, exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ args, exitCode: 0, stderr: '' });
    return stdout;
  };
  const plan = async (...args: string[]): Promise<PlanDocument> => {
    return JSON.parse(await run('plan', '--json', ...args)) as PlanDocument;
  };
  await run('pull');
  expect((await plan()).changes).toEqual([]);
  await run('speak');

  const started = performance.now();
  const whole = await plan();
  const planSeconds = (performance.now() - started) / 1000;
  const ids = Array.from({ length: products }, (_, at) => at).flatMap((at) =>
    FORMATS.flatMap((format) => LANGUAGES.map((language) => new RegExp(`^spring/[a-z]+-${at}/${format}/${language}$`))),
  );
  expect(whole.changes).toHaveLength(ids.length);
  for (const id of ids) expect(whole.changes.filter((change) => id.test(change.id))).toHaveLength(1);

  const first = await plan('--target', PRODUCT);
  const lengths = first.changes.map(({ id, scenes }) => [
    id.split('/').slice(2).join(' '),
    scenes!.find((scene) => scene.id === 'product')!.length!,
  ]) as [string, number][];
  const lengthOf = new Map(lengths);
  // As long as what is said, in every format.
  expect(new Set(LANGUAGES.map((language) => lengthOf.get(`wide ${language}`))).size).toBe(LANGUAGES.length);
  for (const language of LANGUAGES) expect(lengthOf.get(`tall ${language}`)).toBe(lengthOf.get(`wide ${language}`));

  await run('apply', '--auto-approve', '--target', PRODUCT);
  const rendered = lockOf(root);
  const entries = Object.entries(rendered);
  expect(entries.map(([id]) => id)).toEqual(first.changes.map(({ id }) => id).sort());
  for (const [id, entry] of entries) {
    expect(Math.abs(entry.loudness.integrated + 14), id).toBeLessThanOrEqual(0.5);
    const captions = readFileSync(join(root, entry.video_url.replace('.mp4', '.vtt')), 'utf8');
    expect(captions.replaceAll(/<[^>]*>/g, '')).toContain(
      { de: 'Eine leise Lampe', en: 'A quiet lamp', es: 'Una lámpara discreta', fr: 'Une lampe discrète' }[
        id.slice(-2)
      ],
    );
  }

  const csv = join(root, 'data/products.csv');
  const lines = readFileSync(csv, 'utf8').split('\n');
  const edited = lines.map((line) => (line.startsWith('dune-1,') ? line.replace('Licht für', 'Glanz für') : line));
  writeFileSync(csv, edited.join('\n'));
  const second = await plan('--target', PRODUCT);
  expect(second.changes.map(({ id }) => id)).toEqual(FORMATS.map((format) => `spring/dune-1/${format}/de`));
  const { segments } = second.estimate;
  expect(segments!.render).toBeLessThan(segments!.total);
  await run('apply', '--auto-approve', '--target', PRODUCT);
  const again = lockOf(root);
  for (const [id, entry] of entries) {
    if (id.endsWith('/de')) expect(again[id]!.video_url).not.toBe(entry.video_url);
    else expect(again[id]).toEqual(entry);
  }
  expect((await plan('--target', PRODUCT)).changes).toEqual([]);

  writeFileSync(join(root, 'reelform.yaml'), CONFIG);
  expect(await run('lint', ...first.changes.map(({ id }) => id))).toBe('12 videos checked, no problems found.\n');

  tell(
    `${ids.length} videos of a definition of ${DEFINITION.trim().split('\n').length} lines and a CSV of ${products + 1} rows of the campaign`,
  );
  tell(`their plan without lint: ${planSeconds.toFixed(1)} s`);
  tell(
    `a German text changed: ${segments!.render} of ${segments!.total} segments of its 3 videos, none of the other languages'`,
  );
});

interface Entry {
  readonly video_url: string;
  readonly loudness: { readonly integrated: number };
}

function lockOf(root: string): Readonly<Record<string, Entry>> {
  return (JSON.parse(readFileSync(join(root, 'reelform.lock.json'), 'utf8')) as { videos: Record<string, Entry> })
    .videos;
}
