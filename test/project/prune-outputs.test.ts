import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pruneOutputs } from '../../src/project/prune-outputs.ts';
import { temporaryRepository } from '../support/temporary-repository.ts';

const OLD = [
  'renders/rome-01234567.mp4',
  'renders/rome-01234567.stillcut_01.jpg',
  'renders/shop/a.b/berlin-89abcdef.webm',
  'renders/shop/a.b/berlin-89abcdef.still-2.jpg',
];
const KEPT = ['renders/rome-76543210.mp4', 'renders/rome-76543210.stillcut_01.jpg', 'renders/shop/oslo-00000000.gif'];
/** No apply gives such a name, or it is not below `renders/`. */
const FOREIGN = [
  'renders/notes-01234567.md',
  'renders/rome.mp4',
  'renders/rome-0123456.mp4',
  'renders/looks/rome-01234567.mp4',
  'other/rome-01234567.mp4',
];

describe('pruneOutputs()', () => {
  it('removes what nothing names, with folders that this empties, and no file of anybody else', async () => {
    const root = temporaryRepository(Object.fromEntries([...OLD, ...KEPT, ...FOREIGN].map((path) => [path, 'x'])));
    const renderings = [
      { video_url: KEPT[0]!, thumbnails: [KEPT[1]!] },
      { video_url: KEPT[2]!, thumbnails: ['https://x.test/a-01234567.jpg'] },
    ];
    expect(await pruneOutputs(root, renderings)).toBe(OLD.length);
    for (const path of OLD) expect([path, existsSync(join(root, path))]).toEqual([path, false]);
    for (const path of [...KEPT, ...FOREIGN]) expect([path, existsSync(join(root, path))]).toEqual([path, true]);
    expect(readdirSync(join(root, 'renders/shop'))).toEqual(['oslo-00000000.gif']);
    expect(await pruneOutputs(root, renderings)).toBe(0);
  });

  it('has nothing to do without outputs', async () => {
    const root = temporaryRepository({ renders: 'no folder' });
    expect(await pruneOutputs(root, [])).toBe(0);
    expect(await pruneOutputs(temporaryRepository({}), [])).toBe(0);
  });
});
