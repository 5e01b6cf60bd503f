import { formatList } from '../../hints.ts';
import { isRecord } from '../../json.ts';
import { layerSpans } from '../lottie/layer-spans.ts';
import { allLayers, type LottieNode, nodesOf } from '../lottie/lottie-layers.ts';
import { normalizeLineBreaks, textStyles } from '../lottie/lottie-slots.ts';
import { isGradient } from '../lottie/slot-property.ts';
import type { LottieDocument } from '../scene.ts';
import {
  type EditableTarget,
  type FoundEditable,
  findEditableTargets,
  type InitNote,
  type Origin,
} from './editable-targets.ts';
import { hasForm, isNumbered, type KeyGenerator, labelOf } from './key-generator.ts';

const NAMED = {
  text: /^(t_\d{2,})(?![\w])[\s:–—-]*(.*)$/s,
  color: /^(c_\d{2,})(?![\w])[\s:–—-]*(.*)$/s,
  number: /^(n_\d{2,})(?![\w])[\s:–—-]*(.*)$/s,
  point: /^(p_\d{2,})(?![\w])[\s:–—-]*(.*)$/s,
} as const;
const USER_IMAGE = /(?:^|\/)USER\/([^/]+)$/;

/**
 * Finds editables by names: text layers called `t_01`, fills, strokes and Fill effects called `c_01`, expression controls called
 * `c_01`, `n_01` or `p_01`, images and sounds
 * whose file or layer is called `USER/photo.jpg`. The rest of the name after the key is the label.
 *
 * @param animation modified: targets get their key
 */
export function readNames(animation: LottieDocument): { editables: FoundEditable[]; notes: InitNote[] } {
  const found = new Map<string, { label: string; former: string; places: EditableTarget[] }>();
  const notes: InitNote[] = [];
  for (const place of findEditableTargets(animation)) {
    if (place.node.sid !== undefined) continue;
    const named = keyIn(place);
    if (named === null) continue;
    if (place.drawback !== null) {
      notes.push({ kind: 'left', message: `${JSON.stringify(named.former)} is not editable: ${place.drawback}` });
      continue;
    }
    const known = found.get(named.key);
    if (known === undefined) found.set(named.key, { ...named, places: [place] });
    else known.places.push(place);
  }
  const editables = [...found].map(([key, { label, former, places }]) =>
    assignKey(key, places, { label, former, origin: 'name' }),
  );
  return { editables, notes };
}

/**
 * Proposes an editable for each suitable text, image and sound of an animation that has no key.
 *
 * @param animation modified: targets get their key
 */
export function proposeEditables(
  animation: LottieDocument,
  keys: KeyGenerator,
  kinds: readonly EditableTarget['kind'][] = ['text', 'image', 'audio'],
): { editables: FoundEditable[]; notes: InitNote[] } {
  const editables: FoundEditable[] = [];
  const notes: InitNote[] = [];
  for (const place of byTime(animation)) {
    if (!kinds.includes(place.kind) || typeof place.node.sid === 'string') continue;
    const name = place.names.find((one) => one !== '') ?? '';
    if (place.drawback !== null) {
      notes.push({
        kind: 'left',
        message: `The ${place.kind} ${JSON.stringify(name)} is not editable: ${place.drawback}`,
      });
      continue;
    }
    const words = place.kind === 'text' ? normalizeLineBreaks(textStyles(place.node)[0]?.t ?? '') : '';
    const key = place.kind === 'text' ? keys.numbered('text') : keys.ofFile(fileNameOf(place));
    const own = place.kind !== 'text' ? (place.names[1] ?? name) : name;
    const label = labelOf(place.kind !== 'text' ? own.replace(/\.\w{2,5}$/, '') : own, words === '' ? key : words);
    editables.push(assignKey(key, [place], { label, former: name, origin: 'proposed' }));
  }
  return { editables, notes };
}

/**
 * Reports texts, images and sounds that are not editables because others are named, in one note per kind.
 *
 * @param keys generator that excludes the named editables
 */
export function reportUnnamed(animation: LottieDocument, keys: KeyGenerator): InitNote[] {
  const unnamed = byTime(animation).filter(({ drawback, node }) => drawback === null && node.sid === undefined);
  return (['text', 'image', 'audio'] as const).flatMap((kind): InitNote[] => {
    const places = unnamed.filter((place) => place.kind === kind);
    const [first] = places;
    if (first === undefined) return [];
    const names = places.map(({ names: [own = '', layer = ''] }) => (kind === 'text' ? own : layer));
    const noun = `${kind === 'audio' ? 'sound' : kind}${names.length === 1 ? '' : 's'}`;
    const which = `The ${noun} ${formatList(names.map((name) => JSON.stringify(name)))} ${names.length === 1 ? 'has' : 'have'}`;
    const key =
      kind === 'text'
        ? `${keys.numbered('text')} ${names[0]}`
        : keys.ofFile(fileNameOf(first)).replace('(Footage)/', '');
    const message = `${which} neither a slot nor a key in the name; to make one editable, name its layer ${JSON.stringify(key)}`;
    return [{ kind: 'left', message }];
  });
}

/** Sorts targets by their first appearance; simultaneous ones from top to bottom. */
function byTime(animation: LottieDocument): EditableTarget[] {
  const from = new Map<unknown, number>();
  for (const span of layerSpans(animation)) {
    from.set(span.layer, Math.min(span.from, from.get(span.layer) ?? Number.MAX_VALUE));
  }
  const first = ({ layers }: EditableTarget): number =>
    Math.min(...layers.map((layer) => from.get(layer) ?? Number.MAX_VALUE));
  return findEditableTargets(animation).sort((a, b) => first(a) - first(b));
}

/** Assigns a key to targets and returns their editable. */
export function assignKey(
  key: string,
  places: readonly EditableTarget[],
  said: { readonly label: string; readonly former: string; readonly origin: Origin },
): FoundEditable {
  const nodes = places.map(({ node }) => node);
  for (const node of nodes) node.sid = key;
  return { ...said, key, kind: places[0]!.kind, nodes, layers: places.flatMap(({ layers }) => layers) };
}

function keyIn({ kind, names }: EditableTarget): { key: string; label: string; former: string } | null {
  // A layer's name applies to its text or image. The name for a colour is that of its own fill, otherwise its layer's.
  for (const name of names) {
    if (kind === 'gradient') return null;
    if (kind === 'image' || kind === 'audio') {
      const file = USER_IMAGE.exec(name)?.[1];
      if (file !== undefined) {
        return { key: `(Footage)/USER/${file}`, label: labelOf(file.replace(/\.\w+$/, ''), file), former: name };
      }
      continue;
    }
    const [, key, label = ''] = NAMED[kind].exec(name.trim()) ?? [];
    if (key !== undefined) return { key, label: labelOf(label, key), former: name };
  }
  return null;
}

function fileNameOf({ names, node }: EditableTarget): string {
  const file = String(node.p).split('/').at(-1)!;
  // Exporters number their images, so the layer's name is more meaningful.
  if (!/^(?:img|image)_\d+\.\w+$/i.test(file)) return file;
  const layer = names[1] ?? '';
  const ending = /\.\w+$/.exec(file)?.[0] ?? '';
  return layer === '' || /^layer \d+$/.test(layer) ? file : `${layer.replace(/\.\w{2,5}$/, '')}${ending}`;
}

/**
 * Finds the editables that an animation declares as slots: texts, colours, numbers, points, gradients, images and sounds.
 * A slot whose id is not a valid key gets one, and its id becomes the label. Writes the values of slots to their uses.
 *
 * @param animation modified
 */
export function readSlots(
  animation: LottieDocument,
  keys: KeyGenerator,
): { editables: FoundEditable[]; notes: InitNote[] } {
  const values = isRecord(animation.slots) ? animation.slots : {};
  liftGradientSlots(animation);
  fillFromSlots(animation, values);
  const uses = new Map<string, EditableTarget[]>();
  for (const place of findEditableTargets(animation)) {
    const { sid } = place.node;
    if (typeof sid === 'string') uses.set(sid, [...(uses.get(sid) ?? []), place]);
  }
  const notes: InitNote[] = [];
  const editables: FoundEditable[] = [];
  for (const [id, places] of uses) {
    const { kind } = places[0]!;
    const drawback = places.some((one) => one.kind !== kind)
      ? 'it is used for several kinds of values'
      : places.find((one) => one.drawback !== null)?.drawback;
    if (drawback !== undefined && drawback !== null) {
      notes.push({ kind: 'left', message: `The slot ${JSON.stringify(id)} is not editable: ${drawback}` });
      continue;
    }
    const key = hasForm(id, kind) ? id : isNumbered(kind) ? keys.numbered(kind) : keys.ofFile(slotFileName(id, places));
    const nodes = places.map(({ node }) => node);
    for (const node of nodes) node.sid = key;
    const names = places.flatMap((place) => place.names).filter((name) => name !== '');
    const label = key === id ? labelOf(names.at(-1) ?? '', key) : labelOf(id, key);
    const layers = places.flatMap((place) => place.layers);
    editables.push({ key, kind, label, origin: 'slot', former: id, nodes, layers });
  }
  // Without their slots, these nodes keep the values that they were filled with.
  const kept = new Set(editables.flatMap(({ nodes }) => nodes));
  for (const node of slottedNodes(animation)) if (!kept.has(node)) delete (node as LottieNode).sid;
  const others = Object.keys(values).filter((id) => !uses.has(id));
  if (others.length > 0) {
    const which = others.map((id) => JSON.stringify(id)).join(', ');
    notes.push({ kind: 'left', message: `The slots ${which} are not used by a visible text, value or image` });
  }
  return { editables, notes };
}

/** Returns the ids of all declared and used slots. */
export function slotIds(animation: LottieDocument): string[] {
  const formatList = isRecord(animation.slots) ? Object.keys(animation.slots) : [];
  return [
    ...formatList,
    ...findEditableTargets(animation).flatMap(({ node: { sid } }) => (typeof sid === 'string' ? [sid] : [])),
  ];
}

/** Moves the slot of a gradient's stops to the gradient, because its value includes the number of colours. */
function liftGradientSlots(animation: LottieDocument): void {
  for (const { node } of allLayers(animation).flatMap(nodesOf)) {
    if (!isGradient(node) || !isRecord(node.k) || typeof node.k.sid !== 'string') continue;
    node.sid ??= node.k.sid;
    delete node.k.sid;
  }
}

/**
 * Writes the value of each slot to its uses, because players show the slot's value: also animated values, and those of
 * properties that are no editables.
 *
 * @see Lottie specification 1.0.1, "Slots"
 */
function fillFromSlots(animation: LottieDocument, values: Readonly<Record<string, unknown>>): void {
  const kinds = new Map(findEditableTargets(animation).map(({ node, kind }) => [node, kind]));
  for (const node of slottedNodes(animation)) {
    const slot = Object.hasOwn(values, node.sid) ? values[node.sid] : null;
    const value = isRecord(slot) && isRecord(slot.p) ? slot.p : null;
    if (value === null || !hasFormOf(kinds.get(node), value)) continue;
    const { id: _, sid: __, ...own } = structuredClone(value) as LottieNode;
    if ('k' in own) delete node.x;
    // The value of a gradient may lack the count of its colours.
    Object.assign(node, isGradient(node) && !isGradient(own) ? { k: own } : own);
  }
}

/** @param kind undefined for a property that is no editable */
function hasFormOf(kind: EditableTarget['kind'] | undefined, value: LottieNode): boolean {
  if (kind === 'text') return textStyles(value).length > 0;
  return kind === 'image' || kind === 'audio' ? typeof value.p === 'string' : value.k !== undefined;
}

function slottedNodes(animation: LottieDocument): (LottieNode & { sid: string })[] {
  const inside = allLayers(animation).flatMap((place) => nodesOf(place).map(({ node }) => node));
  return [...(animation.assets ?? []), ...inside].filter(
    (node): node is LottieNode & { sid: string } & { id: string } => typeof node.sid === 'string',
  );
}

/** Returns a file name for the key of an image or a sound. */
function slotFileName(id: string, places: readonly EditableTarget[]): string {
  const name = id.split('/').at(-1)!;
  if (/\.\w{2,5}$/.test(name)) return name;
  const source = String(places[0]?.node.p);
  const ending = source.startsWith('data:') ? undefined : /\.\w{2,5}$/.exec(source)?.[0];
  return `${name}${ending ?? (places[0]?.kind === 'audio' ? '.mp3' : '.png')}`;
}
