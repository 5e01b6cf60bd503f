import { isRecord } from '../../json.ts';
import type { LottieNode } from '../lottie/lottie-node.ts';
import { textStyles } from '../lottie/lottie-slots.ts';
import { isStill } from '../lottie/walk-lottie.ts';
import type { LottieDocument } from '../scene.ts';
import { type EditablePlace, editablePlaces } from './editable-places.ts';
import type { FoundEditable, InitNote } from './found-editable.ts';
import { hasForm, labelOf, type NewKeys } from './new-keys.ts';

/**
 * The editables that an animation offers as slots: texts, colours, images and sounds. A slot whose id is no key of its kind gets
 * one, and its id becomes the label. What a slot says stands, from then on, in each place that it fills.
 *
 * @param animation written to
 */
export function readSlots(animation: LottieDocument, keys: NewKeys): { editables: FoundEditable[]; notes: InitNote[] } {
  const values = isRecord(animation.slots) ? animation.slots : {};
  fillFromSlots(animation, values);
  const uses = new Map<string, EditablePlace[]>();
  for (const place of editablePlaces(animation)) {
    const { sid } = place.node;
    if (typeof sid === 'string') uses.set(sid, [...(uses.get(sid) ?? []), place]);
  }
  const notes: InitNote[] = [];
  const editables: FoundEditable[] = [];
  for (const [id, places] of uses) {
    const { kind } = places[0]!;
    const drawback = places.some((one) => one.kind !== kind)
      ? 'it fills places of several kinds'
      : places.find((one) => one.drawback !== null)?.drawback;
    if (drawback !== undefined && drawback !== null) {
      notes.push({ kind: 'left', message: `The slot ${JSON.stringify(id)} is no editable: ${drawback}` });
      continue;
    }
    const key = hasForm(id, kind)
      ? id
      : kind === 'text' || kind === 'color'
        ? keys.numbered(kind)
        : keys.ofFile(fileNameOf(id, places));
    const nodes = places.map(({ node }) => node);
    for (const node of nodes) node.sid = key;
    const names = places.flatMap((place) => place.names).filter((name) => name !== '');
    const label = key === id ? labelOf(names.at(-1) ?? '', key) : labelOf(id, key);
    const layers = places.flatMap((place) => place.layers);
    editables.push({ key, kind, label, origin: 'slot', former: id, nodes, layers });
  }
  const others = Object.keys(values).filter((id) => !uses.has(id));
  if (others.length > 0) {
    const which = others.map((id) => JSON.stringify(id)).join(', ');
    notes.push({ kind: 'left', message: `The slots ${which} fill no text, colour or image that is shown` });
  }
  return { editables, notes };
}

/** Ids of slots that stand in an animation. */
export function slotIds(animation: LottieDocument): string[] {
  const listed = isRecord(animation.slots) ? Object.keys(animation.slots) : [];
  return [
    ...listed,
    ...editablePlaces(animation).flatMap(({ node: { sid } }) => (typeof sid === 'string' ? [sid] : [])),
  ];
}

/**
 * Writes the value of each slot where it is used: what a player shows is what the slot says.
 *
 * @see Lottie specification 1.0.1, "Slots"
 */
function fillFromSlots(animation: LottieDocument, values: Readonly<Record<string, unknown>>): void {
  for (const { node, kind } of editablePlaces(animation)) {
    const slot = typeof node.sid === 'string' && Object.hasOwn(values, node.sid) ? values[node.sid] : null;
    const value = isRecord(slot) && isRecord(slot.p) ? slot.p : null;
    if (value === null) continue;
    const isOfKind =
      kind === 'text' ? textStyles(value).length > 0 : kind === 'color' ? isStill(value) : typeof value.p === 'string';
    if (!isOfKind) continue;
    const { id: _, sid: __, ...own } = structuredClone(value) as LottieNode;
    Object.assign(node, own);
  }
}

/** A file name for an image's key. */
function fileNameOf(id: string, places: readonly EditablePlace[]): string {
  const name = id.split('/').at(-1)!;
  if (/\.\w{2,5}$/.test(name)) return name;
  const source = String(places[0]?.node.p);
  const ending = source.startsWith('data:') ? undefined : /\.\w{2,5}$/.exec(source)?.[0];
  return `${name}${ending ?? (places[0]?.kind === 'audio' ? '.mp3' : '.png')}`;
}
