import { zipSync } from 'fflate';
import { seededRandom } from '../seeded-random.ts';
import { SMALL_MANIFEST, smallAnimation, smallPackageFiles } from '../small-package.ts';
import { type Bomb, PACKAGE_BYTES } from './bomb.ts';

type Layer = Record<string, unknown>;
const BASE = { ty: 4, ip: 0, op: 10, st: 0, ks: {} };
/** Bytes of the total size limit of a package that its other files take up. */
const REST = 200_000;

/** Returns incompressible text: a package whose files compress too well is refused for that alone. */
function noise(length: number): string {
  const { below } = seededRandom(7);
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  return Array.from({ length }, () => letters[below(64)]).join('');
}

export function zipOf(changes: Readonly<Record<string, Uint8Array | string | null>>): Uint8Array {
  return zipSync(Object.fromEntries(smallPackageFiles(changes)), { level: 6 });
}

/** Returns the small animation with the given JSON appended to its layers. */
function animation(text: string): string {
  const nm = noise(Math.ceil(text.length / 100));
  const small = { ...smallAnimation(), nm };
  return JSON.stringify({ ...small, layers: [...small.layers, 'HERE'] }).replace('"HERE"', () => text);
}

/** Repeats a piece of JSON, separated by commas, as often as fits. */
function many(piece: string, sizeBytes: number): string {
  const times = Math.max(1, Math.floor(sizeBytes / (piece.length + 1)));
  return `${`${piece},`.repeat(times - 1)}${piece}`;
}

function numbered(piece: (index: number) => string, sizeBytes: number): string {
  const times = Math.max(1, Math.floor(sizeBytes / (piece(1_000_000).length + 1)));
  return Array.from({ length: times }, (_, index) => piece(index)).join(',');
}

function bomb(what: string, make: (sizeBytes: number) => Uint8Array): Bomb {
  return { name: `Lottie: ${what}`, kind: 'package', limitBytes: PACKAGE_BYTES, make };
}

/** Returns a bomb in one field of a layer. */
function inLayer(what: string, field: (sizeBytes: number) => string): Bomb {
  const shape = JSON.stringify({ ...BASE, ind: 90, shapes: [] }).slice(0, -1);
  return bomb(what, (size) => zipOf({ 'animation.json': animation(`${shape},${field(size * 0.97 - REST)}}`) }));
}

/** Returns a bomb at the top level of the animation. */
function atTop(what: string, fields: (sizeBytes: number) => string): Bomb {
  return bomb(what, (size) => {
    const small = JSON.stringify({ ...smallAnimation(), nm: noise(Math.ceil(size / 100)) });
    return zipOf({ 'animation.json': `${small.slice(0, -1)},${fields(size * 0.97 - REST)}}` });
  });
}

function withAssets(what: string, assets: (sizeBytes: number) => readonly object[]): Bomb {
  return bomb(what, (size) => {
    const small = smallAnimation();
    const nm = noise(Math.ceil(size / 100));
    const layers = [...small.layers, { ...BASE, ind: 91, ty: 0, refId: 'l0', w: 64, h: 36 }];
    const all = [...small.assets!, ...assets(size * 0.97 - REST)];
    return zipOf({ 'animation.json': JSON.stringify({ ...small, nm, layers, assets: all }) });
  });
}

/** Returns precompositions that each show the next one several times. */
function levels(depth: number, copies: number, inside: Layer): object[] {
  return Array.from({ length: depth }, (_, level) => ({
    id: `l${level}`,
    layers: Array.from({ length: copies }, (_item, ind) => ({
      ...(level + 1 < depth ? { ...BASE, ty: 0, refId: `l${level + 1}`, w: 64, h: 36 } : { ...BASE, ...inside }),
      ind,
    })),
  }));
}

const KEYFRAME = '{"t":1,"s":[1,2],"i":{"x":0,"y":0},"o":{"x":1,"y":1}}';

export const PACKAGE_BOMBS: readonly Bomb[] = [
  atTop('lists of nothing', (size) => `"x":[${many('[]', size)}]`),
  atTop('objects of nothing', (size) => `"x":[${many('{}', size)}]`),
  atTop('fields of many names', (size) => `"x":{${numbered((index) => `"k${index}":0`, size)}}`),
  atTop('objects of many forms', (size) => `"x":[${numbered((index) => `{"k${index}":0}`, size)}]`),
  atTop('numbers', (size) => `"x":[${many('0', size)}]`),
  atTop('numbers with fractions', (size) => `"x":[${many('1.5', size)}]`),
  atTop('texts', (size) => `"x":[${numbered((index) => `"${index}"`, size)}]`),
  atTop('one long text', (size) => `"x":"${'ab'.repeat(size / 2)}"`),
  atTop('one long text of escapes', (size) => `"x":"${'\\u00e4'.repeat(size / 6)}"`),
  atTop('one long number', (size) => `"x":${'1'.repeat(size)}`),
  atTop('levels of lists', (size) => `"x":${'['.repeat(size / 2)}${']'.repeat(size / 2)}`),
  atTop('the same field again', (size) => `${many('"x":0', size)}`),
  atTop('slots', (size) => `"slots":{${numbered((index) => `"s${index}":{"p":{"a":0,"k":[1,1,1]}}`, size)}}`),
  inLayer('keyframes', (size) => `"ks":{"p":{"a":1,"k":[${many(KEYFRAME, size)}]}}`),
  inLayer('shapes', (size) => `"shapes":[${many('{"ty":"rc","p":{"k":[0,0]},"s":{"k":[9,9]}}', size)}]`),
  inLayer('points of a path', (size) => {
    const points = many('[1,2]', size / 3);
    return `"shapes":[{"ty":"sh","ks":{"a":0,"k":{"c":true,"v":[${points}],"i":[${points}],"o":[${points}]}}}]`;
  }),
  inLayer('repeaters', () => {
    const repeater = '{"ty":"rp","c":{"a":0,"k":1000},"o":{"k":0},"m":1,"tr":{"ty":"tr"}}';
    return `"shapes":[{"ty":"rc","p":{"k":[0,0]},"s":{"k":[9,9]}},${many(repeater, 99 * (repeater.length + 1))}]`;
  }),
  inLayer('masks', (size) => `"masksProperties":[${many('{"mode":"a","pt":{"k":{}}}', size)}]`),
  inLayer('effects', (size) => `"ef":[${many('{"ty":29,"ef":[]}', size)}]`),
  inLayer('places of one slot', (size) => `"x":[${many('{"sid":"c_01","k":[1,1,1]}', size)}]`),
  inLayer('places of many slots', (size) => `"x":[${numbered((index) => `{"sid":"c_${index}","k":[1]}`, size)}]`),
  inLayer(
    'a text',
    (size) => `"ty":5,"t":{"d":{"k":[{"t":0,"s":{"t":"${'word '.repeat(size / 5)}","f":"Test-Regular","s":9}}]}}`,
  ),
  inLayer(
    'texts by keyframe',
    (size) => `"ty":5,"t":{"d":{"sid":"t_01","k":[${many('{"t":0,"s":{"t":"w","f":"Test-Regular","s":9}}', size)}]}}`,
  ),
  inLayer('a time that is bent', (size) => `"ty":0,"refId":"photo","tm":{"a":1,"k":[${many(KEYFRAME, size)}]}`),
  bomb('layers', (size) =>
    zipOf({ 'animation.json': animation(many(JSON.stringify({ ...BASE, ty: 3 }), size * 0.97 - REST)) }),
  ),
  bomb('layers with parents', (size) => {
    const layer = (index: number): string => `{"ty":3,"ind":${100 + index},"parent":${101 + index},"ks":{}}`;
    return zipOf({ 'animation.json': animation(numbered(layer, size * 0.97 - REST)) });
  }),
  bomb('texts', (size) => {
    const t = { d: { k: [{ t: 0, s: { t: 'x', f: 'Test-Regular', s: 9 } }] } };
    return zipOf({ 'animation.json': animation(many(JSON.stringify({ ...BASE, ty: 5, t }), size * 0.97 - REST)) });
  }),
  withAssets('compositions in compositions', () => levels(60, 10, { ty: 4, shapes: [] })),
  // These layers are solids; only layers of type 0 show compositions.
  withAssets('other layers that refer to compositions', () =>
    levels(60, 10, {}).map((asset) => JSON.parse(JSON.stringify(asset).replaceAll('"ty":0', '"ty":1')) as object),
  ),
  bomb('thousands of assets of one file', (size) => {
    const small = smallAnimation();
    const assets = Array.from({ length: 60_000 }, (_, index) => ({ ...small.assets![0], id: `photo${index}` }));
    const photo = Buffer.from(noise(Math.min(1_600_000, size / 2)));
    return zipOf({
      'animation.json': JSON.stringify({ ...small, assets: [...small.assets!, ...assets] }),
      'images/photo.png': photo,
    });
  }),
  bomb('a font that is listed again', (size) => {
    const small = smallAnimation();
    const font = { fName: 'Test-Regular', fFamily: 'Test', fStyle: 'Regular' };
    const list = Array(Math.floor(size / 160)).fill(font);
    const k = Array(Math.floor(size / 160)).fill({ t: 0, s: { t: 'w', f: 'Test-Regular', s: 9 } });
    const layers = [...small.layers, { ...BASE, ty: 5, t: { d: { k } } }];
    return zipOf({ 'animation.json': JSON.stringify({ ...small, fonts: { list }, layers, nm: noise(size / 100) }) });
  }),
  withAssets('images shown by compositions', () => levels(4, 11, { ty: 2, refId: 'photo' })),
  withAssets('texts shown by compositions', () =>
    levels(4, 11, { ty: 5, t: { d: { k: [{ t: 0, s: { t: 'x', f: 'Test-Regular', s: 9 } }] } } }),
  ),
  withAssets('assets', (size) => {
    return Array.from({ length: size / 16 }, (_, index) => ({ id: `a${index}` }));
  }),
  withAssets('images of the same bytes', (size) => {
    const p = `data:image/png;base64,${'A'.repeat(100)}`;
    return Array.from({ length: size / 180 }, (_, index) => ({ id: `a${index}`, w: 1, h: 1, p, e: 1 }));
  }),
  atTop('fonts', (size) => `"fonts":{"list":[${numbered((index) => `{"fName":"f${index}"}`, size)}]}`),
  bomb('files', () =>
    zipOf(Object.fromEntries(Array.from({ length: 2_100 }, (_, index) => [`images/${index}.png`, 'x']))),
  ),
  bomb('folders in folders', () =>
    zipOf(Object.fromEntries(Array.from({ length: 1_900 }, (_, index) => [`a/${'b/'.repeat(200)}${index}`, '']))),
  ),
  bomb('a manifest of editables', () => {
    const editable = (index: number): string => `  t_${index}: { label: a, kind: text, stillcut: stillcut_01 }\n`;
    return zipOf({
      'template.yaml': SMALL_MANIFEST + Array.from({ length: 18_000 }, (_, index) => editable(index)).join(''),
    });
  }),
  bomb('a manifest of stills', () => {
    const stills = Array.from({ length: 50_000 }, (_, index) => `  s${index}: 0.5\n`).join('');
    return zipOf({ 'template.yaml': SMALL_MANIFEST.replace('  stillcut_01: 0.5\n', (own) => own + stills) });
  }),
  ...[
    'a'.repeat(1_000_000),
    `[${'['.repeat(500_000)}`,
    `{${'a,'.repeat(500_000)}}`,
    '- '.repeat(500_000),
    `? ${'? '.repeat(400_000)}`,
  ].map((text, index) => bomb(`a manifest that is one value (${index + 1})`, () => zipOf({ 'template.yaml': text }))),
  bomb('a manifest of aliases', () => {
    const lines = Array.from({ length: 40 }, (_, index) => {
      const inside = index === 0 ? 'x' : `*a${index - 1}`;
      return `a${index}: &a${index} [${Array(10).fill(inside).join(',')}]`;
    });
    return zipOf({ 'template.yaml': `${lines.join('\n')}\n${SMALL_MANIFEST}` });
  }),
  bomb('a manifest of anchors', () => {
    const anchors = Array.from({ length: 40_000 }, (_, index) => `- &a${index} x`);
    return zipOf({
      'template.yaml': `x:\n${anchors.join('\n')}\n${Array(40_000).fill('- *a1').join('\n')}\n${SMALL_MANIFEST}`,
    });
  }),
  bomb('a manifest of names', () => {
    const names = Array.from({ length: 60_000 }, (_, index) => `name_${index}: 1\n`);
    return zipOf({ 'template.yaml': names.join('') + SMALL_MANIFEST });
  }),
  bomb('a manifest of merges', () =>
    zipOf({ 'template.yaml': `a: &a {b: 1}\nc:\n${'  <<: *a\n'.repeat(60_000)}${SMALL_MANIFEST}` }),
  ),
];
