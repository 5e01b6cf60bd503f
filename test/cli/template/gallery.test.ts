import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readGalleryTemplate } from '../../../src/cli/template/gallery.ts';
import { EXIT, ReelformError } from '../../../src/diagnostic.ts';
import { makeFolder } from '../../support/repository.ts';
import { reelform } from '../../support/test-io.ts';

const refused = async (): Promise<never> => {
  throw new Error('Nothing may be downloaded');
};
const codeOf = (error: unknown) => (error instanceof ReelformError ? error.code : error);

describe('readGalleryTemplate()', () => {
  it('reads a template from a clone', async () => {
    const files = await readGalleryTemplate('quote', refused);
    expect([...files.keys()]).toContain('template.yaml');
  });

  it('downloads the gallery of the same version where there is no clone, and verifies it', async () => {
    const own = await readGalleryTemplate('quote', refused);
    const root = makeFolder({});
    const asked: string[] = [];
    const download = (changes: ReadonlyMap<string, Uint8Array>) => async (spec: string) => {
      asked.push(spec);
      return new Map([...[...own].map(([path, bytes]) => [`quote/${path}`, bytes] as const), ...changes]);
    };
    expect(await readGalleryTemplate('quote', download(new Map()), root)).toEqual(own);
    expect(asked).toEqual(['reelform-gallery@0.1.0']);
    for (const changes of [
      new Map([['quote/animation.json', new Uint8Array(3)]]),
      new Map([['quote/more.txt', new Uint8Array(3)]]),
      new Map([['other/large.bin', new Uint8Array(9_000_000)]]),
    ]) {
      const error = await readGalleryTemplate('quote', download(changes), root).catch(codeOf);
      expect(error).toBe('template_invalid');
    }
  });

  it('names the closest template for an unknown one', async () => {
    await expect(readGalleryTemplate('qoute', refused)).rejects.toMatchObject({ hint: 'Did you mean quote?' });
  });
});

describe('templates of the gallery', () => {
  it('are added with a first definition, which is valid', async () => {
    const root = makeFolder({});
    const { exitCode, stderr } = await reelform(root, ['template', 'add', 'gallery:quote']);
    expect({ exitCode, stderr }).toEqual({ exitCode: EXIT.ok, stderr: '' });
    expect(readFileSync(join(root, 'videos/quote.yaml'), 'utf8')).toContain('A garden teaches you to wait');
    expect(existsSync(join(root, 'templates/quote/fonts/OFL-fraunces.txt'))).toBe(true);
    expect(await reelform(root, ['validate'])).toMatchObject({ exitCode: EXIT.ok, stderr: '' });
  });

  it('are the start of a new repository', async () => {
    const root = makeFolder({});
    const { exitCode, stdout } = await reelform(root, ['init', 'cards', '--yes', '--ci', 'none', '--template', 'sale']);
    expect({ exitCode, stdout }).toMatchObject({
      exitCode: EXIT.ok,
      stdout: expect.stringContaining('videos/sale.yaml'),
    });
    expect(await reelform(join(root, 'cards'), ['validate'])).toMatchObject({ exitCode: EXIT.ok, stderr: '' });
  });
});
