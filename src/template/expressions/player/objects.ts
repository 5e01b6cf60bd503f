import {
  contentGroup,
  define,
  effectGroup,
  type Group,
  layerOf,
  maskGroup,
  named,
  read,
  transformGroup,
} from './groups.ts';
import { type Any, atTime, compositions, fromComp, namedCompositions, timeOf, toComp } from './properties.ts';
import { shapeBounds } from './shape-bounds.ts';

/** Returns a composition as an expression sees it. */
function compObject(comp: Any): Group {
  const isRoot = comp.comp === undefined;
  const { globalData, data } = comp;
  const rate = globalData.frameRate;
  const asset = data.refId === undefined ? undefined : globalData.getAssetData(data.refId);
  const find = ((name: unknown, relative?: number) => layerOf(comp, name, relative)) as Group;
  const name = isRoot ? data.nm : (asset?.nm ?? data.nm);
  compositions.add(comp);
  define(find, {
    layer: find,
    ...named(name),
    width: data.w ?? globalData.compSize.w,
    height: data.h ?? globalData.compSize.h,
    duration: (data.op - data.ip) / rate,
    frameDuration: 1 / rate,
    numLayers: comp.layers.length,
    pixelAspect: 1,
    displayStartTime: 0,
    shutterAngle: 180,
    shutterPhase: 0,
    ntscDropFrame: false,
    marker: markersOf(isRoot ? (data.markers ?? []) : [], rate),
  });
  for (const alias of [name, data.nm]) if (typeof alias === 'string' && !namedCompositions.has(alias)) namedCompositions.set(alias, find); // biome-ignore format: a line
  return find;
}

function markersOf(markers: readonly Any[], rate: number): object {
  const all = markers.map(({ tm, cm, dr }, index) => {
    return { index: index + 1, time: tm / rate, duration: (dr ?? 0) / rate, comment: cm ?? '', chapter: '', url: '' };
  });
  return {
    numKeys: all.length,
    key(wanted: number | string) {
      const found = typeof wanted === 'number' ? all[wanted - 1] : all.find(({ comment }) => comment === wanted);
      if (found === undefined) throw new Error(`the composition has no marker ${JSON.stringify(wanted)}`);
      return found;
    },
    nearestKey(seconds: number) {
      if (all.length === 0) throw new Error('the composition has no markers');
      return all.reduce((best, marker) =>
        Math.abs(marker.time - seconds) < Math.abs(best.time - seconds) ? marker : best,
      );
    },
  };
}

const LAYER_SIZE = 100;

/** Returns a layer as an expression sees it. */
function layerObject(element: Any): Group {
  const { data, comp, globalData } = element;
  const rate = globalData.frameRate;
  const transform = element.finalTransform?.mProp?.a
    ? transformGroup(element.finalTransform.mProp, { ...data.ks, nm: data.nm }, () => layer)
    : null;
  const effects = effectGroup(data.ef ?? [], element.effectsManager?.effectElements ?? [], element, () => layer);
  const layer = ((name: unknown) => {
    if (['ADBE Root Vectors Group', 'Contents', 2].includes(name as string) && data.ty === 4) return layer.content;
    if (['ADBE Transform Group', 'Transform', 'transform', 1, 6].includes(name as string)) return transform;
    if (['ADBE Effect Parade', 'Effects', 'effects', 4].includes(name as string)) return effects;
    if (['ADBE Mask Parade', 'Masks', 3].includes(name as string)) return layer.mask;
    if (['ADBE Text Properties', 'Text', 'text'].includes(name as string)) return layer.text;
    if (name === 'ADBE Time Remapping') return layer.timeRemap;
    return null;
  }) as Group;
  const moved = (point: Any, seconds: number | undefined, map: (element: Any, point: Any) => number[]): number[] => {
    const run = (): number[] => map(element, point).slice(0, Math.max(2, point.length));
    return seconds === undefined ? run() : atTime(comp, seconds, run);
  };
  const to = (point: Any, seconds?: number): number[] => moved(point, seconds, toComp);
  const from = (point: Any, seconds?: number): number[] => moved(point, seconds, fromComp);
  const vector = (map: typeof to, point: Any, seconds?: number): number[] => {
    const origin = map([0, 0, 0], seconds);
    return map(point, seconds).map((value, axis) => value - origin[axis]!);
  };
  const asset = data.refId === undefined ? undefined : globalData.getAssetData(data.refId);
  const { w, h } = comp.data?.w ? comp.data : globalData.compSize;
  const [width, height] = [4, 5].includes(data.ty)
    ? [w, h]
    : [data.w ?? data.sw ?? asset?.w ?? LAYER_SIZE, data.h ?? data.sh ?? asset?.h ?? LAYER_SIZE];
  if (transform !== null) define(layer, fieldsOf(transform));
  return define(layer, {
    transform,
    effect: effects,
    effects,
    width,
    height,
    index: data.ind,
    ...named(data.nm),
    toComp: to,
    toWorld: to,
    fromComp: from,
    fromWorld: from,
    fromCompToSurface: from,
    toCompVec: (point: Any, seconds?: number) => vector(to, point, seconds),
    toWorldVec: (point: Any, seconds?: number) => vector(to, point, seconds),
    fromCompVec: (point: Any, seconds?: number) => vector(from, point, seconds),
    fromWorldVec: (point: Any, seconds?: number) => vector(from, point, seconds),
    startTime: data.st / rate,
    inPoint: data.ip / rate,
    outPoint: data.op / rate,
    source: asset === undefined ? data.refId : { name: asset.nm ?? data.refId, width: asset.w ?? data.w, height: asset.h ?? data.h }, // biome-ignore format: an object
    enabled: data.hd !== true,
    hasVideo: data.ty !== 6,
    hasAudio: data.ty === 6,
    get active() {
      const frame = comp.renderedFrame;
      return data.hd !== true && frame >= data.ip && frame < data.op;
    },
    get hasParent() {
      return element.hierarchy.length > 0;
    },
    get parent() {
      return element.hierarchy[0]?.layerInterface ?? null;
    },
    get timeRemap() {
      if (!element.tm || element.tm._placeholder) throw new Error('the layer has no time remapping');
      return read(element.tm);
    },
    get marker() {
      throw new Error('markers of layers are not supported: Lottie has only those of compositions');
    },
    sampleImage() {
      throw new Error('sampleImage() is not supported');
    },
    sourceRectAtTime: (seconds = timeOf(comp), hasExtents = false) =>
      atTime(comp, seconds, () =>
        data.ty === 4
          ? shapeBounds(data.shapes, element.itemsData, hasExtents)
          : element.sourceRectAtTime(seconds, hasExtents),
      ),
    registerEffectsInterface: () => undefined,
    registerMaskInterface: (manager: Any) => define(layer, { mask: maskGroup(manager, element) }),
  });
}

/** Returns the properties of a transform as fields of its layer. */
function fieldsOf(transform: Group): object {
  const fields = {};
  for (const [key, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(transform))) {
    if (descriptor.get !== undefined) Object.defineProperty(fields, key, { ...descriptor, enumerable: true });
  }
  return fields;
}

/** Fields of a text document by the names that expressions have for them. */
const TEXT_STYLE: Readonly<Record<string, string>> = {
  fontSize: 's',
  leading: 'lh',
  tracking: 'tr',
  baselineShift: 'ls',
  strokeWidth: 'sw',
  fillColor: 'fc',
  strokeColor: 'sc',
};
const JUSTIFICATIONS = ['alignLeft', 'alignRight', 'alignCenter', 'justifyLastLeft', 'justifyLastRight', 'justifyLastCenter', 'justifyFull']; // biome-ignore format: a list
/** Styles created by expressions; only these are results. */
const styles = new WeakMap<object, Readonly<Record<string, unknown>>>();

/** Returns the fields of a text document that a style changes; undefined for any other value. */
export function styleChanges(value: Any): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null ? styles.get(value) : undefined;
}

function styleObject(document: Any, changes: Readonly<Record<string, unknown>> = {}): Any {
  const now = { ...document, ...changes };
  const style = {
    font: now.f,
    justification: JUSTIFICATIONS[now.j ?? 0],
    applyFill: now.fc !== undefined,
    applyStroke: now.sc !== undefined && (now.sw ?? 0) > 0,
    setText: (text: unknown) => styleObject(document, { ...changes, t: String(text) }),
    setJustification: (name: string) => styleObject(document, { ...changes, j: JUSTIFICATIONS.indexOf(name) }),
  };
  for (const [name, key] of Object.entries(TEXT_STYLE)) {
    const value = now[key];
    const set = `set${name.charAt(0).toUpperCase()}${name.slice(1)}`;
    Object.assign(style, {
      [name]: Array.isArray(value) ? value.slice(0, 3) : value,
      [set]: (next: unknown) => styleObject(document, { ...changes, [key]: next }),
    });
  }
  styles.set(style, changes);
  return style;
}

function textObject(element: Any): Group {
  const source = (): Any => {
    const property = element.textProperty;
    property.getValue();
    const document = property.currentData;
    const keys = property.data.d.k;
    const at = (seconds: number): Any =>
      atTime(element.comp, seconds, () => {
        property.getValue();
        return property.currentData.t;
      });
    return define(new String(document.t), {
      value: document.t,
      style: styleObject(document),
      numKeys: keys.length > 1 ? keys.length : 0,
      valueAtTime: at,
      getStyleAt: () => styleObject(document),
    });
  };
  const text = ((name: unknown) =>
    ['ADBE Text Document', 'Source Text', 1].includes(name as string) ? source() : null) as Group;
  return define(text, { get sourceText() { return source(); } }); // biome-ignore format: an accessor
}

/** Returns the objects of expressions, which replace those of lottie-web. */
export function interfaces(type: string): Any {
  switch (type) {
    case 'layer':
      return layerObject;
    case 'effects':
      return { createEffectsInterface: () => null };
    case 'comp':
      return compObject;
    case 'shape':
      return (shapes: Any, views: Any, layer: Any) => contentGroup(shapes, views, () => layer);
    case 'text':
      return textObject;
    default:
      return null;
  }
}
