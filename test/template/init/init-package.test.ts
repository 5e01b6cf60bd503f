import { describe, expect, it } from 'vitest';
import { openRasterizer } from '../../../src/engine/raster/rasterizer.ts';
import { bindMapping } from '../../../src/template/bind/bind-mapping.ts';
import {
  type InitPackageOptions,
  initPackage,
  isPackage,
  type NewPackage,
} from '../../../src/template/init/init-package.ts';
import type { LottieSource } from '../../../src/template/init/lottie-source.ts';
import { findUnsupported } from '../../../src/template/lottie/unsupported/find-unsupported.ts';
import { parseTemplatePackage } from '../../../src/template/parse-template-package.ts';
import type { RenderInput } from '../../../src/template/render-input.ts';
import {
  FONT_BYTES,
  FONTS,
  fill,
  imageLayer,
  lottie,
  rectangle,
  shapeLayer,
  sourceOf,
  still,
  TRANSFORM,
  textLayer,
} from '../../support/lottie-documents.ts';
import { solidPng } from '../../support/small-package.ts';

const FONT = { 'Test-Regular.ttf': FONT_BYTES };
const PNG = solidPng('#00ff00', 24, 12);
const PNG_URI = `data:image/png;base64,${Buffer.from(PNG).toString('base64')}`;

function createPackage(source: LottieSource, options: Partial<InitPackageOptions> = {}): NewPackage {
  const result = initPackage(source, { colorLayers: null, ...options });
  if (!isPackage(result)) throw new Error(result.problems.join('\n'));
  return result;
}

/** Parses the result with the template package parser. */
function parsed({ files }: NewPackage) {
  const result = parseTemplatePackage('', files);
  if (!result.ok) throw new Error(result.diagnostics.map(({ message }) => message).join('\n'));
  return result.value;
}

const summaryOf = ({ editables }: NewPackage) =>
  editables.map(({ key, kind, label, origin, stillcut, maxLength }) => [key, kind, label, origin, stillcut, maxLength]);

describe('initPackage()', () => {
  it('turns slots of any name into editables with their values', () => {
    const style = { t: 'Spring', f: 'Test-Regular', s: 20, fc: [1, 1, 1], j: 0, lh: 24 };
    const slots = {
      Headline: { p: { k: [{ t: 0, s: style }] } },
      c_07: { p: still([0, 0, 1, 1]) },
      Speed: { p: still(3) },
    };
    const text = textLayer('words', 'Summer');
    Object.assign((text as { t: { d: object } }).t.d, { sid: 'Headline' });
    const shape = shapeLayer('ground', [
      rectangle(100, 50, 200, 100),
      fill([1, 0, 0, 1], { c: { ...still([1, 0, 0, 1]), sid: 'c_07' } }),
    ]);
    const assets = [{ id: 'i', w: 24, h: 12, u: '', p: PNG_URI, e: 1, sid: 'Product shot' }];
    const package_ = createPackage(
      sourceOf(
        lottie([text, imageLayer('photo', 'i'), shape, textLayer('fixed', 'Now')], { slots, assets, fonts: FONTS }),
        FONT,
      ),
    );
    expect(summaryOf(package_)).toEqual([
      ['t_01', 'text', 'Headline', 'slot', 'stillcut_01', 10],
      ['t_02', 'text', 'fixed', 'proposed', 'stillcut_01', 8],
      ['c_07', 'color', 'ground', 'slot', 'stillcut_01', null],
      ['(Footage)/USER/Product-shot.png', 'image', 'Product shot', 'slot', 'stillcut_01', null],
    ]);
    expect(package_.notes.map(({ message }) => message)).toContain(
      'The slots "Speed" are not used by a visible text, value or image',
    );
    const { spec } = parsed(package_);
    expect(spec.editables.t_01).toMatchObject({ example_text: 'Spring' });
    expect(spec.editables.t_01).not.toHaveProperty('required');
    expect(spec.editables.c_07).toMatchObject({ example_text: '0000FF', required: false });
  });

  it('keeps the values of slots that do not become editables, even animated ones', () => {
    const moving = { a: 1, k: [{ t: 0, s: [0, 0, 1, 1], o: { x: 0, y: 0 }, i: { x: 1, y: 1 } }, { t: 50, s: [0, 1, 0, 1] }] }; // biome-ignore format: a property
    const slots = {
      Shade: { p: moving },
      Faded: {
        p: {
          ...moving,
          k: [
            { t: 0, s: [40] },
            { t: 50, s: [9] },
          ],
        },
      },
    };
    const shape = shapeLayer('ground', [
      rectangle(100, 50, 200, 100),
      fill([1, 0, 0, 1], { c: { ...still([1, 0, 0, 1]), sid: 'Shade' }, o: { ...still(100), sid: 'Faded' } }),
    ]);
    const { animation } = createPackage(
      sourceOf(lottie([textLayer('words', 'Now'), shape], { slots, fonts: FONTS }), FONT),
    );
    const [, paint] = (animation.layers[1] as { shapes: { it: object[] }[] }).shapes[0]!.it;
    expect(paint).toMatchObject({ c: moving, o: slots.Faded.p });
    expect(JSON.stringify(paint)).not.toContain('sid');
  });

  it('turns slots of numbers, points and gradients into editables that change the picture', async () => {
    const slots = {
      Turn: { p: still(30) },
      Place: { p: still([100, 50, 0]) },
      Sky: { p: { p: 2, k: still([0, 1, 0, 0, 1, 0, 0, 1]) } },
      Sea: { p: still([0, 0, 1, 0, 1, 1, 1, 1]) },
    };
    const paint = (sid: object, stops: object) => ({
      ty: 'gf',
      t: 1,
      o: still(100),
      s: still([60, 0]),
      e: still([140, 0]),
      g: { p: 2, k: { ...still([0, 0, 0, 0, 1, 1, 1, 1]), ...stops }, ...sid },
    });
    const ks = { ...TRANSFORM, r: { ...still(0), sid: 'Turn' }, p: { ...still([0, 0, 0]), sid: 'Place' } };
    const layers = [
      shapeLayer('sky', [rectangle(0, 0, 80, 40), paint({ sid: 'Sky' }, {})], { ks }),
      shapeLayer('sea', [rectangle(100, 90, 200, 20), paint({}, { sid: 'Sea' })]),
    ];
    const package_ = createPackage(sourceOf(lottie(layers, { slots })));
    const template = parsed(package_);
    const { editables } = template.spec;
    expect(
      Object.entries(editables).map(([key, editable]) => [
        key,
        editable.label,
        editable.input_type,
        editable.example_text,
      ]),
    ).toEqual([
      ['n_01', 'Turn', 'number', '30'],
      ['p_01', 'Place', 'point', '100, 50'],
      ['g_01', 'Sky', 'gradient', '#FF0000 0%, #0000FF 100%'],
      ['g_02', 'Sea', 'gradient', '#00FF00 0%, #FFFFFF 100%'],
    ]);
    const drawn = async (resources: Record<string, { source: { text: string } }>): Promise<string> => {
      const rasterizer = await openRasterizer(bindMapping(template, { resources }, new Map()));
      await rasterizer.prepare(0);
      const pixels = Buffer.from(rasterizer.draw(0)).toString('base64');
      rasterizer.close();
      return pixels;
    };
    const unfilled = await drawn({});
    const example = (key: string) => ({ [key]: { source: { text: editables[key]!.example_text! } } });
    for (const key of Object.keys(editables)) expect((await drawn(example(key))) === unfilled, key).toBe(true);
    const changedValues = { n_01: '80', p_01: '40, 90', g_01: '#000000, #FFFFFF00', g_02: '#112233 0%, #332211 100%' };
    for (const [key, text] of Object.entries(changedValues))
      expect((await drawn({ [key]: { source: { text } } })) === unfilled, key).toBe(false);
  });

  it('makes the colours of fills and strokes opaque, as players show them', () => {
    const shape = shapeLayer('ground', [rectangle(100, 50, 200, 100), fill([1, 0, 0, 0])]);
    const { animation, notes } = createPackage(sourceOf(lottie([shape])), { colorLayers: 1 });
    expect(JSON.stringify(animation.layers)).toContain('[1,0,0,1]');
    expect(notes.map(({ message }) => message)).toContain(
      'Made colours of fills and strokes opaque, as players show them',
    );
  });

  it('scales an animation that is too large, with all of its layers', () => {
    const shape = shapeLayer('ground', [rectangle(2000, 2500, 4000, 5000), fill([1, 0, 0, 1])]);
    const package_ = createPackage(sourceOf(lottie([shape], { w: 4000, h: 5000 })), { colorLayers: 1 });
    const { width, height, animation } = parsed(package_);
    expect({ width, height }).toEqual({ width: 3276, height: 4096 });
    expect(animation.layers).toMatchObject([{ ty: 0, w: 4000, h: 5000, ks: { s: still([81.92, 81.92, 100]) } }]);
  });

  it('uses keys in layer names where there is no slot, with several layers as one editable', () => {
    const layers = [
      textLayer('t_02 – Subline', 'Below'),
      textLayer('t_02', 'Below'),
      textLayer('s_01 Captions', 'Words of the video'),
      imageLayer('(Footage)/USER/logo.png', 'i'),
      shapeLayer('s', [rectangle(9, 9, 9, 9), fill([1, 0, 0, 1], { nm: 'c_01 Accent' })]),
      shapeLayer('c_01', [rectangle(30, 9, 9, 9), fill([1, 0, 0, 1])]),
      textLayer('other', 'Fixed'),
    ];
    const assets = [{ id: 'i', w: 24, h: 12, u: '', p: PNG_URI, e: 1 }];
    const package_ = createPackage(sourceOf(lottie(layers, { assets, fonts: FONTS }), FONT));
    expect(summaryOf(package_)).toEqual([
      ['t_02', 'text', 'Subline', 'name', 'stillcut_01', 10],
      ['s_01', 'text', 'Captions', 'name', 'stillcut_01', null],
      ['c_01', 'color', 'Accent', 'name', 'stillcut_01', null],
      ['(Footage)/USER/logo.png', 'image', 'logo', 'name', 'stillcut_01', null],
    ]);
    expect(package_.editables.map(({ nodes }) => nodes.length)).toEqual([2, 1, 2, 1]);
    expect(parsed(package_).spec.editables.s_01).toMatchObject({ input_type: 'captions', required: false });
  });

  it('proposes every text and image in order of appearance where nothing is named', () => {
    const counting = textLayer('count', '1');
    (counting as { t: { d: { k: object[] } } }).t.d.k.push({ t: 30, s: { t: '2', f: 'Test-Regular', s: 20 } });
    const layers = [
      textLayer('Second', 'Later', { ip: 30 }),
      textLayer('First', 'Before'),
      counting,
      textLayer('gone', 'Never', { hd: true }),
      imageLayer('Hero shot', 'i'),
    ];
    const assets = [{ id: 'i', w: 24, h: 12, u: 'images/', p: 'img_0.png', e: 0 }];
    const package_ = createPackage(
      sourceOf(lottie(layers, { assets, fonts: FONTS }), { ...FONT, 'images/img_0.png': PNG }),
    );
    expect(summaryOf(package_).map(([key, , label, origin]) => [key, label, origin])).toEqual([
      ['t_01', 'First', 'proposed'],
      ['t_02', 'Second', 'proposed'],
      ['(Footage)/USER/Hero-shot.png', 'Hero shot', 'proposed'],
    ]);
    expect(package_.notes).toContainEqual({
      kind: 'skipped',
      message: 'The text "count" is not editable: its text changes over time',
    });
    expect(parsed(package_).images.get('i')?.path).toBe('images/img_0.png');
  });

  it('finds images of a dotLottie in sub-folders by their whole path', () => {
    const blueImage = solidPng('#0000ff', 24, 12);
    const assets = [
      { id: 'a', w: 24, h: 12, u: 'icons/one/', p: 'icon.png', e: 0 },
      { id: 'b', w: 24, h: 12, u: '/images/', p: 'icons/two/icon.png', e: 0 },
      { id: 'c', w: 24, h: 12, u: '', p: 'three/icon.png', e: 0 },
    ];
    const layers = [textLayer('t_01', 'Words'), ...assets.map(({ id }) => imageLayer(id, id))];
    const source = sourceOf(lottie(layers, { assets, fonts: FONTS }), FONT);
    const packed = {
      'images/icon.png': solidPng('#ff0000', 24, 12),
      'images/icons/one/icon.png': PNG,
      'images/icons/two/icon.png': blueImage,
      'i/three/icon.png': blueImage,
    };
    const package_ = createPackage({ ...source, files: new Map(Object.entries(packed)) });
    const { images } = parsed(package_);
    expect(['a', 'b', 'c'].map((id) => images.get(id)?.bytes)).toEqual([PNG, blueImage, blueImage]);
  });

  it('offers shared colours on request, including solids but not mattes', () => {
    const layers = [
      shapeLayer('Disc', [rectangle(9, 9, 9, 9), fill([1, 0, 0, 1])]),
      shapeLayer('Bar', [rectangle(30, 9, 9, 9), fill([1, 0, 0, 1])]),
      shapeLayer('Matte', [rectangle(9, 9, 9, 9), fill([1, 0, 0, 1])], { td: 1 }),
      { ...(shapeLayer('Ground', []) as object), ty: 1, shapes: undefined, sw: 200, sh: 100, sc: '#0000ff', tt: 1 },
    ];
    const two = createPackage(sourceOf(lottie(layers)), { colorLayers: 2 });
    expect(summaryOf(two)).toEqual([['c_01', 'color', 'Colour #FF0000 (Disc, Bar)', 'proposed', 'stillcut_01', null]]);
    expect(two.colors).toEqual([{ color: '0000FF', layerCount: 1 }]);
    const withSingleColor = parsed(createPackage(sourceOf(lottie(layers)), { colorLayers: 1 }));
    expect(withSingleColor.spec.editables.c_02).toMatchObject({
      label: 'Colour #0000FF (Ground)',
      example_text: '0000FF',
    });
  });

  it('shortens a label of more than 60 characters with an ellipsis', () => {
    const name = 'A layer with a name that somebody typed without looking at its length';
    const layers = [shapeLayer(name, [rectangle(9, 9, 9, 9), fill([1, 0, 0, 1])])];
    const { spec } = parsed(createPackage(sourceOf(lottie(layers)), { colorLayers: 1 }));
    const label = 'Colour #FF0000 (A layer with a name that somebody typed wit…';
    expect(spec.editables.c_01).toMatchObject({ label });
  });

  it('offers colours that differ only in alpha as one', () => {
    const colors = [[1, 0, 0, 0], [1, 0, 0, 1], [1, 0, 0, 0.5], [1, 0, 0]]; // biome-ignore format: a list
    const layers = colors.map((color, index) => shapeLayer(`s${index}`, [rectangle(20, 20, 30, 30), fill(color)]));
    const { spec } = parsed(createPackage(sourceOf(lottie(layers)), { colorLayers: 1 }));
    expect(Object.values(spec.editables).map(({ label, example_text }) => [label, example_text])).toEqual([
      ['Colour #FF0000 (s0, s1 and 2 more)', 'FF0000'],
    ]);
  });

  it('keeps the own value of each layer until its editable is filled', () => {
    const layers = [
      textLayer('t_01', 'Good'),
      textLayer('t_01', 'Morning'),
      shapeLayer('c_01', [rectangle(20, 20, 30, 30), fill([1, 0, 0, 1])]),
      shapeLayer('c_01', [rectangle(60, 20, 30, 30), fill([0, 0, 1, 1])]),
    ];
    const source = sourceOf(lottie(layers, { fonts: FONTS }), FONT);
    const template = parsed(createPackage(source));
    const renderInput = (resources: Parameters<typeof bindMapping>[1]['resources']): string =>
      JSON.stringify(bindMapping(template, { resources }, new Map()).animation.layers);
    expect(renderInput({})).toContain('"t":"Morning"');
    expect(renderInput({})).toContain('[0,0,1,1]');
    expect(renderInput({ t_01: { source: { text: 'Hi' } }, c_01: { source: { text: '00FF00' } } })).not.toMatch(
      /Morning|0,0,1,1/,
    );
  });

  it('writes line breaks in examples as definitions do, so that an example can be filled in unchanged', () => {
    const layers = [textLayer('a', 'Good\rMorning'), textLayer('b', 'One\u0003two\u0003three', {}, { sz: [180, 90] })];
    const package_ = createPackage(sourceOf(lottie(layers, { fonts: FONTS }), FONT));
    const { spec } = parsed(package_);
    expect([spec.editables.t_01?.example_text, spec.editables.t_02?.example_text]).toEqual([
      'Good\nMorning',
      'One\ntwo\nthree',
    ]);
  });

  it('lists layers that are skipped because others have keys', () => {
    const shape = shapeLayer('ground', [rectangle(9, 9, 9, 9), fill([1, 0, 0, 1], { nm: 'c_01 Accent' })]);
    const assets = [{ id: 'i', w: 24, h: 12, u: '', p: PNG_URI, e: 1 }];
    const layers = [textLayer('Headline', 'Hello'), textLayer('Subline', 'You'), imageLayer('Photo', 'i'), shape];
    const { notes, editables } = createPackage(sourceOf(lottie(layers, { assets, fonts: FONTS }), FONT));
    expect(editables.map(({ key }) => key)).toEqual(['c_01']);
    expect(notes.filter(({ kind }) => kind === 'skipped').map(({ message }) => message)).toEqual([
      'The texts "Headline", "Subline" have neither a slot nor a key in the name; to make one editable, name its layer "t_01 Headline"',
      'The image "Photo" has neither a slot nor a key in the name; to make one editable, name its layer "USER/Photo.png"',
    ]);
  });

  it('suggests options when there is nothing to edit', () => {
    const shapes = [shapeLayer('Disc', [rectangle(9, 9, 9, 9), fill([1, 0, 0, 1])])];
    expect(initPackage(sourceOf(lottie(shapes)), { colorLayers: null })).toEqual({
      problems: [
        'The animation has nothing to edit: no slot, static text, image or sound; --colors 1 makes a colour editable',
      ],
    });
  });

  it('takes stills from markers and assigns each editable the first that shows it', () => {
    const markers = [
      { cm: 'stillcut_02', tm: 50, dr: 0 },
      { cm: 'stillcut_01', tm: 20, dr: 0 },
      { cm: 'loop', tm: 5, dr: 0 },
    ];
    const layers = [textLayer('a', 'First', { op: 40 }), textLayer('b', 'Last', { ip: 40 })];
    const package_ = createPackage(sourceOf(lottie(layers, { markers, fonts: FONTS, ip: 10 }), FONT));
    expect(package_.stills).toEqual([
      { name: 'stillcut_01', frame: 10, origin: 'marker' },
      { name: 'stillcut_02', frame: 40, origin: 'marker' },
    ]);
    expect(package_.editables.map(({ stillcut }) => stillcut)).toEqual(['stillcut_01', 'stillcut_02']);
  });

  it('takes timing from markers, in order of time', () => {
    const markers = [
      { cm: 'Stretch 2\r', tm: 40, dr: 20 },
      { cm: '{"name":"loop"\r}', tm: 20, dr: 10 },
      { cm: ' hold\n', tm: 35, dr: 0 },
      { cm: 'loop_2', tm: 25, dr: 10 },
      { cm: 'loop', tm: 15, dr: 0 },
      { cm: 'hold', tm: 900, dr: 0 },
      { cm: 'hold my beer', tm: 12, dr: 0 },
      { cm: '{"name":', tm: 12, dr: 0 },
    ];
    const document = lottie([textLayer('a', 'First')], { markers, fonts: FONTS, ip: 10 });
    const { files, notes } = createPackage(sourceOf(document, FONT));
    expect(new TextDecoder().decode(files.get('template.yaml'))).toContain(
      'timing:\n  - { loop: [0.333, 0.667] }\n  - { hold: 0.833 }\n  - { stretch: [1, 1.667] }\neditables:',
    );
    expect(notes.map(({ message }) => message).filter((message) => message.includes('marker'))).toEqual([
      'The marker loop at 0.167 s is not a place of timing: it has no duration',
      'The marker loop at 0.5 s is not a place of timing: it overlaps an earlier place',
      'The marker hold at 29.667 s is not a place of timing: it lies outside of the animation',
    ]);
  });

  it('chooses stills that show the most editables, but not during a fade', () => {
    const fading = {
      ...TRANSFORM,
      o: {
        a: 1,
        k: [
          { t: 0, s: [0] },
          { t: 30, s: [0] },
          { t: 40, s: [100] },
        ],
      },
    };
    const layers = [
      textLayer('a', 'Early', { op: 20 }),
      textLayer('b', 'Late', { ks: fading }),
      textLayer('c', 'Late too', { ip: 25 }),
    ];
    const package_ = createPackage(sourceOf(lottie(layers, { fonts: FONTS }), FONT));
    expect(package_.stills.map(({ frame }) => frame)).toEqual([10, 45]);
    expect(parsed(package_).stills.map(({ frame }) => frame)).toEqual([10, 45]);
    expect(package_.editables.map(({ label, stillcut }) => [label, stillcut])).toEqual([
      ['a', 'stillcut_01'],
      ['b', 'stillcut_02'],
      ['c', 'stillcut_02'],
    ]);
  });

  it('avoids a frame at which a layer is briefly invisible', () => {
    const frames = [0, 30, 60].map((t, index) => ({ t, s: [index === 1 ? 0 : 100] }));
    const blinking = { ...TRANSFORM, o: { a: 1, k: frames } };
    const { stills } = createPackage(sourceOf(lottie([textLayer('a', 'A', { ks: blinking })], { fonts: FONTS }), FONT));
    expect(stills.map(({ frame }) => frame)).toEqual([15]);
  });

  it('finds fonts with their licences, drops unused ones and lists missing ones', () => {
    const fPath = `data:font/ttf;base64,${Buffer.from(FONT_BYTES).toString('base64')}`;
    const list = [
      { fName: 'Inside Bold', fFamily: 'Inside', fStyle: 'Bold', fPath },
      { fName: 'Beside-Regular', fFamily: 'Beside', fStyle: 'Regular' },
      { fName: 'Gone', fFamily: 'Gone', fStyle: 'Regular', fPath: 'https://fonts.example/gone.woff' },
      { fName: 'Unused', fFamily: 'Unused', fStyle: 'Regular' },
    ];
    const layers = ['Inside Bold', 'Beside-Regular', 'Gone'].map((f) => textLayer(f, 'A', {}, { f }));
    const beside = {
      'fonts/Beside.ttf': FONT_BYTES,
      'fonts/OFL.txt': new Uint8Array([79]),
      'LICENSE.txt': new Uint8Array(),
    };
    const package_ = createPackage(sourceOf(lottie(layers, { fonts: { list }, chars: [{ ch: 'A' }] }), beside));
    expect([...package_.files.keys()].filter((path) => path.startsWith('fonts/'))).toEqual([
      'fonts/Inside-Bold.ttf',
      'fonts/Beside-Regular.ttf',
      'fonts/OFL.txt',
    ]);
    expect(package_.needs).toEqual([{ kind: 'font', name: 'Gone', path: 'fonts/Gone.ttf', problem: null }]);
    expect(package_.animation).not.toHaveProperty('chars');
    expect(package_.animation.fonts).toMatchObject({
      list: [{ fName: 'Inside-Bold' }, { fName: 'Beside-Regular' }, { fName: 'Gone' }],
    });
    parsed({ ...package_, files: new Map([...package_.files, ['fonts/Gone.ttf', FONT_BYTES]]) });
  });

  it('extracts each image once and lists missing ones', () => {
    const assets = [
      { id: 'a', w: 24.4, h: 12, u: '', p: PNG_URI, e: 1 },
      { id: 'b', u: '', p: PNG_URI, e: 1 },
      { id: 'c', w: 9, h: 9, u: '/images/', p: '../secret.png', e: 0 },
      { id: 'd', w: 9, h: 9, u: '', p: 'data:image/svg+xml;utf8,<svg/>', e: 1 },
    ];
    const layers = ['a', 'b', 'c', 'd'].map((id) => imageLayer('Photo', id));
    const package_ = createPackage(sourceOf(lottie(layers, { assets })));
    expect([...package_.files.keys()].slice(2)).toEqual(['images/Photo.png', 'images/Photo-2.png']);
    expect(package_.animation.assets?.map(({ w, h, u, p }) => [w, h, u, p]).slice(0, 2)).toEqual([
      [24, 12, 'images/', 'Photo.png'],
      [24, 12, 'images/', 'Photo-2.png'],
    ]);
    expect(package_.needs.map(({ path, problem }) => [path, problem])).toEqual([
      ['images/secret.png', null],
      [
        'images/Photo-3.png',
        'is an SVG drawing, not a PNG, JPEG, WebP, GIF or AVIF image; export it as PNG, JPEG or WebP',
      ],
    ]);
  });

  it('extracts a sound and makes it an editable', () => {
    const sound = { ...(imageLayer('Music', 's') as object), ty: 6 };
    const assets = [{ id: 's', u: '', p: 'data:audio/mpeg;base64,SUQz', e: 1 }];
    const package_ = createPackage(sourceOf(lottie([sound], { assets })));
    expect(summaryOf(package_)).toEqual([
      ['(Footage)/USER/Music.mp3', 'audio', 'Music', 'proposed', 'stillcut_01', null],
    ]);
    expect(package_.files.get('audio/Music.mp3')).toEqual(new Uint8Array([73, 68, 51]));
    parsed(package_);
  });

  it('makes the size even, drops disabled effects, keeps expressions, and reports it', () => {
    const ks = { ...TRANSFORM, r: { ...still(0), x: 'var $bm_rt = time * 90;' } };
    const ef = [{ ty: 21, mn: 'ADBE Fill', nm: 'Fill', en: 0, ef: [] }];
    const package_ = createPackage(
      sourceOf(lottie([textLayer('a', 'A', { ks, ef })], { w: 201, h: 99, fonts: FONTS }), FONT),
    );
    expect(package_.notes.map(({ message }) => message)).toEqual([
      'Changed the size 201 × 99 to 200 × 98: both must be even',
      'Removed 1 effect that is switched off',
    ]);
    const removed = [
      { what: '1 column and 1 row of pixels', layer: 'all layers' },
      { what: 'effect Fill, switched off', layer: 'a' },
    ];
    expect(parsed(package_).animation.removed).toEqual(removed);
    // A package created from the animation of another package lacks the same content.
    expect(createPackage(sourceOf(package_.animation, FONT)).animation.removed).toEqual(removed);
    expect(
      findUnsupported(package_.animation).map(({ feature, what, layer, pointer }) => [feature, what, layer, pointer]),
    ).toEqual([
      ['removed', '1 column and 1 row of pixels', 'all layers', '/removed/0'],
      ['removed', 'effect Fill, switched off', 'a', '/removed/1'],
      ['expression', 'expression', 'a', '/layers/0/ks/r'],
    ]);
    // `template check` reports expressions as long as they exist.
    expect(JSON.stringify(package_.animation)).toContain('$bm_rt');
    expect(package_.unsupported.map(({ feature, pointer }) => [feature, pointer])).toEqual([
      ['effect_switched_off', '/layers/0/ef/0'],
      ['expression', '/layers/0/ks/r'],
    ]);
    parsed(package_);
  });

  it('upgrades documents of old Lottie versions', () => {
    const path = { i: [[0, 0]], o: [[0, 0]], v: [[0, 0]] };
    const items = [{ ty: 'sh', closed: true, ks: still(path) }, fill([255, 51, 0, 1])];
    const words = textLayer('a', 'A') as { t: { d: unknown } };
    words.t.d = { t: 'A', f: 'Test-Regular', s: 20, fc: [1, 1, 1], lh: 24 };
    const { animation, notes } = createPackage(
      sourceOf(lottie([words, shapeLayer('s', items)], { v: '4.1.2', fonts: FONTS }), FONT),
    );
    expect(notes).toHaveLength(3);
    const shape = (animation.layers[1] as { shapes: [{ it: [{ ks: { k: { c: boolean } } }, { c: { k: number[] } }] }] })
      .shapes[0];
    expect([shape.it[0].ks.k.c, shape.it[1].c.k]).toEqual([true, [1, 0.2, 0, 1]]);
  });

  it('repairs keyframes with bare numbers, empty fields, or in a property that is marked as not animated', () => {
    const o = { a: 0, k: [{ t: 0, s: 0, i: null, o: null, h: 1 }, { t: 9, s: 100, to: null }] }; // biome-ignore format: a property
    const fixed = (keyframes: object) => ({ ks: { ...TRANSFORM, o: keyframes } });
    const sound = { a: 1, k: [{ t: 0, s: [0], h: 1 }, { t: 9, s: [100] }] }; // biome-ignore format: a property
    const draw = (keyframes: object) =>
      createPackage(
        sourceOf(lottie([shapeLayer('s', [rectangle(0, 0, 9, 9), fill([1, 0, 0, 1])], fixed(keyframes))])),
        {
          colorLayers: 1,
        },
      );
    const repaired = draw(o);
    expect((repaired.animation.layers[0] as { ks: { o: object } }).ks.o).toEqual(sound);
    expect(
      repaired.notes.map(({ message }) => message).filter((message) => message.startsWith('Repaired')),
    ).toHaveLength(1);
    expect(
      draw(sound)
        .notes.map(({ message }) => message)
        .filter((message) => message.startsWith('Repaired')),
    ).toEqual([]);
  });

  it('leaves control characters of layer names out of the manifest', () => {
    parsed(createPackage(sourceOf(lottie([textLayer('caf\u0091\u0007e', 'A')], { fonts: FONTS }), FONT)));
  });

  it('appends a missing dash offset of zero and moves an existing one to the end', () => {
    const dash = (n: string, length: number) => ({ n, nm: n, v: still(length) });
    const stroke = (...d: object[]) => ({ ty: 'st', c: still([1, 0, 0, 1]), o: still(100), w: still(2), d });
    const lists = [[dash('d', 9), dash('g', 3)], [dash('o', 2), dash('d', 9)], [dash('d', 9), dash('o', 2)]]; // biome-ignore format: a list
    const layers = lists.map((list) => shapeLayer('s', [rectangle(30, 30, 20, 20), stroke(...list)]));
    const { animation, notes, unsupported } = createPackage(sourceOf(lottie(layers)), { colorLayers: 1 });
    expect(notes.map(({ message }) => message)).toContain('Added an offset of 0 to dashes without one');
    expect(unsupported).toEqual([]);
    const drawn = animation.layers as { shapes: [{ it: [object, { d: { n: string; v: { k: number } }[] }] }] }[];
    expect(drawn.map(({ shapes }) => shapes[0].it[1].d.map(({ n, v }) => `${n} ${v.k}`))).toEqual([
      ['d 9', 'g 3', 'o 0'],
      ['d 9', 'o 2'],
      ['d 9', 'o 2'],
    ]);
  });

  it('renumbers layers that share an index', () => {
    const layers = [
      textLayer('a', 'A', { ind: 6 }),
      textLayer('b', 'B', { ind: 6 }),
      textLayer('c', 'C', { ind: 2, parent: 6 }),
    ];
    const { animation } = createPackage(sourceOf(lottie(layers, { fonts: FONTS }), FONT));
    expect(animation.layers).toMatchObject([{ ind: 6 }, { ind: 7 }, { ind: 2, parent: 6 }]);
  });

  it('rejects invalid animations', () => {
    for (const [animation, problem] of [
      [[], '/: an animation must be an object'],
      [lottie([], { w: 0 }), '/w: 0 pixels is not in 1..4096'],
      [
        lottie([{ ty: 0, refId: 'x' }], { assets: [{ id: 'x', layers: [{ ty: 0, refId: 'x' }] }] }),
        '/assets/0/layers: the composition contains itself',
      ],
    ] as const) {
      expect(initPackage(sourceOf(animation), { colorLayers: 1 })).toEqual({ problems: [problem] });
    }
  });
});

describe('a package and its source animation', () => {
  const SCENE = { width: 200, height: 100, fps: 30, frameCount: 60, images: [], clips: [], sounds: [], stills: [] };
  const OUTPUT = { format: 'mp4', quality: 'high', fingerprint: null } as const;
  const SCENE_FONTS = [{ name: 'Test-Regular', bytes: FONT_BYTES, isFallback: false }];

  async function drawn(renderInput: RenderInput): Promise<Buffer[]> {
    const rasterizer = await openRasterizer(renderInput);
    const frames: Buffer[] = [];
    for (const frame of [0, 30, 59]) {
      await rasterizer.prepare(frame);
      frames.push(Buffer.from(rasterizer.draw(frame)));
    }
    rasterizer.close();
    return frames;
  }

  const shape = (name: string, x: number, color: readonly number[], changes: object = {}) =>
    shapeLayer(name, [rectangle(x, 50, 40, 60), fill(color, changes)]);
  const ground = shape('ground', 100, [0.2, 0.2, 0.2, 1]);
  const cases: [string, readonly object[]][] = [
    [
      'colours that are nearly the same',
      [shape('a', 40, [0.5, 0.1, 0.3]), shape('b', 90, [0.5001, 0.1, 0.3, 1]), ground],
    ],
    ['a solid', [{ ...(shapeLayer('Solid', []) as object), ty: 1, shapes: undefined, sw: 90, sh: 60, sc: '#0c68e2' }, ground]], // biome-ignore format: a list
    ['lines of a text', [textLayer('a', 'Good\rMorning', {}, { s: 14, lh: 16 }), ground]],
    ['soft breaks in a box', [textLayer('a', 'One\u0003two\u0003', {}, { s: 14, lh: 16, sz: [150, 90], ps: [0, -40] }), ground]], // biome-ignore format: a list
    ['an expression', [shape('a', 40, [0, 1, 0, 1], { c: { ...still([0, 1, 0, 1]), x: 'var $bm_rt = [1, 0, 0, 1];' } }), ground]], // biome-ignore format: a list
  ];

  it.each(cases)('draw the same frames: %s', async (_title, layers) => {
    const animation = lottie(layers, { fonts: FONTS });
    const template = parsed(createPackage(sourceOf(animation, FONT), { colorLayers: 1 }));
    const examples = Object.entries(template.spec.editables).map(([key, { example_text: text }]) => {
      return [key, { source: { text: text! } }];
    });
    const original = await drawn({ ...SCENE, output: OUTPUT, animation, fonts: SCENE_FONTS });
    for (const resources of [{}, Object.fromEntries(examples)]) {
      const frames = await drawn(bindMapping(template, { resources }, new Map()));
      expect(frames.map((frame, index) => frame.equals(original[index]!))).toEqual([true, true, true]);
    }
  });
});
