import { defined } from '../../../src/kernel/defined.ts';
import { propertyValue } from '../../../src/template/lottie/property-value.ts';
import type { LottieDocument } from '../../../src/template/render-input.ts';
import {
  FONTS,
  fill,
  lottie,
  rectangle,
  shapeLayer,
  still,
  TRANSFORM,
  textLayer,
} from '../../support/lottie-documents.ts';

const EASE = { o: { x: 0, y: 0 }, i: { x: 1, y: 1 } };
/** Keyframes with straight lines between them. */
export const animated = (...keys: [frame: number, ...value: number[]][]) => ({
  a: 1,
  k: keys.map(([t, ...s]) => ({ t, s, ...EASE })),
});
const control = (name: string, kind: string, ty: number, index: number, v: object) => ({ ty: 5, nm: name, ix: index, np: 3, mn: `ADBE ${kind} Control`, en: 1, ef: [{ ty, nm: kind === 'Dropdown' ? 'Menu' : kind, mn: `ADBE ${kind} Control-0001`, ix: 1, v }] }); // biome-ignore format: an effect
const curve = (closed: boolean, ...points: number[][]) => ({ c: closed, v: points, i: points.map(() => [0, 0]), o: points.map(() => [0, 0]) }); // biome-ignore format: a path
const group = (name: string, ix: number, items: object[], transform: object = {}) => ({
  ty: 'gr',
  nm: name,
  mn: 'ADBE Vector Group',
  ix,
  cix: 2,
  it: [...items, { ty: 'tr', nm: 'Transform', ...TRANSFORM, sk: still(0), sa: still(0), ...transform }],
});

const HELPER = shapeLayer('helper', [rectangle(0, 0, 20, 10), fill([1, 0, 0, 1])], {
  ks: { ...TRANSFORM, p: animated([0, 0, 0, 0], [30, 60, 90, 0]), r: still(30) },
  ef: [
    control('Amount', 'Slider', 0, 1, still(7)),
    control('Ink', 'Color', 2, 2, still([1, 0.5, 0, 1])),
    control('On', 'Checkbox', 7, 3, still(1)),
    control('Spot', 'Point', 3, 4, still([12, 34])),
    control('Turn', 'Angle', 1, 5, still(45)),
    control('Target', 'Layer', 10, 6, still(4)),
    control('Choice', 'Dropdown', 7, 7, still(2)),
    control('Level', 'Slider', 0, 8, animated([0, 0], [30, 30])),
  ],
});
const WORDS = textLayer('words', 'Hello\rWorld', {}, { tr: 15, j: 2, sc: [0, 0, 1], sw: 3 });
const SHAPES = {
  ...shapeLayer('shapes', [], { ks: { ...TRANSFORM, p: still([100, 50, 0]) } }),
  shapes: [
    group(
      'Group 1',
      1,
      [
        { ...rectangle(0, 0, 40, 20), nm: 'Rect 1', mn: 'ADBE Vector Shape - Rect', r: still(3) },
        { ty: 'st', nm: 'Line', c: still([0, 0, 1, 1]), o: still(80), w: still(6), lc: 1, lj: 1, d: [{ n: 'd', nm: 'dash', v: still(9) }, { n: 'o', nm: 'offset', v: still(2) }] }, // biome-ignore format: a stroke
        fill([0, 1, 0, 1], { nm: 'Inside' }),
      ],
      { p: still([10, 0]), r: still(90), s: still([200, 200]), o: still(60) },
    ),
    group('Group 2', 2, [
      { ty: 'el', nm: 'Round', p: still([50, 5]), s: still([10, 30]) },
      { ty: 'sr', nm: 'Star', sy: 1, d: 1, p: still([0, 0]), r: still(15), pt: still(5), or: still(9), os: still(0), ir: still(4), is: still(0) }, // biome-ignore format: a star
      { ty: 'sh', nm: 'Free', ks: still(curve(false, [0, 0], [30, 0], [30, 40])) },
      { ty: 'tm', nm: 'Cut', s: still(5), e: still(60), o: still(7) },
      { ty: 'rp', nm: 'Copies', c: still(3), o: still(1), tr: { ...TRANSFORM, so: still(100), eo: still(100) } },
      { ty: 'gf', nm: 'Blend', o: still(70), s: still([1, 2]), e: still([3, 4]), t: 1, r: 1, g: { p: 2, k: still([0, 1, 0, 0, 1, 0, 0, 1]) } }, // biome-ignore format: a gradient
    ]),
  ],
};
const COMP = { ty: 0, nm: 'pre', refId: 'inner', w: 120, h: 80, ip: 0, op: 60, st: 0, sr: 1, ks: TRANSFORM };
const INNER = [shapeLayer('deep', [rectangle(0, 0, 4, 4)], { ind: 1, ks: { ...TRANSFORM, r: still(77) } })];
const CHILD = shapeLayer('child', [rectangle(0, 0, 4, 4)], { parent: 2, ip: 15, op: 45, st: 6, ks: { ...TRANSFORM, p: still([10, 0, 0]) } }); // biome-ignore format: a layer
const DRIVEN = shapeLayer('driven', [rectangle(0, 0, 4, 4)], { ks: { ...TRANSFORM, r: { ...still(0), x: 'var $bm_rt; $bm_rt = time * 30;' } } }); // biome-ignore format: a layer
const MASKED = shapeLayer('masked', [rectangle(0, 0, 4, 4)], { hasMask: true, masksProperties: [{ nm: 'Mask 1', mode: 'a', inv: true, cl: true, o: still(40), x: still(2), pt: still(curve(true, [0, 0], [8, 0], [8, 6])) }] }); // biome-ignore format: a layer
const SOLID = { ty: 1, nm: 'solid', sw: 70, sh: 30, sc: '#ff0000', ip: 0, op: 60, st: 0, sr: 1, ks: TRANSFORM };

type Place = 'rotation' | 'position' | 'path' | 'color' | 'text';

/** An expression with its known value at a frame. */
export interface Case {
  /** Names of the reference that the case shows. */
  readonly shows: readonly string[];
  readonly x: string;
  readonly frame: number;
  readonly value: number | readonly number[] | string;
  readonly place: Place;
  /** The property without its expression. */
  readonly property: object;
  readonly within: number;
}

type Row = readonly [
  shows: string,
  x: string,
  value: Case['value'],
  more?: Partial<Omit<Case, 'shows' | 'x' | 'value'>>,
];

const SWING = animated([0, 0], [10, 20], [20, 0]);
const RISE = animated([10, 0], [20, 30]);
const LINE = { to: [0, 0, 0], ti: [0, 0, 0], ...EASE };
/** A motion path of a document that stores each end with its start. */
const OLD_PATH = { a: 1, k: [{ t: 0, s: [0, 0, 0], e: [10, 0, 0], ...LINE }, { t: 10, s: [10, 0, 0], e: [40, 0, 0], ...LINE }, { t: 20 }] }; // biome-ignore format: a property
const at = (frame: number, property?: object) => ({ frame, ...defined({ property }) });
const PLACES: Readonly<Record<Place, object>> = {
  rotation: still(10),
  position: still([50, 40, 0]),
  path: still(curve(true, [0, 0], [10, 0], [10, 10])),
  color: still([1, 0, 0, 1]),
  text: {},
};
const on = (place: Place, frame = 0, property?: object) => ({ place, ...at(frame, property) });
const LAYER = 'thisComp.layer("helper")';
const SHAPE = 'thisComp.layer("shapes")';

const ROWS: readonly Row[] = [
  // Global
  ['time', 'time * 30', 12, at(12)],
  ['value', 'value + time', 11, at(30)],
  ['value', '[value[0], value[1] + 5]', [50, 45], on('position')],
  ['value', 'value[0] += 1; $bm_rt = value;', [51, 40], on('position', 30)],
  ['thisProperty', 'thisProperty.value + 1', 11],
  ['thisLayer', 'thisLayer.index', 1],
  ['thisComp', 'thisComp.width + thisComp.height', 300],
  ['comp', 'comp("main").layer("helper").index', 2],
  ['comp', 'comp("Inner").layer("deep").rotation', 77],
  ['colorDepth', 'colorDepth', 8],
  ['posterizeTime', 'posterizeTime(2); $bm_rt = time * 10;', 5, at(20)],
  ['posterizeTime', 'posterizeTime(3); $bm_rt = value;', 0, at(9, animated([0, 0], [30, 20]))],
  ['posterizeTime', 'posterizeTime(3); $bm_rt = value;', 20 / 3, at(19, animated([0, 0], [30, 20]))],
  // Time
  ['framesToTime', 'framesToTime(45)', 1.5],
  ['framesToTime', 'framesToTime(50, 25)', 2],
  ['timeToFrames', 'timeToFrames()', 14, at(14)],
  ['timeToFrames', 'timeToFrames(1.51, 10)', 15],
  ['timeToFrames', 'timeToFrames(1.51, 10, true)', 16],
  ['timeToTimecode', 'timeToTimecode(3661.5)', '01:01:01:15', on('text')],
  ['timeToTimecode', 'timeToTimecode(1.5, 25)', '00:00:01:12', on('text')],
  ['timeToNTSCTimecode', 'timeToNTSCTimecode(60.06, true)', '00:01:00;02', on('text')],
  ['timeToNTSCTimecode', 'timeToNTSCTimecode(60.06)', '00:01:00:00', on('text')],
  ['timeToFeetAndFrames', 'timeToFeetAndFrames(2, 24)', '0003+00', on('text')],
  ['timeToCurrentFormat', 'timeToCurrentFormat(1.5)', '0:00:01:15', on('text')],
  // Vectors
  ['add', 'add([10, 20], [1, 2, 3])', [11, 22, 3], on('position')],
  ['sub', 'sub([10, 20, 1], [1, 2, 3])', [9, 18, -2], on('position')],
  ['sub', 'sub([10, 20], [1, 2, 3])', [9, 18, -3], on('position')],
  ['mul', 'mul([1, 2, 3], 4)', [4, 8, 12], on('position')],
  ['div', 'div([10, 20, 30], 5)', [2, 4, 6], on('position')],
  ['dot', 'dot([1, 2, 3], [4, 5])', 14],
  ['cross', 'cross([1, 0, 0], [0, 1, 0])', [0, 0, 1], on('position')],
  ['cross', 'cross([2, 3, 4], [5, 6, 7])', [-3, 6, -3], on('position')],
  ['length', 'length([3, 4]) + length([0, 0], [6, 8])', 15],
  ['length', 'length([1, 2], [1, 2, 3])', 3],
  ['normalize', 'normalize([3, 4])[1]', 0.8, { within: 1e-4 }],
  ['clamp', 'clamp(120, 5, 60) + clamp(-9, 60, 5)', 65],
  ['clamp', 'clamp([-5, 50, 500], [0, 0, 0], [10, 60, 70])', [0, 50, 70], on('position')],
  ['lookAt', 'lookAt([0, 0, 0], [0, -10, 10])', [45, 0, 0], on('position')],
  ['lookAt', 'lookAt([0, 0, 0], [10, 0, 10])[1]', 45],
  // Random numbers: their ranges; equal values in every evaluation are tested apart
  ['random', 'random(5, 9) >= 5 && random(5, 9) <= 9 ? 1 : 0', 1, at(7)],
  ['random', 'random([0, 100], [1, 101])[1] >= 100 ? 1 : 0', 1],
  ['random', 'var r = random([1, 1]); $bm_rt = r[0] === r[1] ? 0 : 1;', 1],
  ['random', 'random() < 1 && random(3) < 3 ? 1 : 0', 1],
  ['gaussRandom', 'var n = 0; for (var i = 0; i < 1000; i++) { var g = gaussRandom(10, 20); if (g >= 10 && g <= 20) n++; } $bm_rt = n / 10;', 90, { within: 3 }], // biome-ignore format: a row
  ['seedRandom', 'seedRandom(5, true); var a = random(); seedRandom(5, true); $bm_rt = a === random() ? 1 : 0;', 1],
  ['seedRandom', 'seedRandom(1, true); var a = random(); seedRandom(2, true); $bm_rt = a === random() ? 1 : 0;', 0],
  ['noise', 'Math.abs(noise(time)) <= 1 && noise([1, 2]) === noise([1, 2]) ? 1 : 0', 1, at(11)],
  ['noise', 'Math.abs(noise(3.001) - noise(3)) < 0.01 ? 1 : 0', 1],
  ['wiggle', 'Math.abs(wiggle(3, 20) - value) <= 20 ? 1 : 0', 1, at(23)],
  ['wiggle', 'wiggle(3, 20, 1, 0.5, 1) === wiggle(3, 20, 1, 0.5, 1) ? 1 : 0', 1],
  ['temporalWiggle', 'temporalWiggle(2, 0)', 20, at(10, SWING)],
  // Interpolation
  ['linear', 'linear(time, 0, 1, 0, 100)', 50, at(15)],
  ['linear', 'linear(0.25, 0, 8)', 2],
  ['linear', 'linear(9, 0, 1, [1, 2, 3], [4, 5, 6])', [4, 5, 6], on('position')],
  ['ease', 'ease(time, 0, 1, 0, 100)', 50, { frame: 15, within: 0.3 }],
  ['ease', 'ease(0.5, [0, 0], [10, 20])', [5, 10], { ...on('position'), within: 0.1 }],
  ['easeIn', 'easeIn(time, 0, 1, 0, 100)', 100, at(30)],
  ['easeIn', 'easeIn(0.5, 0, 1, 0, 100) < 50 ? 1 : 0', 1],
  ['easeOut', 'easeOut(time, 0, 1, 0, 100)', 0],
  ['easeOut', 'easeOut(0.5, 0, 1, 0, 100) > 50 ? 1 : 0', 1],
  // Colours and angles
  ['rgbToHsl', 'rgbToHsl([0, 0.5, 0, 1])[0] * 360', 120],
  ['hslToRgb', 'hslToRgb([240 / 360, 1, 0.5, 1])', [0, 0, 1, 1], on('color')],
  ['hexToRgb', 'hexToRgb("#FF8000")', [1, 0.502, 0, 1], { ...on('color'), within: 0.001 }],
  ['hexToRgb', 'hexToRgb("0x00ff0080")[3]', 0.502],
  ['degreesToRadians', 'degreesToRadians(180)', Math.PI, { within: 1e-4 }],
  ['degreesToRadians', 'degrees_to_radians(180)', Math.PI, { within: 1e-4 }],
  ['radiansToDegrees', 'radiansToDegrees(Math.PI) + radians_to_degrees(Math.PI)', 360],
  // Helpers that exporters write
  ['$bm_ helpers', '$bm_sum([1, 2], [3, 4])[1] + $bm_mul([1, 2], 3)[1]', 12],
  ['$bm_ helpers', '$bm_sub(9, 4) + $bm_div(8, 2) + $bm_mod(7, 4) + $bm_neg(-2)', 14],
  ['$bm_ helpers', '$bm_sub([5, 5], [1, 2])[1] + $bm_neg([1, 2])[1]', 1],
  ['$bm_ helpers', 'sum(1, 2) + mod(9, 5)', 7],
  ['$bm_ helpers', '$bm_transform.rotation', 10],
  // Property
  ['valueAtTime', 'valueAtTime(0.5)', 15, at(0, RISE)],
  ['valueAtTime', `${LAYER}.position.valueAtTime(0.5)[0]`, 30],
  ['valueAtTime', 'thisComp.layer("driven").rotation.valueAtTime(time - 0.5)', 15, at(30)],
  ['velocity', 'velocity', 90, at(15, RISE)],
  ['velocity', `${LAYER}.position.velocity[1]`, 90, at(15)],
  ['velocityAtTime', 'velocityAtTime(0.5)', 90, at(0, RISE)],
  ['velocityAtTime', 'thisComp.layer("driven").rotation.velocityAtTime(1)', 30],
  ['speed', 'speed', 60, at(15, SWING)],
  ['speedAtTime', `${LAYER}.position.speedAtTime(0.5)`, Math.hypot(60, 90)],
  ['smooth', 'smooth(0.2, 3)', 20 / 3 + 20 / 3, { ...at(10, SWING), within: 7 }],
  ['smooth', 'smooth(0.2, 5)', 15, at(15, RISE)],
  ['loopOut', 'loopOut()', 10, at(25, SWING)],
  ['loopOut', 'loopOut("cycle")', 10, at(25, SWING)],
  ['loopOut', 'loopOut("cycle", 1)', 10, at(25, SWING)],
  ['loopOut', 'loopOut("pingpong")', 15, at(25, RISE)],
  ['loopOut', 'loopOut("offset")', 45, at(25, RISE)],
  ['loopOut', 'loopOut("continue")', 60, at(30, RISE)],
  ['loopOut', 'loop_out("cycle")', 10, at(25, SWING)],
  ['loopOut', 'loopOut("cycle")', [15, 0], on('position', 25, animated([10, 0, 0, 0], [20, 30, 0, 0]))],
  ['loopOut', 'thisProperty.loopOut("cycle")', 10, at(25, SWING)],
  ['loopOut', 'loopOut("cycle")', [5, 0], on('path', 25, { a: 1, k: [{ t: 10, s: [curve(true, [0, 0], [1, 0])], ...EASE }, { t: 20, s: [curve(true, [10, 0], [1, 0])] }] })], // biome-ignore format: a row
  ['loopOut', 'loopOut("cycle")', [28, 0], on('position', 36, OLD_PATH)],
  ['loopIn', 'loopIn("cycle")', 15, at(5, RISE)],
  ['loopIn', 'loopIn("pingpong")', 15, at(5, RISE)],
  ['loopIn', 'loop_in("cycle")', 15, at(5, RISE)],
  ['loopIn', 'loopIn("offset")', -15, at(5, RISE)],
  ['loopIn', 'loopIn("continue")', -30, at(0, RISE)],
  ['loopIn', 'loopIn("pingpong")', 6, at(8, RISE)],
  ['loopOutDuration', 'loopOutDuration("cycle", 1/3)', 10, at(25, SWING)],
  ['loopOutDuration', 'loopOutDuration("pingpong", 1/3)', 15, at(25, RISE)],
  ['loopInDuration', 'loopInDuration("cycle", 1/3)', 15, at(5, RISE)],
  ['key', 'key(2).value + key(1).time + key(2).index', 30 + 1 / 3 + 2, at(0, RISE)],
  ['key', `${LAYER}.position.key(2)[1] + ${LAYER}.position.key(2).value[0]`, 150],
  ['nearestKey', 'nearestKey(0.6).index', 2, at(0, RISE)],
  ['nearestKey', `${LAYER}.position.nearestKey(0.1).time`, 0],
  ['numKeys', 'numKeys + thisProperty.numKeys', 4, at(0, RISE)],
  ['propertyGroup', 'thisProperty.propertyGroup(1)("Opacity")', 100],
  ['propertyGroup', 'thisProperty.propertyGroup(2).index', 1],
  ['propertyIndex', `${LAYER}.effect("Amount")("Slider").propertyIndex === undefined ? 0 : 1`, 0],
  ['name', 'thisLayer.name.length + name.length', 6],
  ['name', `${LAYER}.position.name.length`, 8],
  ['name', `[thisComp._name, thisLayer._name, ${SHAPE}(2)(1)._name, ${SHAPE}(2)(1)(2)(2)._name].join()`, 'main,box,Group 1,Line', on('text')], // biome-ignore format: a row
  // Paths
  ['points', `${SHAPE}.content("Group 2").content("Free").path.points()[2][1]`, 40],
  ['inTangents', `${SHAPE}.content("Group 2").content("Free").path.inTangents()[1][0]`, 0],
  ['outTangents', `${SHAPE}.content("Group 2").content("Free").path.outTangents().length`, 3],
  ['isClosed', `${SHAPE}.content("Group 2").content("Free").path.isClosed() ? 1 : 2`, 2],
  ['pointOnPath', `${SHAPE}.content("Group 2").content("Free").path.pointOnPath(0.5)[1]`, 5, { within: 0.3 }],
  ['tangentOnPath', `${SHAPE}.content("Group 2").content("Free").path.tangentOnPath(1)[1]`, 1],
  ['normalOnPath', `${SHAPE}.content("Group 2").content("Free").path.normalOnPath(0.2)[1]`, 1],
  ['createPath', 'createPath([[0, 0], [time * 30, 0], [5, 5]], [], [], false)', [0, 0, 20, 0, 5, 5], on('path', 20)],
  ['createPath', 'createPath(thisProperty.points(), thisProperty.inTangents(), thisProperty.outTangents(), isClosed = true)', [0, 0, 10, 0, 10, 10], on('path')], // biome-ignore format: a row
  // Layer
  ['layer', 'thisComp.layer(2).index + thisComp.layer("helper").index', 4],
  ['layer', 'thisComp.layer(thisLayer, 1).index', 2],
  ['layer', 'thisComp("helper").index', 2],
  ['effect', `${LAYER}.effect("Amount")("Slider") * 2`, 14],
  ['effect', `${LAYER}.effect(1)(1)`, 7],
  ['effect', `${LAYER}("ADBE Effect Parade")("Amount")("ADBE Slider Control-0001")`, 7],
  ['effect', `${LAYER}.effect("Level")("Slider").valueAtTime(0.5)`, 15],
  ['param', `${LAYER}.effect("Amount").param("Slider")`, 7],
  ['colour control', `${LAYER}.effect("Ink")("Color")`, [1, 0.5, 0, 1], on('color')],
  ['colour control', `${LAYER}.effect("Ink").color[1]`, 0.5],
  ['checkbox control', `${LAYER}.effect("On")("Checkbox") == 1 ? 3 : 4`, 3],
  ['point control', `${LAYER}.effect("Spot")("Point")`, [12, 34], on('position')],
  ['angle control', `${LAYER}.effect("Turn")("Angle")`, 45],
  ['layer control', `${LAYER}.effect("Target")("Layer").index`, 4],
  ['dropdown control', `${LAYER}.effect("Choice")("Menu").value`, 2],
  ['transform', `${LAYER}.transform.rotation + 1`, 31],
  ['transform', `${LAYER}("ADBE Transform Group")("ADBE Rotate Z")`, 30],
  ['position', `${LAYER}.transform.position[1]`, 45, at(15)],
  ['position', 'thisLayer.position[0] + position[1]', 90],
  ['scale', 'scale[0] + transform.scale[1]', 200],
  ['opacity', 'opacity + thisLayer.transform.opacity', 200],
  ['anchorPoint', `${LAYER}.anchorPoint[0] + anchorPoint[1]`, 0],
  ['rotation', `${LAYER}.rotation`, 30],
  ['parent', 'thisComp.layer("child").parent.index', 2],
  ['hasParent', 'hasParent ? 1 : thisComp.layer("child").hasParent ? 2 : 3', 2],
  ['index', 'index', 1],
  ['inPoint', 'inPoint + thisComp.layer("child").inPoint', 0.5],
  ['outPoint', 'outPoint + thisComp.layer("child").outPoint', 3.5],
  ['startTime', 'startTime + thisComp.layer("child").startTime', 0.2],
  ['active', 'thisComp.layer("child").active ? 1 : 2', 2],
  ['active', 'thisComp.layer("child").active ? 1 : 2', 1, at(20)],
  ['enabled', 'thisLayer.enabled ? 1 : 2', 1],
  ['width', 'thisComp.layer("solid").width + thisComp.layer("pre").width + width', 390],
  ['height', 'thisComp.layer("solid").height + thisComp.layer("pre").height', 110],
  ['source', 'thisComp.layer("pre").source.name.length', 5],
  ['toComp', `${LAYER}.toComp([10, 0, 0])[0]`, 10 * Math.cos(Math.PI / 6)],
  ['toComp', 'thisComp.layer("child").toComp([0, 0])', [10 * Math.cos(Math.PI / 6), 5], on('position')],
  ['toComp', `${LAYER}.toComp([0, 0], 0.5)`, [30, 45], on('position')],
  ['fromComp', `${LAYER}.fromComp([0, 0, 0])[0]`, -(60 * Math.cos(Math.PI / 6) + 45), at(30)],
  ['fromComp', `${LAYER}.fromComp(${LAYER}.toComp([3, 4]))`, [3, 4], on('position', 17)],
  ['toWorld', `${LAYER}.toWorld([10, 0, 0])[1]`, 5],
  ['fromWorld', `${LAYER}.fromWorld(${LAYER}.toWorld([3, 4, 0]))[1]`, 4],
  ['toCompVec', `${LAYER}.toCompVec([10, 0])[1]`, 5, at(30)],
  ['fromCompVec', `${LAYER}.fromCompVec([10, 0])[1]`, -5, at(30)],
  ['toWorldVec', `${LAYER}.toWorldVec([10, 0, 0])[1]`, 5, at(30)],
  ['fromWorldVec', `${LAYER}.fromWorldVec([10, 0, 0])[1]`, -5, at(30)],
  ['fromCompToSurface', `${LAYER}.fromCompToSurface([60, 90])[0]`, 0, at(30)],
  // sourceRectAtTime
  ['sourceRectAtTime', 'thisComp.layer("solid").sourceRectAtTime().width', 70],
  ['sourceRectAtTime', 'thisComp.layer("pre").sourceRectAtTime().height', 80],
  ['sourceRectAtTime', 'var r = sourceRectAtTime(); $bm_rt = [r.left, r.top, r.width]', [-10, -5, 20], on('position')],
  // Composition
  ['numLayers', 'thisComp.numLayers', 9],
  ['duration', 'thisComp.duration', 2],
  ['frameDuration', 'thisComp.frameDuration', 1 / 30, { within: 1e-4 }],
  ['marker', 'thisComp.marker.key(1).time + thisComp.marker.key("end").time', 2],
  ['marker', 'thisComp.marker.nearestKey(1.2).index + thisComp.marker.numKeys', 4],
  ['marker', 'thisComp.marker.key(1).comment + thisComp.marker.key(1).duration', 'start1', on('text')],
  // Shapes
  ['content', `${SHAPE}.content("Group 1").content("Rect 1").size[0]`, 40],
  ['content', `${SHAPE}("ADBE Root Vectors Group")("Group 1")("ADBE Vectors Group")("Rect 1")("ADBE Vector Rect Size")[1]`, 20], // biome-ignore format: a row
  ['content', `${SHAPE}.content("Group 1").content("Rect 1").roundness`, 3],
  ['content', `${SHAPE}.content("Group 1").content("Inside").color`, [0, 1, 0, 1], on('color')],
  ['content', `${SHAPE}.content("Group 1").content("Inside").opacity`, 100],
  ['content', `${SHAPE}.content("Group 1").content("Line").strokeWidth`, 6],
  ['content', `${SHAPE}.content("Group 1").content("Line")("Stroke Width")`, 6],
  ['content', `${SHAPE}.content("Group 1").content("Line").dash.dash + ${SHAPE}.content("Group 1").content("Line").dash.offset`, 11], // biome-ignore format: a row
  ['content', `${SHAPE}.content("Group 1").transform.rotation + ${SHAPE}.content("Group 1").transform.opacity`, 150],
  ['content', `${SHAPE}.content("Group 1")("ADBE Vector Transform Group")("ADBE Vector Scale")[0]`, 200],
  ['content', `${SHAPE}.content("Group 2").content("Round").position`, [50, 5], on('position')],
  ['content', `${SHAPE}.content("Group 2").content("Star").outerRadius + ${SHAPE}.content("Group 2").content("Star").points`, 14], // biome-ignore format: a row
  ['content', `${SHAPE}.content("Group 2").content("Cut").start + ${SHAPE}.content("Group 2").content("Cut")("End")`, 65], // biome-ignore format: a row
  ['content', `${SHAPE}.content("Group 2").content("Copies").copies`, 3],
  ['content', `${SHAPE}.content("Group 2").content("Blend").startPoint`, [1, 2], on('position')],
  ['content', `${SHAPE}.content("Group 1").numProperties === undefined ? ${SHAPE}.content.numProperties : 0`, 2],
  ['content', `${SHAPE}.content(2).content("Star").points`, 5],
  // Masks
  ['maskOpacity', 'thisComp.layer("masked").mask("Mask 1").maskOpacity', 40],
  ['maskExpansion', 'thisComp.layer("masked").mask(1).maskExpansion', 2],
  ['mask', 'thisComp.layer("masked").mask("Mask 1").invert ? 1 : 2', 1],
  ['maskPath', 'thisComp.layer("masked").mask("Mask 1").maskPath.points()[1][0]', 8],
  // Texts
  ['sourceText', 'thisComp.layer("words").text.sourceText.length', 11],
  ['sourceText', 'thisComp.layer("words").text.sourceText.split("\\r")[1]', 'World', on('text')],
  ['sourceText', 'substring(1, 3) + substr(2)', 'exxt', on('text')],
  ['sourceText', 'value.toUpperCase()', 'TEXT', on('text')],
  ['sourceText', '"No. " + Math.floor(time)', 'No. 1', on('text', 45)],
  ['style', 'thisComp.layer("words").text.sourceText.style.fontSize', 20],
  ['style', 'thisComp.layer("words").text.sourceText.style.fillColor[0] + thisComp.layer("words").text.sourceText.style.tracking', 16], // biome-ignore format: a row
  ['style', 'thisComp.layer("words").text.sourceText.style.justification', 'alignCenter', on('text')],
  ['style', 'text.sourceText.style.setText("new").setFontSize(33)', 'new 33', on('text')],
  // JavaScript
  ['Math', 'Math.round(Math.sin(Math.PI / 2) * 10) + Math.hypot(3, 4) + Math.sign(-3) + Math.trunc(2.7)', 16],
  ['JavaScript', 'if (time < 1) { $bm_rt = 5; } else { $bm_rt = 9; }', 9, at(40)],
  ['JavaScript', 'var t = 0; for (var i = 0; i < 4; i++) t += i; $bm_rt = t;', 6],
  ['JavaScript', 'amount = 4; $bm_rt = amount * 2;', 8],
  ['JavaScript', 'let dot = 3; const clamp = 4; $bm_rt = dot + clamp;', 7],
  ['JavaScript', 'var f = (a, b = 2) => a * b; $bm_rt = [1, 2, 3].map((n) => f(n)).reduce((a, b) => a + b);', 12],
  ['JavaScript', '$bm_rt = position.concat([1]).length + position.map((n) => n * 2)[0];', 104],
  ['JavaScript', 'var s = "a,b,c".split(","); $bm_rt = s.length + s.indexOf("c") + parseInt("12px", 10);', 17],
  ['JavaScript', 'try { thisComp.layer("missing").index } catch (error) { $bm_rt = 4; }', 4],
  ['JavaScript', 'JSON.parse("[1, 2]")[1] + Object.keys({ a: 1, b: 2 }).length', 4],
];

const RECT_ROWS: readonly Row[] = [
  // Group 1: 40 × 20 pixels, doubled, turned by 90° and moved by 10: 40 wide, 80 high around (10, 0).
  ...(
    [
      ['left', -10, -16],
      ['top', -40, -46],
      ['width', 40, 52],
      ['height', 80, 92],
    ] as const
  ).flatMap(([side, path, extents]): Row[] => [
    ['sourceRectAtTime', `thisComp.layer("framed").sourceRectAtTime().${side}`, path],
    ['sourceRectAtTime', `thisComp.layer("framed").sourceRectAtTime(time, true).${side}`, extents],
  ]),
];

export const CASES: readonly Case[] = [...ROWS, ...RECT_ROWS].map(([shows, x, value, more = {}]) => {
  const place = more.place ?? 'rotation';
  const code = /\$bm_rt/.test(x) ? `var $bm_rt; ${x}` : `var $bm_rt; $bm_rt = ${x};`;
  return { frame: 0, property: PLACES[place], within: 0.06, ...more, shows: [shows], x: code, value, place };
});

/** Starting the sandbox takes ten times as long as evaluating a case, so a document has several. */
const CASES_PER_DOCUMENT = 24;

/** Cases that depend on the number or the order of the layers. */
const isAlone = ({ x }: Case): boolean => /numLayers|\bindex\b|layer\(\d|thisLayer, /.test(x);
const isFramed = ({ x }: Case): boolean => x.includes('framed');

/** Divides the cases into those of one document each. */
export function casesByDocument(cases: readonly Case[]): Case[][] {
  const shared = cases.filter((each) => !isAlone(each));
  const groups = [
    shared.filter(isFramed),
    shared.filter(({ place }) => place === 'text'),
    shared.filter((each) => !isFramed(each) && each.place !== 'text'),
  ];
  return [...cases.filter(isAlone).map((each) => [each]), ...groups.flatMap(inDocuments)];
}

function inDocuments(cases: readonly Case[]): Case[][] {
  const starts = [...cases.keys()].filter((index) => index % CASES_PER_DOCUMENT === 0);
  return starts.map((start) => cases.slice(start, start + CASES_PER_DOCUMENT));
}

/** Returns an animation with a layer for the expression of each case: the first layer, then the last ones. */
export function conformanceDocument(cases: readonly Case[]): LottieDocument {
  const [box, ...boxes] = cases.map(boxOf);
  const framed = { ...SHAPES, nm: 'framed', shapes: [SHAPES.shapes[0]] };
  const scenery = [HELPER, WORDS, SHAPES, COMP, CHILD, DRIVEN, MASKED, cases.some(isFramed) ? framed : SOLID];
  return lottie([box!, ...scenery, ...boxes], {
    nm: 'main',
    fonts: FONTS,
    assets: [{ id: 'inner', nm: 'Inner', layers: INNER }],
    markers: [
      { tm: 15, cm: 'start', dr: 30 },
      { tm: 45, cm: 'end', dr: 0 },
    ],
  });
}

function boxOf({ x, place, property }: Case): object {
  const driven = { ...property, x };
  const ks = { ...TRANSFORM, r: still(10), p: still([50, 40, 0]) };
  const path = { ty: 'sh', nm: 'Path', ks: place === 'path' ? driven : still(curve(true, [0, 0], [1, 0])) };
  const box =
    place === 'text'
      ? textLayer('box', 'text')
      : shapeLayer(
          'box',
          [
            place === 'path' ? path : rectangle(0, 0, 20, 10),
            { ...fill([1, 0, 0, 1]), ...(place === 'color' ? { c: driven } : {}) },
          ],
          { ks: { ...ks, ...(place === 'rotation' ? { r: driven } : place === 'position' ? { p: driven } : {}) } },
        );
  if (place === 'text') Object.assign((box as { t: { d: object } }).t.d, { x });
  return box;
}

/** Returns the value of a baked expression at the frame of its case. `box` is the layer of the case. */
export function bakedValue(box: unknown, { place, frame }: Case): readonly number[] | string {
  const { ks, shapes, t: text } = box as { ks: { r: object; p: object }; shapes: { it: { ks: object; c: object }[] }[]; t: { d: { k: { t: number; s: { t: string; s: number } }[] } } }; // biome-ignore format: a cast
  switch (place) {
    case 'rotation':
      return propertyValue(ks.r, frame)!;
    case 'position':
      return propertyValue(ks.p, frame)!;
    case 'color':
      return propertyValue(shapes[0]!.it[1]!.c, frame)!;
    case 'path': {
      const { k } = shapes[0]!.it[0]!.ks as { k: { v: number[][] } | { t: number; s: { v: number[][] }[] }[] };
      if (!Array.isArray(k)) return k.v.flat();
      const after = Math.max(
        1,
        k.findIndex(({ t }) => t >= frame),
      );
      const [from, to] = [k[after - 1]!, k[after]!];
      const share = (frame - from.t) / (to.t - from.t);
      const end = to.s[0]!.v.flat();
      return from.s[0]!.v.flat().map((value, index) => value + (end[index]! - value) * share);
    }
    case 'text': {
      const { k } = text.d;
      const { s } = k.findLast(({ t }) => t <= frame)!;
      return s.s === 20 ? s.t : `${s.t} ${s.s}`;
    }
  }
}
