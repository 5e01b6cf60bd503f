import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { definition, makeRepository } from '../../support/repository.ts';
import { solidPng } from '../../support/small-package.ts';
import { reelform } from '../../support/test-io.ts';

const NFC = 'Krakó'.normalize('NFC');
const NFD = NFC.normalize('NFD');

function repository(written: string, ...stored: string[]): string {
  const root = makeRepository({
    'videos/rome.yaml': definition('Rome', `  (Footage)/USER/photo.png: ${written}/${written}.png\n`),
  });
  for (const name of stored) {
    mkdirSync(join(root, name));
    writeFileSync(join(root, name, `${name}.png`), solidPng(name === NFC ? '#ff0000' : '#0000ff'));
  }
  return root;
}

describe('file names with accents', () => {
  it.each([
    ['composed', 'decomposed', NFC, NFD],
    ['decomposed', 'composed', NFD, NFC],
  ])('are found if they are written %s and stored %s', async (_, __, written, stored) => {
    const root = repository(written, stored);
    expect((await reelform(root, ['validate'])).exitCode).toBe(0);
    const applied = await reelform(root, ['apply', '--auto-approve', '--target', 'rome']);
    expect(applied.stdout).toContain('1 rendered');
    for (const more of [[], ['--no-cache']]) {
      expect((await reelform(root, ['plan', '--target', 'rome', ...more])).stdout).toContain('No changes');
    }
    // The exact name, with the same content: another checkout plans the same.
    renameSync(join(root, stored, `${stored}.png`), join(root, stored, `${written}.png`));
    renameSync(join(root, stored), join(root, written));
    expect(readdirSync(root)).toContain(written);
    expect((await reelform(root, ['plan', '--target', 'rome'])).stdout).toContain('No changes');
  });

  it('are those that are written exactly if both exist, with a warning', async () => {
    const digests = [NFC, NFD].map(async (written) => {
      const root = repository(written, NFC, NFD);
      for (const name of [NFC, NFD])
        writeFileSync(join(root, written, `${name}.png`), solidPng(name === NFC ? '#ff0000' : '#0000ff'));
      const { stdout } = await reelform(root, ['validate', '--json']);
      const found = (JSON.parse(stdout) as { diagnostics: { code: string }[] }).diagnostics;
      expect(found.filter(({ code }) => code === 'ambiguous_path')).toMatchObject([
        { severity: 'warning', file: 'videos/rome.yaml', line: 6 },
      ]);
      const plan = JSON.parse((await reelform(root, ['plan', '--json'])).stdout) as {
        changes: { id: string; desired: { fingerprint: string } }[];
      };
      return JSON.stringify(plan.changes.find(({ id }) => id === 'rome'));
    });
    const [composed, decomposed] = await Promise.all(digests);
    expect(composed).not.toBe(decomposed);
  });
});
