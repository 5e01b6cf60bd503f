import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
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

  const text = definition('Rome');
  it.each<[string, Readonly<Record<string, string>>, object]>([
    [
      'folders of a resource',
      {
        'videos/rome.yaml': definition('Rome', `  (Footage)/USER/photo.png: ${NFC}/a/photo.png\n`),
        [`${NFC}/a/photo.png`]: 'photo',
        [`${NFD}/b.txt`]: 'x',
      },
      { file: 'videos/rome.yaml', line: 6 },
    ],
    [
      'data files',
      {
        'videos/rome.yaml': definition('${text}').replace(
          'template:',
          `each: {from: data/${NFC}.csv, id: "\${slug}"}\ntemplate:`,
        ),
        [`data/${NFC}.csv`]: 'slug,text\na,b\n',
        [`data/${NFD}.csv`]: 'slug,text\na,c\n',
      },
      { file: `data/${NFC}.csv`, line: 1 },
    ],
    [
      'fragments',
      {
        'videos/rome.yaml': `extends: ./_${NFD}.yaml\n${text}`,
        [`videos/_${NFC}.yaml`]: 'labels: {a: b}\n',
        [`videos/_${NFD}.yaml`]: 'labels: {a: c}\n',
      },
      { file: `videos/_${NFD}.yaml`, line: 1 },
    ],
    [
      'definitions',
      { [`videos/${NFC}.yaml`]: text, [`videos/${NFD}.yaml`]: text },
      { file: `videos/${NFD}.yaml`, line: 1 },
    ],
    [
      'folders of definitions',
      { [`videos/${NFC}/a.yaml`]: text, [`videos/${NFD}/b.yaml`]: text },
      { file: `videos/${NFD}/b.yaml`, line: 1 },
    ],
  ])('are reported once if two exist: %s', async (_, files, place) => {
    const root = makeRepository(
      Object.fromEntries(Object.entries(files).map(([p, t]) => [p, t === 'photo' ? solidPng('#ff0000') : t])),
    );
    const { stdout } = await reelform(root, ['validate', '--json']);
    const found = (JSON.parse(stdout) as { diagnostics: { code: string }[] }).diagnostics;
    expect(found.filter(({ code }) => code === 'ambiguous_path')).toMatchObject([{ severity: 'warning', ...place }]);
  });

  it('are reported for a template package', async () => {
    const root = makeRepository();
    cpSync(join(root, 'templates/small'), join(root, `templates/${NFC}`), { recursive: true });
    mkdirSync(join(root, `templates/${NFD}`));
    const config = readFileSync(join(root, 'reelform.yaml'), 'utf8');
    writeFileSync(join(root, 'reelform.yaml'), config.replace('./templates/small', `./templates/${NFC}`));
    const { stdout } = await reelform(root, ['validate', '--json']);
    const found = (JSON.parse(stdout) as { diagnostics: { code: string }[] }).diagnostics;
    expect(found.filter(({ code }) => code === 'ambiguous_path')).toMatchObject([{ file: 'reelform.yaml', line: 3 }]);
  });
});
