import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import type { PlanPreview, PreviewImage } from '../../../src/report/preview/plan-preview.ts';
import { type PreviewDocument, previewFiles } from '../../../src/report/preview/preview-document.ts';
import { readPreview } from '../../../src/report/preview/read-preview.ts';
import { temporaryRepository } from '../../support/temporary-repository.ts';

const SCHEMA = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../schemas/reelform-preview.schema.json'), 'utf8'),
);
const JPEG = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1]);
const MP4 = Buffer.from('0000ftypisom');

function image(url: string | null = null): PreviewImage {
  return { bytes: JPEG, contentType: 'image/jpeg', width: 64, height: 36, url };
}

const URL = 'https://github.com/acme/videos/blob/previews/2026-01-01/a.jpg?raw=true';
const PREVIEW: PlanPreview = {
  videos: new Map([
    [
      'stores/berlin',
      {
        stills: [{ timeSeconds: 0.5, editables: ['t_01'], before: image(), after: image(URL), changedShare: 0.25 }],
        isVisible: true,
        unseen: ['sound'],
        drafts: { before: null, after: MP4 },
      },
    ],
    ['same', { stills: [], isVisible: false, unseen: [] }],
  ]),
  leftOut: [{ id: 'oslo', reason: 'budget' }],
  contactSheet: image(),
  matrices: [{ definition: 'spring', hidden: 2, image: image() }],
  seconds: { all: 1.5, rendering: 1.25 },
};

/** Creates a folder with the preview and a modified index. */
function folder(change: (index: Record<string, never> & PreviewDocument) => unknown = (index) => index): string {
  const files = Object.fromEntries(previewFiles(PREVIEW));
  const index = change(JSON.parse(files['index.json'] as string));
  return temporaryRepository({ ...files, 'index.json': typeof index === 'string' ? index : JSON.stringify(index) });
}

describe('readPreview()', () => {
  it('reads the output of previewFiles(), which matches its schema', async () => {
    const files = previewFiles(PREVIEW);
    expect([...files.keys()]).toEqual([
      'stores/berlin/0.500-before.jpg',
      'stores/berlin/0.500-after.jpg',
      'stores/berlin/draft-after.mp4',
      'spring/contact-sheet.jpg',
      'contact-sheet.jpg',
      'index.json',
    ]);
    expect(new Ajv().validate(SCHEMA, JSON.parse(files.get('index.json') as string))).toBe(true);
    const read = await readPreview(folder(), { urlsBelow: ['https://github.com/acme/videos/'] });
    expect(read).toEqual(PREVIEW);
  });

  it('enforces size limits', async () => {
    await expect(readPreview(folder(), { mostBytes: 100 })).rejects.toMatchObject({ code: 'preview_invalid' });
  });

  it('drops URLs outside the accepted prefixes', async () => {
    const urlOf = async (path: string, below: string): Promise<string | null> => {
      const read = await readPreview(
        folder((index) => JSON.parse(JSON.stringify(index).replace(URL, path))),
        { urlsBelow: [below] },
      );
      return read.videos.get('stores/berlin')!.stills[0]!.after.url;
    };
    const below = 'https://github.com/acme/videos/';
    expect(await urlOf(URL, below)).toBe(URL);
    expect(await urlOf('https://evil.example/a.jpg', below)).toBeNull();
    expect(await urlOf('https://github.com/acme/videos/../../evil/a.jpg', below)).toBeNull();
    expect(await urlOf('https://github.com/acme/videos/a.jpg) ![](x', below)).toBeNull();
  });

  it.each<[string, (index: PreviewDocument) => unknown]>([
    ['no JSON', () => '{'],
    ['another format', (index) => ({ ...index, format_version: '2.0' })],
    ['no object', () => []],
    ['an id that leads out', (index) => ({ ...index, videos: [{ ...index.videos[0], id: '../berlin' }] })],
    ['another file', (index) => JSON.stringify(index).replace('0.500-after.jpg', '../../etc/passwd')],
    ['a missing file', (index) => JSON.stringify(index).replaceAll('0.5', '0.7')],
    ['an invalid size', (index) => JSON.stringify(index).replace('"width":64', '"width":-1')],
    ['too many stills', (index) => ({ ...index, videos: [{ ...index.videos[0], stills: Array(99).fill({}) }] })],
    ['a reason of its own', (index) => ({ ...index, left_out: [{ id: 'a', reason: '<img>' }] })],
  ])('refuses %s', async (_, change) => {
    await expect(readPreview(folder(change))).rejects.toMatchObject({ code: 'preview_invalid' });
  });

  it('rejects links out of the folder, invalid images and special files', async () => {
    const outside = temporaryRepository({ 'secret.jpg': JPEG });
    const refused = async (spoil: (file: string) => void): Promise<void> => {
      const root = folder();
      rmSync(join(root, 'contact-sheet.jpg'));
      spoil(join(root, 'contact-sheet.jpg'));
      await expect(readPreview(root)).rejects.toMatchObject({ code: 'preview_invalid' });
    };
    await refused((file) => symlinkSync(join(outside, 'secret.jpg'), file));
    await refused((file) => writeFileSync(file, '<svg onload=alert(1)>'));
    await refused((file) => mkdirSync(file));
  });
});
