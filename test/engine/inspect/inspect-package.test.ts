import { describe, expect, it } from 'vitest';
import { inspectPackage, type PackageFinding } from '../../../src/engine/inspect/inspect-package.ts';
import { lintInput } from '../../../src/engine/lint/lint-input.ts';
import { compareStills } from '../../../src/engine/stills/compare-stills.ts';
import { drawStills } from '../../../src/engine/stills/draw-stills.ts';
import { openFont } from '../../../src/engine/text/open-font.ts';
import { parseTemplatePackage } from '../../../src/template/parse-template-package.ts';
import type { LottieDocument } from '../../../src/template/render-input.ts';
import {
  FONT_BYTES,
  FONTS,
  fill,
  imageLayer,
  lottie,
  rectangle,
  shapeLayer,
  still,
  TRANSFORM,
  textLayer,
} from '../../support/lottie-documents.ts';
import { solidPng } from '../../support/small-package.ts';
import { VARIABLE } from '../text/test-fonts.ts';

const MANIFEST = `name: Promo
stillcuts:
  early: 0.2
  late: 1.8
editables:
  t_01: { label: Headline, kind: text, stillcut: early }
  c_01: { label: Ground, kind: color, stillcut: early }
  (Footage)/USER/photo.png: { label: Photo, kind: image, stillcut: late }
`;

function withKey(layer: object, key: string): object {
  const copy = structuredClone(layer) as { t: { d: object } };
  Object.assign(copy.t.d, { sid: key });
  return copy;
}

function animation(changes: { headline?: object; photo?: object } = {}): LottieDocument {
  const layers = [
    withKey(textLayer('headline', 'Hello', changes.headline), 't_01'),
    imageLayer('photo', 'i', { ks: { ...TRANSFORM, p: still([120, 20, 0]) }, ...changes.photo }),
    shapeLayer('ground', [
      rectangle(100, 50, 200, 100),
      fill([0, 0, 0.4, 1], { c: { ...still([0, 0, 0.4, 1]), sid: 'c_01' } }),
    ]),
  ];
  const assets = [{ id: 'i', w: 60, h: 60, u: 'images/', p: 'photo.png', e: 0, sid: '(Footage)/USER/photo.png' }];
  return lottie(layers, { assets, fonts: FONTS });
}

async function inspect(
  document: LottieDocument,
  changes: Readonly<Record<string, Uint8Array | string | null>> = {},
): Promise<PackageFinding[]> {
  const contents: Record<string, Uint8Array | string | null> = {
    'template.yaml': MANIFEST,
    'animation.json': JSON.stringify(document),
    'images/photo.png': solidPng('#00ff00', 60, 60),
    'fonts/Test-Regular.ttf': FONT_BYTES,
    'fonts/OFL.txt': 'A licence',
    ...changes,
  };
  const encoder = new TextEncoder();
  const files = new Map(
    Object.entries(contents).flatMap(([path, content]): [string, Uint8Array][] => {
      return content === null ? [] : [[path, typeof content === 'string' ? encoder.encode(content) : content]];
    }),
  );
  const parsed = parseTemplatePackage('', files);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.diagnostics));
  return inspectPackage(parsed.value, files.keys(), {
    renderStills: (renderInput) => drawStills(renderInput, () => undefined),
    compare: compareStills,
    lint: lintInput,
    weightOf: openFont,
  });
}

describe('inspectPackage()', () => {
  it('reports nothing for a valid package', async () => {
    expect(await inspect(animation())).toEqual([]);
  });

  it('reports editables that are missing from their still or from every frame', async () => {
    const behind = { ...TRANSFORM, p: still([500, 0, 0]) };
    expect(await inspect(animation({ headline: { ip: 30 }, photo: { ks: behind } }))).toEqual([
      { kind: 'not_visible', editable: 't_01', still: 'early', shownOn: ['late'], seconds: 1.8 },
      { kind: 'not_visible', editable: '(Footage)/USER/photo.png', still: 'late', shownOn: [], seconds: null },
      { kind: 'idle_still', still: 'late', named: 1, seconds: null },
    ]);
  });

  it('suggests a time for an editable that no still shows', async () => {
    const [text, idle] = await inspect(animation({ headline: { ip: 20, op: 40 }, photo: { ip: 20, op: 40 } }));
    // The middle of the time during which it is shown.
    const seconds = expect.closeTo(1, 1);
    expect(text).toEqual({ kind: 'not_visible', editable: 't_01', still: 'early', shownOn: [], seconds });
    expect(idle).toMatchObject({ kind: 'not_visible', editable: '(Footage)/USER/photo.png', seconds });
  });

  it('suggests the only time at which a short layer is shown', async () => {
    const layers = animation({ headline: { ip: 41, op: 42 } }).layers;
    const [finding] = await inspect({ ...animation(), op: 6000, layers });
    expect(finding).toMatchObject({ kind: 'not_visible', editable: 't_01', seconds: 41 / 30 });
  });

  it.each([
    ['is transparent throughout', { ks: { ...TRANSFORM, o: still(0) } }],
    ['lies outside the picture', { ks: { ...TRANSFORM, p: still([900, 60, 0]) } }],
    ['has no size', { ks: { ...TRANSFORM, s: still([0, 0]) } }],
  ])('suggests no time for an editable that %s', async (_, headline) => {
    const [finding] = await inspect(animation({ headline }));
    expect(finding).toEqual({ kind: 'not_visible', editable: 't_01', still: 'early', shownOn: [], seconds: null });
  });

  it('reports a still that no editable refers to', async () => {
    const manifest = MANIFEST.replace('stillcut: late', 'stillcut: early');
    expect(await inspect(animation(), { 'template.yaml': manifest })).toEqual([
      { kind: 'idle_still', still: 'late', named: 0, seconds: null },
    ]);
  });

  it('reports each unsupported feature once', async () => {
    const document = animation({ headline: { mb: true }, photo: { mb: true } });
    expect(await inspect(document)).toEqual([
      {
        kind: 'unsupported',
        feature: 'motion_blur',
        what: 'motion blur',
        uses: [
          { feature: 'motion_blur', what: 'motion blur', layer: 'headline', pointer: '/layers/0' },
          { feature: 'motion_blur', what: 'motion blur', layer: 'photo', pointer: '/layers/1' },
        ],
      },
    ]);
  });

  it('reports findings about the example values', async () => {
    const document = animation();
    const style = (document.layers[0] as { t: { d: { k: [{ s: { t: string } }] } } }).t.d.k[0].s;
    style.t = 'Hi \u4f60';
    expect(await inspect(document)).toMatchObject([
      { kind: 'lint', finding: { code: 'glyph_missing', editable: 't_01' } },
    ]);
  });

  it('reports an image far larger than it is drawn', async () => {
    const padded = Buffer.concat([solidPng('#00ff00', 400, 400), Buffer.alloc(120_000, 7)]);
    const half = {
      ks: {
        ...TRANSFORM,
        p: still([120, 20, 0]),
        s: {
          a: 1,
          k: [
            { t: 0, s: [50, 50] },
            { t: 60, s: [80, 60] },
          ],
        },
      },
    };
    const findings = await inspect(animation({ photo: half }), {
      'images/photo.png': padded,
      'template.yaml': `${MANIFEST}timing: []\n`,
    });
    expect(findings).toEqual([
      expect.objectContaining({
        kind: 'large_image',
        path: 'images/photo.png',
        width: 400,
        drawnWidth: 48,
        drawnHeight: 36,
      }),
    ]);
  });

  describe('of holds', () => {
    /** The photo moves by 60 pixels between its second third and its end; 60 × 60 of 200 × 100 pixels. */
    const moving = animation({
      photo: {
        ks: {
          ...TRANSFORM,
          p: {
            a: 1,
            k: [
              { t: 20, s: [60, 20, 0] },
              { t: 60, s: [120, 20, 0] },
            ],
          },
        },
      },
    });
    const holdsOf = async (document: LottieDocument, timing: string): Promise<PackageFinding[]> => {
      const found = await inspect(document, { 'template.yaml': `${MANIFEST}${timing}` });
      return found.filter(({ kind }) => kind === 'hold_moves');
    };

    it('reports the hold of a template without timing, if the picture moves at its latest stillcut', async () => {
      expect(await holdsOf(animation(), '')).toEqual([]);
      expect(await holdsOf(moving, '')).toEqual([
        // The edges of the photo: 2 × 1.5 × 60 pixels of 20,000, and those of its headline stay.
        { kind: 'hold_moves', place: null, frame: 54, seconds: 1.8, changedShare: expect.closeTo(0.012, 2) },
      ]);
    });

    it('reports each hold at which the picture moves', async () => {
      const timing = 'timing:\n  - { hold: 0.5 }\n  - { hold: 1 }\n  - { hold: 2 }\n  - { stretch: [1.2, 1.4] }\n';
      const found = await holdsOf(moving, timing);
      // The last frame holds the end of the movement.
      expect(found).toMatchObject([
        { place: 1, frame: 30, seconds: 1 },
        { place: 2, frame: 59 },
      ]);
    });

    it('reports nothing for a template that cannot hold', async () => {
      expect(await holdsOf(moving, 'timing: []\n')).toEqual([]);
      expect(await holdsOf(moving, 'timing: [{ stretch: [1, 2] }]\n')).toEqual([]);
    });
  });

  it('reports a font that is lighter or bolder than the animation asks for', async () => {
    const asks = (fields: object): LottieDocument => {
      const fonts = { list: [{ ...FONTS.list[0], ...fields }] };
      return { ...animation(), fonts };
    };
    const finding = { kind: 'font_weight', name: 'Test-Regular', pointer: '/fonts/list/0' };
    expect(await inspect(asks({ fStyle: 'Bold' }))).toEqual([
      { ...finding, requested: 700, weight: 500, isAvailable: false },
    ]);
    expect(await inspect(asks({ fStyle: 'Fat', fWeight: '900' }))).toMatchObject([{ requested: 900 }]);
    const variable = { 'fonts/Test-Regular.ttf': null, 'fonts/Test-Regular.woff2': VARIABLE.bytes };
    expect(await inspect(asks({ fStyle: 'SemiBold' }), variable)).toEqual([
      { ...finding, requested: 600, weight: 400, isAvailable: true },
    ]);
    const set = { ...variable, 'template.yaml': `${MANIFEST}fonts: { Test-Regular: { axes: { wght: 600 } } }\n` };
    expect(await inspect(asks({ fStyle: 'SemiBold' }), set)).toEqual([]);
  });

  it('reports fonts without a licence', async () => {
    const findings = await inspect(animation(), { 'fonts/OFL.txt': null });
    expect(findings).toEqual([{ kind: 'no_licence', fonts: ['fonts/Test-Regular.ttf'] }]);
  });
});
