import { EDITABLE_KINDS } from '../../contract/fields/editable-kinds.ts';
import { formatList } from '../../kernel/hints.ts';
import { isRecord } from '../../kernel/json.ts';
import { allLayers, type LottieNode, nodesOf } from '../lottie/lottie-layers.ts';
import { normalizeLineBreaks, textStyles } from '../lottie/slots/lottie-slots.ts';
import { isGradient } from '../lottie/slots/slot-property.ts';
import { layerSpans } from '../lottie/visibility/layer-spans.ts';
import type { LottieDocument } from '../render-input.ts';
import {
  type EditableTarget,
  type FoundEditable,
  findEditableTargets,
  type InitNote,
  type Origin,
} from './editable-targets.ts';
import { hasForm, isNumbered, type KeyGenerator, labelOf } from './key-generator.ts';

const USER_IMAGE = /(?:^|\/)USER\/([^/]+)$/;

/**
 * Finds editables by names: text layers called `t_01` or, for captions, `s_01`, fills, strokes and Fill effects called `c_01`, expression controls
 * called `c_01`, `n_01` or `p_01`, and images and sounds whose file or layer is called `USER/photo.jpg`. The rest of the name
 * is the label.
 *
 * @param animation modified: targets get their key
 */
export function readNames(animation: LottieDocument): { editables: FoundEditable[]; notes: InitNote[] } {
  const found = new Map<string, { label: string; sourceName: string; targets: EditableTarget[] }>();
  const notes: InitNote[] = [];
  for (const target of findEditableTargets(animation)) {
    if (target.node.sid !== undefined) continue;
    const named = keyIn(target);
    if (named === null) continue;
    if (target.drawback !== null) {
      notes.push({
        kind: 'skipped',
        message: `${JSON.stringify(named.sourceName)} is not editable: ${target.drawback}`,
      });
      continue;
    }
    const known = found.get(named.key);
    if (known === undefined) found.set(named.key, { ...named, targets: [target] });
    else known.targets.push(target);
  }
  const editables = [...found].map(([key, { label, sourceName, targets }]) =>
    assignKey(key, targets, { label, sourceName, origin: 'name' }),
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
  for (const target of byTime(animation)) {
    if (!kinds.includes(target.kind) || typeof target.node.sid === 'string') continue;
    const name = target.names.find((candidate) => candidate !== '') ?? '';
    if (target.drawback !== null) {
      notes.push({
        kind: 'skipped',
        message: `The ${target.kind} ${JSON.stringify(name)} is not editable: ${target.drawback}`,
      });
      continue;
    }
    const words = target.kind === 'text' ? normalizeLineBreaks(textStyles(target.node)[0]?.t ?? '') : '';
    const key = target.kind === 'text' ? keys.numbered('text') : keys.ofFile(fileNameOf(target));
    const title = target.kind === 'text' ? name : (target.names[1] ?? name).replace(/\.\w{2,5}$/, '');
    const label = labelOf(title, words === '' ? key : words);
    editables.push(assignKey(key, [target], { label, sourceName: name, origin: 'proposed' }));
  }
  return { editables, notes };
}

/**
 * Reports texts, images and sounds that are not editable because they have neither a slot nor a name, in a note per kind.
 *
 * @param keys generator that excludes the keys of editables
 */
export function reportUnnamed(animation: LottieDocument, keys: KeyGenerator): InitNote[] {
  const unnamed = byTime(animation).filter(({ drawback, node }) => drawback === null && node.sid === undefined);
  return (['text', 'image', 'audio'] as const).flatMap((kind): InitNote[] => {
    const targets = unnamed.filter((target) => target.kind === kind);
    const [first] = targets;
    if (first === undefined) return [];
    const names = targets.map(({ names: [name = '', layer = ''] }) => (kind === 'text' ? name : layer));
    const noun = `${kind === 'audio' ? 'sound' : kind}${names.length === 1 ? '' : 's'}`;
    const which = `The ${noun} ${formatList(names.map((name) => JSON.stringify(name)))} ${names.length === 1 ? 'has' : 'have'}`;
    const key =
      kind === 'text'
        ? `${keys.numbered('text')} ${names[0]}`
        : keys.ofFile(fileNameOf(first)).replace('(Footage)/', '');
    const message = `${which} neither a slot nor a key in the name; to make one editable, name its layer ${JSON.stringify(key)}`;
    return [{ kind: 'skipped', message }];
  });
}

/** Returns the targets sorted by their first appearance, then from top to bottom. */
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
  targets: readonly EditableTarget[],
  fields: { readonly label: string; readonly sourceName: string; readonly origin: Origin },
): FoundEditable {
  const nodes = targets.map(({ node }) => node);
  for (const node of nodes) node.sid = key;
  return { ...fields, key, kind: targets[0]!.kind, nodes, layers: targets.flatMap(({ layers }) => layers) };
}

/** Of texts, and of texts that show captions. */
const TEXT_LETTERS = `[${EDITABLE_KINDS.text.keyLetter}${EDITABLE_KINDS.captions.keyLetter}]`;

function keyIn({ kind, names }: EditableTarget): { key: string; label: string; sourceName: string } | null {
  // The name of a text or image is its layer's. The name of a colour is its fill's, or else its layer's.
  for (const name of names) {
    if (kind === 'gradient') return null;
    if (kind === 'image' || kind === 'audio') {
      const file = USER_IMAGE.exec(name)?.[1];
      if (file !== undefined) {
        return { key: `(Footage)/USER/${file}`, label: labelOf(file.replace(/\.\w+$/, ''), file), sourceName: name };
      }
      continue;
    }
    const letter = kind === 'text' ? TEXT_LETTERS : EDITABLE_KINDS[kind].keyLetter;
    const named = new RegExp(`^(${letter}_\\d{2,})(?![\\w])[\\s:–—-]*(.*)$`, 's');
    const [, key, label = ''] = named.exec(name.trim()) ?? [];
    if (key !== undefined) return { key, label: labelOf(label, key), sourceName: name };
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
 * A slot whose id is not a valid key gets a new key, and its id becomes the label. Writes the values of slots to their uses.
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
  for (const target of findEditableTargets(animation)) {
    const { sid } = target.node;
    if (typeof sid === 'string') uses.set(sid, [...(uses.get(sid) ?? []), target]);
  }
  const notes: InitNote[] = [];
  const editables: FoundEditable[] = [];
  for (const [id, targets] of uses) {
    const { kind } = targets[0]!;
    const drawback = targets.some((target) => target.kind !== kind)
      ? 'it is used for several kinds of values'
      : targets.find((target) => target.drawback !== null)?.drawback;
    if (drawback !== undefined && drawback !== null) {
      notes.push({ kind: 'skipped', message: `The slot ${JSON.stringify(id)} is not editable: ${drawback}` });
      continue;
    }
    const key = hasForm(id, kind)
      ? id
      : isNumbered(kind)
        ? keys.numbered(kind)
        : keys.ofFile(slotFileName(id, targets));
    const nodes = targets.map(({ node }) => node);
    for (const node of nodes) node.sid = key;
    const names = targets.flatMap((target) => target.names).filter((name) => name !== '');
    const label = key === id ? labelOf(names.at(-1) ?? '', key) : labelOf(id, key);
    const layers = targets.flatMap((target) => target.layers);
    editables.push({ key, kind, label, origin: 'slot', sourceName: id, nodes, layers });
  }
  // Nodes whose slot is not an editable lose the slot and keep its value.
  const kept = new Set(editables.flatMap(({ nodes }) => nodes));
  for (const node of slottedNodes(animation)) if (!kept.has(node)) delete (node as LottieNode).sid;
  const unused = Object.keys(values).filter((id) => !uses.has(id));
  if (unused.length > 0) {
    const which = unused.map((id) => JSON.stringify(id)).join(', ');
    notes.push({ kind: 'skipped', message: `The slots ${which} are not used by a visible text, value or image` });
  }
  return { editables, notes };
}

/** Returns the ids of all declared and used slots. */
export function slotIds(animation: LottieDocument): string[] {
  const declared = isRecord(animation.slots) ? Object.keys(animation.slots) : [];
  return [
    ...declared,
    ...findEditableTargets(animation).flatMap(({ node: { sid } }) => (typeof sid === 'string' ? [sid] : [])),
  ];
}

/** Moves the slot of a gradient's stops to the gradient, because the value of the editable includes the number of colours. */
function liftGradientSlots(animation: LottieDocument): void {
  for (const { node } of allLayers(animation).flatMap(nodesOf)) {
    if (!isGradient(node) || !isRecord(node.k) || typeof node.k.sid !== 'string') continue;
    node.sid ??= node.k.sid;
    delete node.k.sid;
  }
}

/**
 * Writes the value of each slot to its uses, because players show the slot's value. This includes animated values and
 * properties that do not become editables.
 *
 * @see Lottie specification 1.0.1, "Slots"
 */
function fillFromSlots(animation: LottieDocument, values: Readonly<Record<string, unknown>>): void {
  const kinds = new Map(findEditableTargets(animation).map(({ node, kind }) => [node, kind]));
  for (const node of slottedNodes(animation)) {
    const slot = Object.hasOwn(values, node.sid) ? values[node.sid] : null;
    const value = isRecord(slot) && isRecord(slot.p) ? slot.p : null;
    if (value === null || !hasFormOf(kinds.get(node), value)) continue;
    const { id: _, sid: __, ...content } = structuredClone(value) as LottieNode;
    if ('k' in content) delete node.x;
    // The slot of a gradient may contain only the stops, without the number of colours.
    Object.assign(node, isGradient(node) && !isGradient(content) ? { k: content } : content);
  }
}

/** Returns whether a slot's value has the form of its use. @param kind undefined for a property that is not a target */
function hasFormOf(kind: EditableTarget['kind'] | undefined, value: LottieNode): boolean {
  if (kind === 'text') return textStyles(value).length > 0;
  return kind === 'image' || kind === 'audio' ? typeof value.p === 'string' : value.k !== undefined;
}

function slottedNodes(animation: LottieDocument): (LottieNode & { sid: string })[] {
  const inside = allLayers(animation).flatMap((target) => nodesOf(target).map(({ node }) => node));
  return [...(animation.assets ?? []), ...inside].filter(
    (node): node is LottieNode & { sid: string } & { id: string } => typeof node.sid === 'string',
  );
}

/** Returns a file name for the key of an image or a sound. */
function slotFileName(id: string, targets: readonly EditableTarget[]): string {
  const name = id.split('/').at(-1)!;
  if (/\.\w{2,5}$/.test(name)) return name;
  const source = String(targets[0]?.node.p);
  const ending = source.startsWith('data:') ? undefined : /\.\w{2,5}$/.exec(source)?.[0];
  return `${name}${ending ?? (targets[0]?.kind === 'audio' ? '.mp3' : '.png')}`;
}
