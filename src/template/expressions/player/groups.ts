import PropertyFactory from 'lottie-web/player/js/utils/PropertyFactory.js';
import { type Any, atTime, currentValue, propertyObject, type Wiggle } from './properties.ts';

/** A function that finds something by its name, its match name or its index. */
export type Group = ((name?: unknown) => Any) & Record<string, unknown>;

const wiggle: Wiggle = () => {
  throw new Error('wiggle() of another property is not supported');
};

/** Returns the object of a property, and gives it its place in the tree. */
export function read(property: Any): Any {
  return propertyObject(property, wiggle);
}

/** A property of a group: its key in the document, its names, and the property of lottie-web. */
interface Member {
  readonly names: readonly string[];
  readonly index?: unknown;
  readonly property: Any;
}

/** Creates a group whose members can be called by name and index, and read as fields. */
function group(kind: string, name: unknown, members: readonly Member[], above: () => Any): Group {
  const find = ((wanted: unknown) => {
    const found = members.find(({ names, index }) => {
      return wanted === index || names.some((name) => name.toLowerCase() === String(wanted).toLowerCase());
    });
    if (found === undefined)
      throw new Error(`${kind} ${JSON.stringify(name)} has no property ${JSON.stringify(wanted)}`);
    return read(found.property);
  }) as Group;
  const up = (count = 1): Any => (count <= 0 ? find : count === 1 ? above() : above()?.propertyGroup?.(count - 1));
  for (const { names, property } of members) {
    Object.defineProperty(find, names[0]!, { get: () => read(property), configurable: true });
    if (property === undefined) continue;
    property.expressionName ??= names[1] ?? names[0];
    property.propertyGroup = (count = 1) => (count === 1 ? find : up(count - 1));
  }
  return define(find, { ...named(name), propertyGroup: up, numProperties: members.length });
}

/** Returns a name as expressions read it: Bodymovin writes `_name`, because functions already have a `name`. */
export function named(name: unknown): object {
  return { name, _name: name };
}

/** Defines fields of a function, some of which functions have already. */
export function define<Target extends object>(target: Target, fields: object): Target {
  for (const [key, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(fields))) {
    Object.defineProperty(target, key, { ...descriptor, configurable: true });
  }
  return target;
}

/** Camel case and title case: `strokeWidth`, `Stroke Width`. */
const words = (name: string): string[] => [
  name,
  name.replaceAll(/([A-Z])/g, ' $1').replace(/^./, (c) => c.toUpperCase()),
];

const TRANSFORM: readonly (readonly [key: string, name: string, ...aliases: string[]])[] = [
  ['a', 'anchorPoint', 'ADBE Anchor Point', 'ADBE AnchorPoint', 'ADBE Vector Anchor', 'anchor_point'],
  ['p', 'position', 'ADBE Position', 'ADBE Vector Position'],
  ['s', 'scale', 'ADBE Scale', 'ADBE Vector Scale'],
  ['r', 'rotation', 'ADBE Rotate Z', 'ADBE Rotation', 'ADBE Vector Rotation', 'zRotation', 'rotationZ'],
  ['rx', 'rotationX', 'xRotation', 'ADBE Rotate X'],
  ['ry', 'rotationY', 'yRotation', 'ADBE Rotate Y'],
  ['or', 'orientation', 'ADBE Orientation'],
  ['o', 'opacity', 'ADBE Opacity', 'ADBE Vector Group Opacity'],
  ['px', 'xPosition', 'ADBE Position_0'],
  ['py', 'yPosition', 'ADBE Position_1'],
  ['pz', 'zPosition', 'ADBE Position_2'],
  ['sk', 'skew', 'ADBE Vector Skew'],
  ['sa', 'skewAxis', 'ADBE Vector Skew Axis'],
];
/** Indices of the properties of a layer's transform. */
const INDICES: Readonly<Record<string, number>> = { a: 1, p: 2, s: 6, r: 10, rx: 8, ry: 9, or: 7, o: 11 };

/** Creates the group of a layer's, a shape group's or a repeater's transform. */
export function transformGroup(transform: Any, data: Any, above: () => Any): Group {
  const members = TRANSFORM.flatMap(([key, name, ...aliases]): Member[] => {
    const property = transform[key] ?? (key === 'r' ? transform.rz : undefined);
    if (property === undefined) return [];
    return [{ names: [...words(name), ...aliases], index: data?.[key]?.ix ?? INDICES[key], property }];
  });
  const found = group('the transform of', data?.nm ?? 'Transform', members, above);
  for (const name of ['zRotation', 'rotationZ', 'xRotation', 'yRotation', 'anchor_point']) {
    const member = members.find(({ names }) => names.includes(name));
    if (member !== undefined) define(found, { get [name]() { return read(member.property); } }); // biome-ignore format: an accessor
  }
  if (transform.p === undefined && transform.px !== undefined) {
    const position = (): Any[] =>
      ['px', 'py', 'pz'].flatMap((key) => (transform[key] ? [currentValue(transform[key])] : []));
    define(found, {
      get position() {
        return define(position(), {
          value: position(),
          numKeys: 0,
          valueAtTime: (seconds: number) => atTime(transform.px.comp, seconds, position),
        });
      },
    });
  }
  return found;
}

/** Properties of shapes by type: key in the document, key in lottie-web, name, and match name. */
const SHAPES: Readonly<Record<string, readonly (readonly [key: string, playerKey: string, name: string, ...aliases: string[]])[]>> = {
  fl: [['c', 'c', 'color', 'ADBE Vector Fill Color'], ['o', 'o', 'opacity', 'ADBE Vector Fill Opacity']],
  st: [
    ['c', 'c', 'color', 'ADBE Vector Stroke Color'],
    ['o', 'o', 'opacity', 'ADBE Vector Stroke Opacity'],
    ['w', 'w', 'strokeWidth', 'ADBE Vector Stroke Width'],
  ],
  gf: [
    ['s', 's', 'startPoint', 'ADBE Vector Grad Start Pt'],
    ['e', 'e', 'endPoint', 'ADBE Vector Grad End Pt'],
    ['o', 'o', 'opacity', 'ADBE Vector Fill Opacity'],
    ['h', 'h', 'highlightLength', 'ADBE Vector Grad HiLite Length'],
    ['a', 'a', 'highlightAngle', 'ADBE Vector Grad HiLite Angle'],
  ],
  gs: [
    ['s', 's', 'startPoint', 'ADBE Vector Grad Start Pt'],
    ['e', 'e', 'endPoint', 'ADBE Vector Grad End Pt'],
    ['o', 'o', 'opacity', 'ADBE Vector Stroke Opacity'],
    ['w', 'w', 'strokeWidth', 'ADBE Vector Stroke Width'],
  ],
  rc: [
    ['s', 's', 'size', 'ADBE Vector Rect Size'],
    ['p', 'p', 'position', 'ADBE Vector Rect Position'],
    ['r', 'r', 'roundness', 'ADBE Vector Rect Roundness'],
  ],
  el: [['s', 's', 'size', 'ADBE Vector Ellipse Size'], ['p', 'p', 'position', 'ADBE Vector Ellipse Position']],
  sr: [
    ['p', 'p', 'position', 'ADBE Vector Star Position'],
    ['r', 'r', 'rotation', 'ADBE Vector Star Rotation'],
    ['pt', 'pt', 'points', 'ADBE Vector Star Points'],
    ['or', 'or', 'outerRadius', 'ADBE Vector Star Outer Radius'],
    ['os', 'os', 'outerRoundness', 'ADBE Vector Star Outer Roundess'],
    ['ir', 'ir', 'innerRadius', 'ADBE Vector Star Inner Radius'],
    ['is', 'is', 'innerRoundness', 'ADBE Vector Star Inner Roundess'],
  ],
  tm: [
    ['s', 's', 'start', 'ADBE Vector Trim Start'],
    ['e', 'e', 'end', 'ADBE Vector Trim End'],
    ['o', 'o', 'offset', 'ADBE Vector Trim Offset'],
  ],
  rd: [['r', 'rd', 'radius', 'ADBE Vector RoundCorner Radius']],
  rp: [['c', 'c', 'copies', 'ADBE Vector Repeater Copies'], ['o', 'o', 'offset', 'ADBE Vector Repeater Offset']],
  pb: [['a', 'amount', 'amount', 'ADBE Vector PuckerBloat Amount']],
  zz: [
    ['s', 'amplitude', 'size', 'ADBE Vector Zigzag Size'],
    ['r', 'frequency', 'ridgesPerSegment', 'ADBE Vector Zigzag Detail'],
  ],
  op: [['a', 'amount', 'amount', 'ADBE Vector Offset Amount']],
  sh: [['ks', 'sh', 'path', 'ADBE Vector Shape', 'Shape']],
}; // biome-ignore format: a table

function shapeGroup(data: Any, view: Any, above: () => Any): Group {
  if (data.ty === 'gr') {
    const content = contentGroup(data.it, view.it, () => whole);
    const at = data.it.findIndex(({ ty }: Any) => ty === 'tr');
    const transform = at < 0 ? null : shapeTransform(view.it[at], data.it[at], () => whole);
    const whole = ((name?: unknown) =>
      ['ADBE Vectors Group', 'Contents', 'contents', 2].includes(name as string) ? content : transform) as Group;
    const up = (count = 1): Any => (count <= 0 ? whole : count === 1 ? above() : above()?.propertyGroup?.(count - 1));
    return define(whole, { content, transform, ...named(data.nm), propertyGroup: up, propertyIndex: data.ix });
  }
  const source = view?.sh?.ty === 'tm' ? view.sh.prop : ['rc', 'el', 'sr'].includes(data.ty) ? view?.sh : view;
  const members = (SHAPES[data.ty] ?? []).map(([key, playerKey, name, ...aliases]): Member => {
    return { names: [...words(name), ...aliases], index: data[key]?.ix, property: source?.[playerKey] };
  });
  const found = group('the shape', data.nm, members, above);
  define(found, { propertyIndex: data.ix });
  if (data.ty === 'sh') define(found, { get shape() { return read(view.sh); } }); // biome-ignore format: an accessor
  if (data.ty === 'rp' && view?.tr) define(found, { transform: transformGroup(view.tr, data.tr, () => found) });
  if (Array.isArray(data.d) && view?.d) {
    const dashes = data.d.map(({ nm, n }: Any, index: number): Member => {
      const usual = { d: 'Dash', g: 'Gap', o: 'Offset' }[n as string];
      return { names: [String(nm ?? usual), String(usual)], property: view.d.dataProps[index].p };
    });
    define(found, { dash: group('the dashes of', data.nm, dashes, () => found) });
  }
  return found;
}

/** Creates the group of a shape group's transform, whose opacity lottie-web has twice: it draws with `op`. */
function shapeTransform({ transform: { mProps, op } }: Any, data: Any, above: () => Any): Group {
  const found = transformGroup({ ...mProps, o: op }, data, above);
  if (mProps.o !== undefined) mProps.o.propertyGroup = op.propertyGroup;
  return found;
}

/** Creates the group of shapes in a layer or a group. */
export function contentGroup(shapes: readonly Any[], views: readonly Any[], above: () => Any): Group {
  const known = new Map<number, Any>();
  const shapeAt = (index: number): Any => {
    if (!known.has(index)) {
      const shape = shapeGroup(shapes[index], views[index], () => content);
      known.set(index, shape);
    }
    return known.get(index);
  };
  const content = ((name: unknown) => {
    const at = shapes.findIndex(({ nm, mn, ix }: Any) => nm === name || mn === name || ix === name);
    const index = at >= 0 ? at : typeof name === 'number' ? name - 1 : -1;
    if (shapes[index] === undefined) throw new Error(`the contents have no shape ${JSON.stringify(name)}`);
    return shapeAt(index);
  }) as Group;
  const up = (count = 1): Any => (count <= 0 ? content : count === 1 ? above() : above()?.propertyGroup?.(count - 1));
  // Properties know their groups before an expression asks for them.
  for (const [index, { ty }] of shapes.entries()) if (ty !== 'tr') shapeAt(index);
  return define(content, { ...named('Contents'), propertyGroup: up, numProperties: shapes.length });
}

/** Creates the group of a layer's effects, or of the values of an effect. */
export function effectGroup(effects: readonly Any[], managers: readonly Any[], element: Any, above: () => Any): Group {
  const find = ((name: unknown) => {
    const index = effects.findIndex(({ nm, mn, ix }: Any) => name === nm || name === mn || name === ix);
    const at = index < 0 && typeof name === 'number' ? name - 1 : index;
    const effect = effects[at];
    if (effect === undefined)
      throw new Error(`${JSON.stringify(element.data.nm)} has no effect ${JSON.stringify(name)}`);
    const manager = managers[at];
    if (effect.ty === 5 || Array.isArray(effect.ef)) {
      manager.asGroup ??= effectGroup(effect.ef, manager.effectElements, element, () => find);
      return manager.asGroup;
    }
    // A layer control names a layer of the composition by its index.
    if (effect.ty === 10) return layerOf(element.comp, currentValue(manager.p));
    return read(manager.p);
  }) as Group;
  for (const [index, manager] of managers.entries()) {
    if (manager?.p !== undefined) Object.assign(manager.p, { expressionName: effects[index].nm, propertyGroup: (count = 1) => (count === 1 ? find : above()) }); // biome-ignore format: a place in the tree
  }
  const field = (match: RegExp): object => {
    const index = effects.findIndex(({ mn }: Any) => match.test(String(mn)));
    return index < 0 ? {} : { get: () => read(managers[index].p), configurable: true };
  };
  Object.defineProperty(find, 'color', field(/Color Control/));
  return define(find, { param: find, numProperties: effects.length, active: true, enabled: true });
}

/** Returns a layer of a composition by its name or index. */
export function layerOf(comp: Any, name: unknown, relative?: number): Any {
  const wanted = relative === undefined ? name : (name as Any).index + relative;
  const index = comp.layers.findIndex(({ nm, ind }: Any) => nm === wanted || ind === wanted);
  const element = comp.elements[index];
  if (element?.layerInterface === undefined) {
    throw new Error(`the composition has no layer ${JSON.stringify(wanted)}`);
  }
  return element.layerInterface;
}

const MASK: readonly (readonly [key: string, name: string, mult: number])[] = [
  ['o', 'maskOpacity', 0.01],
  ['x', 'maskExpansion', 1],
];

/** Returns a function that finds masks by name and index. Reads their values, so that their expressions are evaluated. */
export function maskGroup(manager: Any, element: Any): Any {
  const masks = manager.masksProperties.map((data: Any, index: number) => {
    const members = MASK.flatMap(([key, name, mult]): Member[] => {
      const property = data[key] === undefined ? undefined : PropertyFactory.getProp(element, data[key], 0, mult, element); // biome-ignore format: a property
      return property === undefined ? [] : [{ names: words(name), property }];
    });
    members.push({ names: [...words('maskPath'), 'ADBE Mask Shape'], property: manager.viewData[index] });
    return define(
      group('the mask', data.nm, members, () => element.layerInterface),
      { invert: data.inv === true },
    );
  });
  return (name: unknown) => {
    const index = manager.masksProperties.findIndex(({ nm }: Any) => nm === name);
    const found = masks[index >= 0 ? index : typeof name === 'number' ? name - 1 : -1];
    if (found === undefined) throw new Error(`${JSON.stringify(element.data.nm)} has no mask ${JSON.stringify(name)}`);
    return found;
  };
}
