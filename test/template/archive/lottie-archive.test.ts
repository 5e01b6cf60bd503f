import { describe, expect, it } from 'vitest';
import { animationIn, readLottieArchive, readPackedPackage } from '../../../src/template/archive/lottie-archive.ts';
import { readPackageZip } from '../../../src/template/archive/read-package-zip.ts';
import { writeLottieArchive } from '../../../src/template/archive/write-lottie-archive.ts';
import { writePackageZip } from '../../../src/template/archive/write-zip.ts';
import { parseTemplatePackage } from '../../../src/template/parse-template-package.ts';
import { smallAnimation, smallPackageFiles, solidPng } from '../../support/small-package.ts';

const OPTIONS = { id: 'small', generator: 'reelform test' };

const text = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
const json = (bytes: Uint8Array | undefined): unknown => JSON.parse(new TextDecoder().decode(bytes));

function unzip(bytes: Uint8Array): Map<string, Uint8Array> {
  const files = readPackageZip(bytes);
  if (!files.ok) throw new Error(files.diagnostics[0]?.message);
  return files.value;
}

function digestOf(files: ReadonlyMap<string, Uint8Array>): string {
  const parsed = parseTemplatePackage('', files);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.diagnostics));
  return parsed.value.digest;
}

/** Two images with the same name, an image used by two assets, a licence, and a font whose entry has a path. */
function manyFiles(): Map<string, Uint8Array> {
  const animation = smallAnimation();
  animation.assets!.push(
    { id: 'other', w: 16, h: 16, u: 'images/more/', p: 'photo.png', e: 0 },
    { id: 'again', w: 8, h: 8, p: 'images/photo.png' },
  );
  Object.assign((animation.fonts as { list: object[] }).list[0]!, { fPath: '' });
  return smallPackageFiles({
    'animation.json': JSON.stringify(animation, null, 2),
    'images/more/photo.png': solidPng('#0000ff'),
    'fonts/OFL.txt': 'A licence',
  });
}

describe('writeLottieArchive()', () => {
  it('stores all files where dotLottie 2 expects them', () => {
    const files = unzip(writeLottieArchive(manyFiles(), OPTIONS));
    expect([...files.keys()]).toEqual([
      'a/small.json',
      'f/Test-Regular.ttf',
      'i/photo-2.png',
      'i/photo.png',
      'manifest.json',
      'reelform/fonts/OFL.txt',
      'reelform/layout.json',
      'reelform/template.yaml',
    ]);
    expect(json(files.get('manifest.json'))).toEqual({
      version: '2',
      generator: 'reelform test',
      animations: [{ id: 'small' }],
    });
    expect(json(files.get('a/small.json'))).toMatchObject({
      assets: [
        { u: '/i/', p: 'photo.png', e: 0 },
        { u: '/i/', p: 'photo-2.png' },
        { u: '/i/', p: 'photo.png', e: 0 },
      ],
      fonts: { list: [{ fName: 'Test-Regular', fPath: '/f/Test-Regular.ttf', origin: 3 }] },
    });
  });

  it('returns the same bytes for the same files in any order', () => {
    const files = manyFiles();
    const turned = new Map([...files].reverse());
    expect(Buffer.from(writeLottieArchive(turned, OPTIONS)).equals(writeLottieArchive(files, OPTIONS))).toBe(true);
  });
});

describe('readPackedPackage()', () => {
  it('round-trips a package with the same style version', () => {
    const files = manyFiles();
    const back = readPackedPackage(writeLottieArchive(files, OPTIONS));
    if (!back.ok) throw new Error(back.diagnostics[0]?.message);
    expect([...back.value.keys()].sort()).toEqual([...files.keys()].sort());
    for (const [path, bytes] of back.value) {
      if (path === 'animation.json') expect(json(bytes)).toEqual(json(files.get(path)));
      else expect(Buffer.from(bytes).equals(files.get(path)!)).toBe(true);
    }
    expect(digestOf(back.value)).toBe(digestOf(files));
  });

  it.each<[string, (files: Map<string, Uint8Array>) => unknown]>([
    [
      'The .lottie file contains only an animation, not a template package',
      (files) => files.delete('reelform/template.yaml'),
    ],
    ['The .lottie file has no information about its package', (files) => files.delete('reelform/layout.json')],
    [
      'The .lottie file has no information about its package',
      (files) =>
        files.set(
          'reelform/layout.json',
          text({
            layout_version: 1,
            animation: 'small',
            files: { 'i/photo.png': '../photo.png' },
            assets: {},
            fonts: {},
          }),
        ),
    ],
    [
      'The .lottie file has no information about its package',
      (files) =>
        files.set(
          'reelform/layout.json',
          text({ layout_version: 1, animation: 'small', files: {}, assets: { 0: { layers: 'x' } }, fonts: {} }),
        ),
    ],
    ['The .lottie file has no readable manifest.json', (files) => files.delete('manifest.json')],
    ['The animation named by the manifest is missing in the .lottie file', (files) => files.delete('a/small.json')],
  ])('rejects an archive that %s', (message, change) => {
    const files = unzip(writeLottieArchive(smallPackageFiles(), OPTIONS));
    change(files);
    const read = readPackedPackage(writePackageZip(files));
    expect(read.ok ? [] : read.diagnostics.map(({ code }) => code)).toEqual(['template_invalid']);
    expect(read.ok ? '' : read.diagnostics[0]?.message).toContain(message);
  });

  it('rejects files that are not a zip, using the package checks', () => {
    const read = readPackedPackage(new Uint8Array(100));
    expect(read.ok ? null : read.diagnostics[0]).toMatchObject({
      code: 'template_invalid',
      hint: 'Export the .lottie file again',
    });
  });
});

describe('readLottieArchive()', () => {
  it.each([
    [
      'animations/',
      { version: '1.0', activeAnimationId: 'two', animations: [{ id: 'one' }, { id: 'two' }, { id: 'gone' }] },
    ],
    ['a/', { version: '2', initial: { animation: 'two' }, animations: [{ id: 'one' }, { id: 'two' }] }],
  ])('reads animations from %s with the initial one first', (folder, manifest) => {
    const bytes = writePackageZip(
      new Map([
        ['manifest.json', text(manifest)],
        [`${folder}one.json`, text({ nm: 'one' })],
        [`${folder}two.json`, text({ nm: 'two' })],
      ]),
    );
    const archive = readLottieArchive(bytes);
    if (!archive.ok) throw new Error(archive.diagnostics[0]?.message);
    expect(archive.value.animations).toEqual(['two', 'one']);
    expect(animationIn(archive.value, 'two')).toEqual({ nm: 'two' });
  });
});
