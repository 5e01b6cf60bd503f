import { placed } from '../inputs.ts';
import {
  animator,
  at,
  BLACK,
  block,
  type CaseTable,
  CUT,
  FRAMES,
  grey,
  H,
  HIDDEN,
  HIT,
  type Layer,
  LOW,
  moving,
  NAVY,
  nested,
  on,
  onArc,
  onNavy,
  SMALL,
  showing,
  stage,
  still,
  switched,
  text,
  W,
  WHITE,
} from './case-inputs.ts';

const MATTED = { tt: 1 };
/** Selects the characters after a growing share, so that they reach their positions in turn. */
const ONE_BY_ONE = { s: moving([0, [0]], [12, [100]]) };

const matte = (box: readonly [number, number, number, number], changes: object = {}): Layer =>
  block(WHITE, box, { td: 1, ...changes });

/** A rectangle to the right of a text's origin. */
function maskTo(width: number): object {
  const flat = [0, 0];
  const v = [
    [-20, -100],
    [width, -100],
    [width, 60],
    [-20, 60],
  ];
  return { c: true, v, i: [flat, flat, flat, flat], o: [flat, flat, flat, flat] };
}

const masked = (width: number, pt: object = still(maskTo(width))): object => ({
  hasMask: true,
  masksProperties: [{ mode: 'a', inv: false, pt, o: still(100), x: still(0) }],
});

const translucent = (opacity: number): Layer =>
  block(WHITE, [520, 0, W, H], { ks: placed(0, 0, { o: still(opacity) }) });

/** A text in a composition, of which a matte shows the part to the left of a position. */
function cutInside(right: number) {
  const inside = showing('inside', { ty: 0, w: W, h: H, tt: 1 });
  return stage([matte([0, 0, right, H]), inside, block(NAVY)], {
    document: { assets: [{ id: 'inside', layers: [text()] }] },
  });
}

/** A composition nested in another composition. */
function nestedTwice(layers: readonly Layer[], inner: object, outer: object) {
  const size = { ty: 0, w: W, h: H };
  return stage([showing('outer', { ...size, ...outer }), block(NAVY)], {
    document: {
      assets: [
        { id: 'inner', layers: [...layers] },
        { id: 'outer', layers: [showing('inner', { ...size, ...inner })] },
      ],
    },
  });
}

/** A composition in two layers. */
function nestedInTwo(layers: readonly Layer[], firstTransform: object, secondTransform: object) {
  const shown = (ks: object) => showing('inside', { ty: 0, w: W, h: H, ks });
  return stage([shown(firstTransform), shown(secondTransform), block(NAVY)], {
    document: { assets: [{ id: 'inside', layers: [...layers] }] },
  });
}

/** A text that other words replace at frames. */
function changing(first: string, ...later: [frame: number, words: string][]): Layer {
  const layer = text({ x: 60, text: first }) as Layer & { t: { d: { k: { t: number; s: object }[] } } };
  const { s } = layer.t.d.k[0]!;
  for (const [t, words] of later) layer.t.d.k.push({ t, s: { ...s, t: words } });
  return layer;
}

/** Texts that move, whose characters move, and texts in masks and compositions. */
export const MOTION_CASES: CaseTable = {
  'animators of characters': [
    [
      'rise one by one and rest',
      () => onNavy(text({ t: { a: [animator({ p: still([0, 80]), o: still(0) }, ONE_BY_ONE)] } })),
      [],
    ],
    ['typed letter by letter', () => onNavy(text({ t: { a: [animator({ o: still(0) }, ONE_BY_ONE)] } })), []],
    ['turned, inside', () => onNavy(text({ t: { a: [animator({ r: still(20) })] } })), []],
    ['moved out of the picture', () => onNavy(text({ t: { a: [animator({ p: still([0, 600]) })] } })), HIDDEN],
    ['moved to the edge, which cuts them', () => onNavy(text({ t: { a: [animator({ p: still([0, 275]) })] } })), CUT],
    [
      'spaced beyond the edge',
      () => onNavy(text({ x: 200, t: { a: [animator({ t: still(80) })] } })),
      CUT,
      {
        missed: {
          found: [],
          reason: 'Only letters that the edge touches are found, not a letter that an animator moves out.',
        },
      },
    ],
    ['spaced within the picture', () => onNavy(text({ x: 100, t: { a: [animator({ t: still(40) })] } })), []],
    ['a dark colour on white', () => on(WHITE, text({ t: { a: [animator({ fc: still([0, 0, 0.2]) })] } })), []],
    [
      'a light colour on white',
      () => on(WHITE, text({ color: BLACK, t: { a: [animator({ fc: still([...grey(0.85), 1]) })] } })),
      LOW,
    ],
    [
      'a colour that fades to the background',
      () =>
        on(
          WHITE,
          text({ color: BLACK, t: { a: [animator({ fc: moving([10, [0, 0, 0, 1]], [14, [0.95, 0.95, 0.95, 1]]) })] } }),
        ),
      LOW,
    ],
    ['an opacity of 20 %', () => on(BLACK, text({ t: { a: [animator({ o: still(20) })] } })), LOW],
    ['shrunk to a twentieth', () => onNavy(text({ t: { a: [animator({ s: still([5, 5, 100]) })] } })), SMALL],
    ['grow from nothing', () => onNavy(text({ t: { a: [animator({ s: still([0, 0, 100]) }, ONE_BY_ONE)] } })), []],
  ],
  'texts on a path': [
    ['inside', () => onNavy(text({ text: 'Once around the world', ...onArc(160, 400) })), []],
    ['above the edge', () => onNavy(text({ text: 'Once around the world', ...onArc(330, 220) })), CUT],
    ['in the colour of the background', () => on(WHITE, text({ text: 'Once around', ...onArc(160, 400) })), LOW],
  ],
  'masks and mattes': [
    [
      'a matte that opens',
      () =>
        stage([
          matte([0, 0, W, H], { ks: placed(0, 0, { p: moving([0, [-W, 0, 0]], [10, [0, 0, 0]]) }) }),
          text({ layer: MATTED }),
          block(NAVY),
        ]),
      [],
    ],
    [
      'a matte that never meets it',
      () => stage([matte([0, 0, 200, 100]), text({ layer: MATTED }), block(NAVY)]),
      HIDDEN,
    ],
    [
      'a matte that meets it, and the edge that cuts it',
      () => stage([matte([0, 0, W, H]), text({ x: 800, layer: MATTED }), block(NAVY)]),
      CUT,
    ],
    [
      'an inverted matte beside it',
      () => stage([matte([0, 0, 200, 100]), text({ layer: { tt: 2 } }), block(NAVY)]),
      [],
    ],
    [
      'a matte over a light text on white',
      () => stage([matte([0, 0, W, H]), text({ color: grey(0.85), layer: MATTED }), block(WHITE)]),
      LOW,
    ],
    [
      'the text is the matte of a bright shape',
      () => stage([text({ size: 120, x: 150, layer: { td: 1 } }), block(WHITE, [0, 0, W, H], { tt: 1 }), block(NAVY)]),
      [],
    ],
    [
      'the text is the matte of a shape in the background’s colour',
      () => stage([text({ size: 120, x: 150, layer: { td: 1 } }), block(WHITE, [0, 0, W, H], { tt: 1 }), block(WHITE)]),
      LOW,
    ],
    ['a mask that cuts its end', () => onNavy(text({ x: 0, y: 0, ks: { p: at(300, 280) }, layer: masked(200) })), CUT],
    ['a mask that keeps it whole', () => onNavy(text({ x: 0, y: 0, ks: { p: at(300, 280) }, layer: masked(400) })), []],
    [
      'a mask that opens and closes',
      () => {
        const opening = masked(0, moving([0, [maskTo(0)]], [8, [maskTo(400)]], [22, [maskTo(400)]], [29, [maskTo(0)]]));
        return onNavy(text({ x: 0, y: 0, ks: { p: at(300, 280) }, layer: opening }));
      },
      [],
    ],
    [
      'a matte that cuts its lower half',
      () => stage([matte([0, 0, W, 256]), text({ layer: MATTED }), block(NAVY)]),
      CUT,
    ],
    [
      'a layer above that covers its last letters',
      () => stage([block(NAVY, [520, 0, W, H]), text(), block(NAVY)]),
      CUT,
    ],
    [
      'a layer above that covers its last letters, and leaves',
      () => stage([block(NAVY, [520, 0, W, H], { op: 20 }), text(), block(NAVY)]),
      [],
    ],
    ['a thin veil over its last letters', () => stage([translucent(20), text(), block(NAVY)]), []],
    ['a line across it', () => stage([block(WHITE, [280, 258, 320, 5]), text(), block(NAVY)]), []],
    [
      'a ticker in a window',
      () =>
        stage([
          matte([200, 200, 500, 120]),
          text({
            x: 0,
            y: 0,
            text: 'News that are longer than their window',
            layer: MATTED,
            ks: { p: moving([0, [700, 280]], [29, [-900, 280]]) },
          }),
          block(NAVY),
        ]),
      [],
    ],
    ['a matte of a composition that cuts it', () => cutInside(520), CUT],
    ['a matte of a composition around it', () => cutInside(900), []],
    ['the text is the matte of nothing', () => stage([block(NAVY), text({ layer: { td: 1 } })]), HIDDEN],
  ],
  'compositions and time': [
    ['frozen where it is shown', () => nested([text({ layer: { ip: 10, op: 20 } })], { tm: still(1.5) }), []],
    ['frozen before it is shown', () => nested([text({ layer: { ip: 10, op: 20 } })], { tm: still(0.5) }), HIDDEN],
    [
      'played backwards',
      () => nested([text({ layer: { ip: 10, op: 20 } })], { tm: moving([0, [2.9]], [29, [0]]) }),
      [],
    ],
    ['stretched beyond the end', () => nested([text({ layer: { ip: 20 } })], { sr: 4 }), HIDDEN],
    ['started late', () => nested([text({ layer: { ip: 10 } })], { st: 15, ip: 15 }), []],
    ['two deep, inside', () => nestedTwice([text()], { ks: placed(100, 50) }, { ks: placed(-150, 40) }), []],
    ['two deep, cut', () => nestedTwice([text()], { ks: placed(200, 0) }, { ks: placed(200, 0) }), CUT],
    [
      'two deep, too small',
      () =>
        nestedTwice(
          [text()],
          { ks: placed(200, 100, { s: still([30, 30, 100]) }) },
          { ks: placed(200, 100, { s: still([25, 25, 100]) }) },
        ),
      SMALL,
    ],
    ['shown twice, once outside', () => nestedInTwo([text()], placed(), placed(2000, 0)), []],
    ['shown twice, once cut', () => nestedInTwo([text()], placed(-100, -100), placed(500, 100)), CUT],
    [
      'moved by a parent that comes to rest',
      () =>
        onNavy(
          { ...text(), parent: 900 },
          { ty: 3, ind: 900, ip: 0, op: 999, st: 0, ks: placed(0, 0, { p: moving([0, [0, 600, 0]], [8, [0, 0, 0]]) }) },
        ),
      [],
    ],
    [
      'half out for the second half',
      () => onNavy(text({ ks: { p: moving([12, [300, 280]], [15, [800, 280]]) } })),
      CUT,
    ],
    ['away for the second half', () => onNavy(text({ ks: { p: moving([12, [300, 280]], [16, [1400, 280]]) } })), []],
    ['shown for a fifth of a second', () => onNavy(text({ layer: { ip: 10, op: 12 } })), []],
    ['cut for the fifth of a second that it is shown', () => onNavy(text({ x: 800, layer: { ip: 10, op: 12 } })), CUT],
    [
      'bounces over the edge for a moment',
      () =>
        onNavy(
          text({
            x: 0,
            ks: { p: moving([0, [300, 280]], [5, [640, 280]], [7, [690, 280]], [9, [640, 280]], [20, [300, 280]]) },
          }),
        ),
      [],
    ],
    [
      'credits that roll',
      () =>
        onNavy(
          text({
            text: 'Direction\rCamera\rMusic\rSound\rEditing',
            ks: { p: moving([0, [300, 600]], [29, [300, -500]]) },
          }),
        ),
      [],
    ],
    ['words that change, all inside', () => onNavy(changing('R', [4, 'Re'], [8, 'Ree'], [12, 'Reel'])), []],
    [
      'words that change, the last too long',
      () => onNavy(changing('Short', [12, 'A headline far too long for this picture'])),
      CUT,
    ],
    ['words that change into none', () => onNavy(changing('Short', [15, ''])), []],
    ['blinks', () => onNavy(text({ ks: switched(3, 6, 9, 12, 15, 18, 21, 24, 27) })), []],
    [
      'white for two frames behind it',
      () => stage([text(), block(WHITE, [0, 0, W, H], { ip: 14, op: 16 }), block(NAVY)]),
      [],
    ],
    [
      'the plate behind it comes and goes',
      () => stage([text(), block(NAVY, [250, 180, 460, 150], { op: 12 }), block(WHITE)]),
      LOW,
    ],
    [
      'slow pan within the picture',
      () => onNavy(text({ ks: { p: moving([0, [100, 280]], [FRAMES - 1, [500, 280]]) } })),
      [],
    ],
  ],
  'collisions in motion': [
    [
      'in the second half',
      () =>
        onNavy(
          text({ text: 'First', x: 100 }),
          text({
            key: 't_02',
            text: 'Second',
            color: [1, 0.8, 0.2],
            ks: { p: moving([10, [600, 280]], [14, [150, 285]]) },
          }),
        ),
      HIT,
    ],
    [
      'across compositions',
      () =>
        stage(
          [
            text({ text: 'Outside', x: 320, y: 285, color: [1, 0.8, 0.2] }),
            showing('inside', { ty: 0, w: W, h: H }),
            block(NAVY),
          ],
          { document: { assets: [{ id: 'inside', layers: [text({ key: 't_02' })] }] } },
        ),
      HIT,
    ],
    [
      'turned onto each other',
      () =>
        onNavy(
          text({ text: 'First one', x: 300, y: 250, ks: { r: still(15) } }),
          text({ key: 't_02', text: 'Second one', x: 300, y: 300, color: [1, 0.8, 0.2] }),
        ),
      HIT,
    ],
    [
      'diagonal beside another',
      () =>
        onNavy(
          text({ text: 'Diagonal', x: 100, y: 300, ks: { r: still(-45) } }),
          text({ key: 't_02', text: 'Fee', x: 60, y: 140, size: 48 }),
        ),
      [],
    ],
    [
      'grows to the left from the right',
      () =>
        onNavy(
          text({ text: 'Left column', x: 60 }),
          text({ key: 't_02', text: 'A price list', x: 640, align: 1, color: [1, 0.8, 0.2] }),
        ),
      HIT,
    ],
    ['tight lines', () => onNavy(text({ text: 'gypsy', y: 200 }), text({ key: 't_02', text: 'Heading', y: 262 })), []],
    [
      'a translucent number behind',
      () => onNavy(text(), text({ key: 't_02', text: '01', size: 260, x: 300, y: 360, ks: { o: still(15) } })),
      ['low_contrast t_02'],
    ],
    [
      'one of them below a plate',
      () =>
        stage([text({ key: 't_02', text: 'Second', y: 290 }), block(NAVY, [250, 180, 460, 150]), text(), block(NAVY)]),
      ['text_hidden t_01'],
    ],
    [
      'moved together by one parent',
      () =>
        onNavy(
          { ...text({ text: 'Name', x: 0, y: 200 }), parent: 901 },
          { ...text({ key: 't_02', text: 'Role', x: 0, y: 290, size: 40 }), parent: 901 },
          { ty: 3, ind: 901, ip: 0, op: 999, st: 0, ks: { ...placed(), p: at(200, 60) } },
        ),
      [],
    ],
  ],
};
