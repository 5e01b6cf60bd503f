import type { InputImage } from '../../../src/template/render-input.ts';
import { imageLayer, placed } from '../inputs.ts';
import {
  at,
  BLACK,
  block,
  boxed,
  type CaseTable,
  CUT,
  clip,
  grey,
  H,
  HIDDEN,
  HIT,
  LOW,
  moving,
  NAVY,
  nested,
  OUTLINE,
  on,
  onNavy,
  photo,
  picture,
  SMALL,
  SQUARE,
  shadow,
  stage,
  still,
  text,
  W,
  WHITE,
} from './case-inputs.ts';

/** Texts and pictures in plain inputs, by the kind of defect. */
export const PLAIN_CASES: CaseTable = {
  'edge of the picture': [
    ['inside', () => onNavy(text()), []],
    ['cut on the right', () => onNavy(text({ x: 800 })), CUT],
    ['cut on the left', () => onNavy(text({ x: -100 })), CUT],
    ['cut at the top', () => onNavy(text({ y: 30 })), CUT],
    ['cut at the bottom', () => onNavy(text({ y: 545, text: 'page' })), CUT],
    [
      'too long on both sides',
      () => onNavy(text({ text: 'A headline far too long for this picture', x: 480, align: 2 })),
      CUT,
    ],
    ['right-aligned, cut on the left', () => onNavy(text({ text: 'A long headline here', x: 400, align: 1 })), CUT],
    ['close to the edge', () => onNavy(text({ x: 8, y: 60 })), []],
    ['an accent that touches the edge', () => onNavy(text({ text: 'É', y: 59, x: 100 })), []],
    ['turned, with a corner outside', () => onNavy(text({ x: 40, y: 200, ks: { r: still(-70) } })), CUT],
    ['turned, inside', () => onNavy(text({ x: 400, y: 200, ks: { r: still(45) } })), []],
    ['enlarged beyond the edge', () => onNavy(text({ ks: { s: still([300, 300, 100]) } })), CUT],
    [
      'moved out by its parent',
      () => onNavy({ ...text(), parent: 900 }, { ty: 3, ind: 900, ip: 0, op: 999, st: 0, ks: placed(560, 0) }),
      CUT,
    ],
    ['in a composition that lies partly outside', () => nested([text()], { ks: placed(500, 0) }), CUT],
    ['in a composition, inside', () => nested([text()]), []],
    ['slides in and rests', () => onNavy(text({ ks: { p: moving([0, [-600, 280]], [8, [300, 280]]) } })), []],
    [
      'slides out at the end',
      () => onNavy(text({ ks: { p: moving([0, [300, 280]], [22, [300, 280]], [29, [1200, 280]]) } })),
      [],
    ],
    [
      'slides in and stops too early',
      () => onNavy(text({ ks: { p: moving([0, [-600, 280]], [8, [-120, 280]]) } })),
      CUT,
    ],
    [
      'a crawl',
      () =>
        onNavy(
          text({
            text: 'News from all over the world, and more of it, every hour',
            ks: { p: moving([0, [960, 280]], [29, [-1700, 280]]) },
          }),
        ),
      [],
    ],
    [
      'a slow zoom that pushes it out',
      () =>
        onNavy(
          text({
            x: 0,
            y: 0,
            text: 'A headline of the year',
            align: 2,
            ks: { p: at(480, 280), s: moving([0, [100, 100]], [29, [170, 170]]) },
          }),
        ),
      CUT,
    ],
    [
      'a slow zoom within the picture',
      () =>
        onNavy(text({ x: 0, y: 0, align: 2, ks: { p: at(480, 280), s: moving([0, [100, 100]], [29, [120, 120]]) } })),
      [],
    ],
    ['an output of another shape', () => stage([text({ x: 30 }), block(NAVY)], SQUARE), CUT],
    ['an output of another shape that keeps it', () => stage([text({ x: 340, size: 48 }), block(NAVY)], SQUARE), []],
    [
      'a long word on a background of its colour',
      () => on(WHITE, text({ text: 'Donaudampfschifffahrtsgesellschaft', x: 20, color: BLACK })),
      CUT,
    ],
  ],
  'hidden and covered': [
    ['transparent', () => onNavy(text({ ks: { o: still(0) } })), HIDDEN],
    ['hidden layer', () => onNavy(text({ layer: { hd: true } })), HIDDEN],
    ['shown after the end', () => onNavy(text({ layer: { ip: 100, op: 200 } })), HIDDEN],
    ['scaled to nothing', () => onNavy(text({ ks: { s: still([0, 0, 100]) } })), HIDDEN],
    ['far outside', () => onNavy(text({ x: -2000 })), HIDDEN],
    ['below the picture', () => onNavy(text({ y: 900 })), HIDDEN],
    ['covered by a shape', () => stage([block(WHITE), text(), block(NAVY)]), HIDDEN],
    ['covered in part of its time', () => stage([block(WHITE, [0, 0, W, H], { op: 12 }), text(), block(NAVY)]), []],
    ['half covered', () => stage([block(WHITE, [0, 0, 380, H]), text(), block(NAVY)]), CUT],
    ['in a composition that nothing shows', () => nested([text()], {}, false), HIDDEN],
    ['in a transparent composition', () => nested([text()], { ks: placed(0, 0, { o: still(0) }) }), HIDDEN],
    ['in a composition that is shown after the end', () => nested([text()], { ip: 50, op: 60 }), HIDDEN],
    ['an empty text', () => onNavy(text({ text: '' })), []],
    ['blanks alone', () => onNavy(text({ text: '  ' })), []],
    ['faded in', () => onNavy(text({ ks: { o: moving([0, [0]], [6, [100]]) } })), []],
    ['shown for the second half', () => onNavy(text({ layer: { ip: 15 } })), []],
    ['twice, once hidden', () => onNavy(text(), text({ layer: { hd: true } })), []],
    [
      'an image over it',
      () => {
        const image: InputImage = {
          assetId: 'p',
          name: 'i_01',
          width: W,
          height: H,
          transform: {},
          bytes: picture(W, H),
        };
        return stage([imageLayer(800, 'p'), text(), block(NAVY)], {
          images: [image],
          document: { assets: [{ id: 'p', w: W, h: H, u: '', p: 'p.png' }] },
        });
      },
      HIDDEN,
    ],
  ],
  contrast: [
    ['white on navy', () => onNavy(text()), []],
    ['light grey on white', () => on(WHITE, text({ color: grey(0.8) })), LOW],
    ['white on white', () => on(WHITE, text()), LOW],
    ['dark grey on black', () => on(BLACK, text({ color: grey(0.2) })), LOW],
    ['middle grey on black', () => on(BLACK, text({ color: grey(0.5) })), []],
    ['yellow on white', () => on(WHITE, text({ color: [1, 0.9, 0] })), LOW],
    ['black on yellow', () => on([1, 0.9, 0], text({ color: BLACK })), []],
    ['blue on black', () => on(BLACK, text({ color: [0, 0, 0.8] })), LOW],
    ['red on blue', () => on([0, 0, 0.9], text({ color: [0.9, 0, 0] })), LOW],
    ['an opacity of 20 %', () => on(BLACK, text({ ks: { o: still(20) } })), LOW],
    ['an opacity of 70 %', () => on(BLACK, text({ ks: { o: still(70) } })), []],
    ['a composition of 20 % opacity', () => nested([text()], { ks: placed(0, 0, { o: still(20) }) }), LOW],
    [
      'a background that turns white half-way',
      () => stage([text(), block(WHITE, [0, 0, W, H], { ip: 15 }), block(NAVY)]),
      LOW,
    ],
    [
      'a background that turns white for the last moment',
      () => stage([text(), block(WHITE, [0, 0, W, H], { ip: 28 }), block(NAVY)]),
      [],
    ],
    [
      'a background that fades to its colour',
      () =>
        stage([
          text(),
          block(WHITE, [0, 0, W, H], { ks: placed(0, 0, { o: moving([8, [0]], [14, [100]]) }) }),
          block(NAVY),
        ]),
      LOW,
    ],
    [
      'a colour that changes to the background',
      () => on(WHITE, text({ color: BLACK, layer: { op: 12 } }), text({ color: grey(0.95), layer: { ip: 12 } })),
      LOW,
    ],
    ['a plate behind it', () => stage([text(), block(NAVY, [250, 180, 460, 150]), block(WHITE)]), []],
    ['a plate of its colour behind it', () => stage([text(), block(WHITE, [250, 180, 460, 150]), block(NAVY)]), LOW],
    ['a white plate behind half of it', () => stage([text(), block(WHITE, [250, 180, 180, 150]), block(NAVY)]), LOW],
    ['an outline', () => on(WHITE, text({ size: 90, style: OUTLINE })), []],
    [
      'an outline of the background’s colour',
      () => on(WHITE, text({ size: 90, style: { ...OUTLINE, sc: WHITE } })),
      LOW,
    ],
    ['an outline on a picture of its own colour', () => on(grey(0.9), text({ size: 90, style: OUTLINE })), []],
    ['an outline alone', () => onNavy(text({ size: 90, style: { fc: undefined, sc: WHITE, sw: 4 } })), []],
    ['a dark glow on white', () => on(WHITE, text({ size: 90, layer: shadow(BLACK, 0, 12) })), []],
    ['a hard shadow on navy', () => onNavy(text({ layer: shadow(BLACK, 6, 0) })), []],
    ['small text of 4:1', () => on(BLACK, text({ size: 18 / 2, color: grey(0.42) })), [...LOW]],
    ['small text of 5:1', () => on(BLACK, text({ size: 18 / 2, color: grey(0.52) })), []],
    ['large text of 4:1', () => on(BLACK, text({ size: 40, color: grey(0.42) })), []],
    [
      'large text made small by its layer, of 4:1',
      () =>
        on(BLACK, text({ size: 40, x: 0, y: 0, color: grey(0.42), ks: { p: at(300, 280), s: still([22, 22, 100]) } })),
      LOW,
    ],
    [
      'small text made large by its layer, of 4:1',
      () =>
        on(BLACK, text({ size: 9, x: 0, y: 0, color: grey(0.42), ks: { p: at(300, 280), s: still([400, 400, 100]) } })),
      [],
    ],
    ['fine text', () => onNavy(text({ size: 11, text: 'Terms and conditions apply' })), []],
    ['faded in and out', () => onNavy(text({ ks: { o: moving([0, [0]], [8, [100]], [20, [100]], [28, [0]]) } })), []],
    [
      'stripes behind it',
      () =>
        stage([
          text({ size: 120, x: 150 }),
          ...Array.from({ length: 16 }, (_, index) => block(WHITE, [index * 60, 0, 30, H])),
          block(NAVY),
        ]),
      LOW,
    ],
  ],
  size: [
    ['8 pixels of 1080', () => onNavy(text({ size: 4, text: 'Terms and conditions' })), SMALL],
    ['14 pixels of 1080', () => onNavy(text({ size: 7, text: 'Terms and conditions' })), []],
    [
      '40 pixels in a layer of 10 %',
      () => onNavy(text({ size: 40, x: 0, y: 0, ks: { p: at(300, 280), s: still([10, 10, 100]) } })),
      SMALL,
    ],
    [
      '4 pixels in a layer of 500 %',
      () => onNavy(text({ size: 6, x: 0, y: 0, ks: { p: at(300, 280), s: still([500, 500, 100]) } })),
      [],
    ],
    [
      'grows from nothing',
      () => onNavy(text({ x: 0, y: 0, ks: { p: at(300, 280), s: moving([0, [0, 0]], [8, [100, 100]]) } })),
      [],
    ],
    [
      'shrunk to half by its box',
      () =>
        onNavy(
          text({
            size: 64,
            x: 100,
            y: 100,
            text: 'A text that needs two lines of this box',
            style: boxed(500, 90, { rs: 2 }),
          }),
        ),
      [],
    ],
    [
      'shrunk until nobody can read it',
      () =>
        onNavy(
          text({
            size: 64,
            x: 100,
            y: 100,
            text: 'Far too many words for a box as small as this one, which shrinks them all. '.repeat(6).trim(),
            style: boxed(260, 50, { rs: 2 }),
          }),
        ),
      SMALL,
    ],
    ['not shrunk', () => onNavy(text({ x: 100, y: 100, style: boxed(600, 120, { rs: 2 }) })), []],
    [
      'a small text in a small composition',
      () => nested([text({ size: 40 })], { ks: placed(300, 200, { s: still([12, 12, 100]) }) }),
      SMALL,
    ],
  ],
  collisions: [
    ['apart', () => onNavy(text(), text({ key: 't_02', text: 'Second', y: 400 })), []],
    [
      'on each other',
      () => onNavy(text(), text({ key: 't_02', text: 'Second', y: 290, x: 320, color: [1, 0.8, 0.2] })),
      HIT,
    ],
    ['one line above the other', () => onNavy(text(), text({ key: 't_02', text: 'Second', y: 350 })), []],
    [
      'a long text runs into another',
      () =>
        onNavy(
          text({ x: 40, text: 'A long headline, longer' }),
          text({ key: 't_02', text: 'Price', x: 560, color: [1, 0.8, 0.2] }),
        ),
      HIT,
    ],
    [
      'a long text runs into a fixed one',
      () =>
        onNavy(
          text({ x: 40, text: 'A long headline, longer' }),
          text({ key: null, text: 'Price', x: 560, color: [1, 0.8, 0.2] }),
        ),
      HIT,
    ],
    ['side by side', () => onNavy(text({ x: 40 }), text({ key: 't_02', text: 'Price', x: 560 })), []],
    [
      'one after the other',
      () => onNavy(text({ layer: { op: 15 } }), text({ key: 't_02', text: 'Second', layer: { ip: 15 } })),
      [],
    ],
    [
      'a short crossfade',
      () =>
        onNavy(
          text({ ks: { o: moving([13, [100]], [15, [0]]) } }),
          text({ key: 't_02', text: 'Second', ks: { o: moving([13, [0]], [15, [100]]) } }),
        ),
      [],
    ],
    ['the same words as an echo', () => onNavy(text(), text({ key: 't_02', x: 306, y: 286, color: grey(0.6) })), []],
    ['one editable in two layers', () => onNavy(text(), text({ x: 304, y: 284, color: grey(0.6) })), []],
    [
      'a card covers the first',
      () =>
        stage([
          text({ key: 't_02', text: 'Second', layer: { ip: 15 } }),
          block([0.3, 0, 0], [0, 0, W, H], { ip: 15 }),
          text(),
          block(NAVY),
        ]),
      [],
    ],
    [
      'passing each other',
      () =>
        onNavy(
          text({ text: 'One', ks: { p: moving([0, [0, 280]], [29, [900, 280]]) } }),
          text({ key: 't_02', text: 'Two', ks: { p: moving([0, [800, 280]], [29, [0, 280]]) } }),
        ),
      [],
    ],
    [
      'a faint watermark behind',
      () => onNavy(text(), text({ key: null, text: 'DRAFT', x: 250, y: 300, size: 120, ks: { o: still(12) } })),
      [],
    ],
    [
      'lines of a box that grow into another text',
      () =>
        onNavy(
          text({ x: 60, y: 60, text: 'First line, second line, third line and a fourth one', style: boxed(420, 400) }),
          text({ key: 't_02', text: 'Footer', x: 100, y: 330, color: [1, 0.8, 0.2] }),
        ),
      HIT,
    ],
  ],
  'images and clips': [
    ['an image at its size', () => photo({ file: [400, 300], asset: [400, 300] }), []],
    ['enlarged twice', () => photo({ file: [200, 150], asset: [400, 300] }), ['image_too_small i_01']],
    ['enlarged by a third', () => photo({ file: [300, 225], asset: [400, 300] }), []],
    ['reduced by its layer', () => photo({ file: [100, 75], asset: [800, 600], scale: 12.5 }), []],
    [
      'enlarged by its layer',
      () => photo({ file: [400, 300], asset: [400, 300], scale: 200 }),
      ['image_too_small i_01'],
    ],
    [
      'a small part of it',
      () =>
        photo({
          file: [400, 300],
          asset: [400, 300],
          transform: { crop_strategy: 'manual', crop_x: 0, crop_y: 0, crop_width: 100, crop_height: 75 },
        }),
      ['image_too_small i_01'],
    ],
    ['cropped from a tall one', () => photo({ file: [400, 1200], asset: [400, 300] }), []],
    [
      'zoomed to three times at the end',
      () => photo({ file: [400, 300], asset: [400, 300], ks: { s: moving([0, [100, 100]], [29, [300, 300]]) } }),
      ['image_too_small i_01'],
    ],
    ['a clip at its size', () => clip([64, 36]), []],
    ['a soft clip', () => clip([640, 360]), ['image_too_small v_01']],
    ['a clip enlarged by its layer', () => clip([64, 36], 300), ['image_too_small v_01']],
    ['a clip reduced by its layer', () => clip([640, 360], 10), []],
  ],
  'glyphs and boxes': [
    ['a missing glyph', () => onNavy(text({ text: 'Reel 漢' })), ['glyph_missing t_01']],
    ['all glyphs', () => onNavy(text({ text: 'Çà et là' })), []],
    [
      'too long for its box',
      () =>
        onNavy(text({ x: 100, y: 100, text: 'Many words that do not fit into this small box', style: boxed(300, 90) })),
      CUT,
    ],
    ['fits its box', () => onNavy(text({ x: 100, y: 100, text: 'Few words', style: boxed(500, 120) })), []],
    [
      'a word wider than its box',
      () => onNavy(text({ x: 100, y: 100, text: 'Donaudampfschiff', style: boxed(200, 200, { rs: 2, mf: 60 }) })),
      CUT,
    ],
    [
      'shrinks to fit',
      () => onNavy(text({ x: 100, y: 100, text: 'Some words that shrink', style: boxed(400, 80, { rs: 2 }) })),
      [],
    ],
  ],
};
