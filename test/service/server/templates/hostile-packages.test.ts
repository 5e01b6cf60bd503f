import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { ServiceError } from '../../../../src/contract/service-error.ts';
import type { TenantId } from '../../../../src/service/sessions/ports.ts';
import { SMALL_MANIFEST, smallAnimation, solidPng } from '../../../support/small-package.ts';
import { NEVER, openStyleVersions, smallZip } from './open-style-versions.ts';

const ACME = 'acme' as TenantId;

type Layer = Record<string, unknown>;

/** The small animation with changes to its top level. */
function animation(changes: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ ...smallAnimation(), ...changes });
}

/** The small animation with one more layer and more assets. */
function withLayer(layer: Layer, assets: readonly object[] = []): string {
  const small = smallAnimation();
  return JSON.stringify({
    ...small,
    layers: [...small.layers, { ty: 4, ind: 90, ip: 0, op: 10, st: 0, ks: {}, shapes: [], ...layer }],
    assets: [...small.assets!, ...assets],
  });
}

function nested(depth: number, open = '{"a":', close = '}'): string {
  return `${open.repeat(depth)}1${close.repeat(depth)}`;
}

/** Precompositions that each show the next one several times. */
function precompositions(levels: number, copies: number): object[] {
  return Array.from({ length: levels }, (_, level) => ({
    id: `level_${level}`,
    layers: Array.from({ length: copies }, (_item, index) => ({
      ty: level + 1 < levels ? 0 : 4,
      refId: `level_${level + 1}`,
      w: 64,
      h: 36,
      shapes: [],
      ks: {},
      ind: index,
      ip: 0,
      op: 10,
      st: 0,
    })),
  }));
}

/** A PNG whose header declares a size that its data does not have. */
function pngOfSize(width: number, height: number): Uint8Array {
  const png = Buffer.from(solidPng('#000000'));
  png.writeUInt32BE(width, 16);
  png.writeUInt32BE(height, 20);
  return png;
}

function embedded(bytes: Uint8Array, type = 'image/png'): object {
  return { id: 'inside', w: 16, h: 16, u: '', e: 1, p: `data:${type};base64,${Buffer.from(bytes).toString('base64')}` };
}

function imageAsset(changes: object): string {
  const small = smallAnimation();
  return JSON.stringify({ ...small, assets: [{ ...small.assets![0], ...changes }] });
}

const chain = Array.from({ length: 80 }, (_, index) => ({ ty: 3, ind: 100 + index, parent: 101 + index, ks: {} }));
const effects = Array.from({ length: 101 }, () => ({ ty: 29, ef: [] }));

const ANIMATIONS: Readonly<Record<string, string>> = {
  'objects nested 100,000 deep': nested(100_000),
  'lists nested 100,000 deep': nested(100_000, '[', ']'),
  'a property nested 70 deep': withLayer({ ks: JSON.parse(nested(70)) as object }),
  '7 levels of 10 precompositions': withLayer({ ty: 0, refId: 'level_0' }, precompositions(7, 10)),
  '70 levels of one precomposition': withLayer({ ty: 0, refId: 'level_0' }, precompositions(70, 1)),
  'a precomposition within itself': withLayer({ ty: 0, refId: 'loop' }, [
    { id: 'loop', layers: [{ ty: 0, refId: 'loop', ind: 1, ip: 0, op: 10, st: 0 }] },
  ]),
  'a parent of itself': withLayer({ parent: 90 }),
  'a chain of 80 parents': animation({ layers: [...smallAnimation().layers, ...chain] }),
  '101 effects on one layer': withLayer({ ef: effects }),
  '20,001 layers': animation({
    layers: [...smallAnimation().layers, ...Array.from({ length: 20_001 }, () => ({ ty: 3 }))],
  }),
  'an end at 1e12': animation({ op: 1e12 }),
  'an end before its start': animation({ ip: 20 }),
  'a start at -1e15': animation({ ip: -1e15 }),
  '1e308 frames per second': animation({ fr: 1e308 }),
  'one frame per year': animation({ fr: 1 / 31_536_000 }),
  'frames per second that no number holds': animation({}).replace('"fr":10', '"fr":1e999'),
  'a width of 1e9': animation({ w: 1e9 }),
  'a height of 0': animation({ h: 0 }),
  'a negative width': animation({ w: -64 }),
  'a size of 63 × 36': animation({ w: 63 }),
  'a size in words': animation({ w: '64' }),
  'an image area of 1e9 pixels': imageAsset({ w: 1e9, h: 1 }),
  'an image at a URL': imageAsset({ u: 'http://169.254.169.254/', p: 'latest/meta-data' }),
  'an image at file:': imageAsset({ u: '', p: 'file:///etc/passwd' }),
  'an image at an absolute path': imageAsset({ u: '/etc/', p: 'passwd' }),
  'an image above the package': imageAsset({ u: 'images/../../', p: 'photo.png' }),
  'an image that is __proto__': imageAsset({ u: '', p: '__proto__' }),
  'half a character': animation({ nm: '\ud800' }),
  'a number that no program holds': withLayer({ nm: 7 }).replace('"nm":7', '"nm":1e999'),
  'a list for an animation': '[]',
  'null for an animation': 'null',
  'no JSON': '{"fr":',
  'layers that are no list': animation({ layers: { length: 1e9 } }),
  'assets that are no list': animation({ assets: { length: 1e9 } }),
  'a font that is not there': animation({ fonts: { list: [{ fName: '../../etc/passwd', fPath: '/etc/passwd' }] } }),
  'an embedded PNG of 65,535 × 65,535': withLayer({ ty: 2, refId: 'inside' }, [embedded(pngOfSize(65_535, 65_535))]),
  'an embedded SVG': withLayer({ ty: 2, refId: 'inside' }, [
    embedded(new TextEncoder().encode('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image/svg+xml'),
  ]),
  'an embedded image cut off': withLayer({ ty: 2, refId: 'inside' }, [embedded(solidPng('#000000').slice(0, 40))]),
};

const FILES: Readonly<Record<string, Readonly<Record<string, Uint8Array | string | null>>>> = {
  'no manifest': { 'template.yaml': null },
  'no animation': { 'animation.json': null },
  'an image of 65,535 × 65,535': { 'images/photo.png': pngOfSize(65_535, 65_535) },
  'an image that is SVG': { 'images/photo.png': '<svg xmlns="http://www.w3.org/2000/svg"/>' },
  'an image cut off': { 'images/photo.png': solidPng('#00ff00').slice(0, 40) },
  'a font that is none': { 'fonts/Test-Regular.ttf': new Uint8Array(1_000) },
  'an alias bomb in YAML': {
    'template.yaml': `a: &a [x,x,x,x,x,x,x,x,x,x]\n${'bcdefgh'
      .split('')
      .map((name, index) => `${name}: &${name} [${Array(10).fill(`*${'abcdefg'[index]}`).join(',')}]`)
      .join('\n')}\n${SMALL_MANIFEST}`,
  },
  'a still named like a path': { 'template.yaml': SMALL_MANIFEST.replaceAll('stillcut_01', '../../outside') },
  'a manifest of deep flow lists': { 'template.yaml': `${'['.repeat(50_000)}${']'.repeat(50_000)}` },
};

const ZIPS: Readonly<Record<string, Uint8Array>> = {
  'no zip': new TextEncoder().encode('not a zip'),
  'an empty zip': Uint8Array.from([0x50, 0x4b, 5, 6, ...new Uint8Array(18)]),
  'a zip cut off': smallZip().slice(0, 2_000),
  'a deflate bomb with a zip header': Buffer.concat([
    Buffer.from('PK\x03\x04'),
    deflateSync(Buffer.alloc(100_000_000)),
  ]),
};

describe('StyleVersions.upload() of hostile packages', () => {
  test('rejects each with a 422 before it reaches a render process', async () => {
    const { versions, queued, storage } = await openStyleVersions();
    const zips = [
      ...Object.entries(ANIMATIONS).map(([title, text]) => [title, smallZip({ 'animation.json': text })] as const),
      ...Object.entries(FILES).map(([title, files]) => [title, smallZip(files)] as const),
      ...Object.entries(ZIPS),
    ];
    const taken: string[] = [];
    for (const [title, zip] of zips) {
      const error = await versions.upload(ACME, zip).catch((reason: unknown) => reason);
      const isRefused = error instanceof ServiceError && error.status === 422 && error.code === 'template_invalid';
      const isTold =
        isRefused && error.problems.length > 0 && error.problems.every(({ detail }) => detail.length < 600);
      if (!isTold) taken.push(`${title}: ${error instanceof Error ? error.stack : 'taken'}`);
    }
    expect(taken).toEqual([]);
    expect(queued).toEqual([]);
    expect(await storage.list('packages/')).toEqual([]);
    expect(await versions.list(ACME)).toEqual([]);
  });

  test('limits a hundred thousand mistakes to a hundred', async () => {
    const { versions } = await openStyleVersions();
    const assets = Array.from({ length: 100_000 }, (_, index) => ({ id: `a${index}`, w: 1, h: 1, p: `/etc/${index}` }));
    const error = await versions
      .upload(ACME, smallZip({ 'animation.json': animation({ assets }) }))
      .catch((reason: ServiceError) => reason);
    expect((error as ServiceError).problems).toHaveLength(101);
  });

  test('draws the same picture with and without expressions, which it never evaluates', async () => {
    const { versions } = await openStyleVersions();
    const small = smallAnimation();
    const code = 'while (true) {}; fetch("http://127.0.0.1/")';
    const layers = (small.layers as Layer[]).map((layer) => ({
      ...layer,
      ks: { ...(layer.ks as object), r: { a: 0, k: 0, x: code } },
    }));
    const plain = await versions.upload(ACME, smallZip());
    const withCode = await versions.upload(ACME, smallZip({ 'animation.json': JSON.stringify({ ...small, layers }) }));
    const pictures: Buffer[] = [];
    for (const { details } of [plain, withCode]) {
      await versions.process(details.id, NEVER);
      pictures.push(Buffer.from((await versions.stillcut(ACME, details.id, 'stillcut_01'))!));
    }
    expect(withCode.details.id).not.toBe(plain.details.id);
    expect(pictures[0]!.equals(pictures[1]!)).toBe(true);
  });
});
