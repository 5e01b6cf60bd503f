import { formatList } from '../../hints.ts';
import { layerSpans } from '../lottie/layer-spans.ts';
import { normalizeLineBreaks, textStyles } from '../lottie/lottie-slots.ts';
import type { LottieDocument } from '../scene.ts';
import { type EditablePlace, editablePlaces } from './editable-places.ts';
import type { FoundEditable, InitNote, Origin } from './found-editable.ts';
import { labelOf, type NewKeys } from './new-keys.ts';

const NAMED: Readonly<Record<'text' | 'color', RegExp>> = {
  text: /^(t_\d{2,})(?![\w])[\s:–—-]*(.*)$/s,
  color: /^(c_\d{2,})(?![\w])[\s:–—-]*(.*)$/s,
};
const USER_IMAGE = /(?:^|\/)USER\/([^/]+)$/;

/**
 * The editables that an animation's names offer: layers of texts called `t_01`, fills, strokes and Fill effects called `c_01`, images and
 * sounds whose file or layer is called `USER/photo.jpg`. What follows the key in a name is its label.
 *
 * @param animation written to: each place gets its key
 */
export function readNames(animation: LottieDocument): { editables: FoundEditable[]; notes: InitNote[] } {
  const found = new Map<string, { label: string; former: string; places: EditablePlace[] }>();
  const notes: InitNote[] = [];
  for (const place of editablePlaces(animation)) {
    if (place.node.sid !== undefined) continue;
    const named = keyIn(place);
    if (named === null) continue;
    if (place.drawback !== null) {
      notes.push({ kind: 'left', message: `${JSON.stringify(named.former)} is no editable: ${place.drawback}` });
      continue;
    }
    const known = found.get(named.key);
    if (known === undefined) found.set(named.key, { ...named, places: [place] });
    else known.places.push(place);
  }
  const editables = [...found].map(([key, { label, former, places }]) =>
    give(key, places, { label, former, origin: 'name' }),
  );
  return { editables, notes };
}

/**
 * An editable for each text, each image and each sound that nothing speaks against, for an animation in which nothing is named.
 *
 * @param animation written to: each place gets its key
 */
export function proposeEditables(
  animation: LottieDocument,
  keys: NewKeys,
): { editables: FoundEditable[]; notes: InitNote[] } {
  const editables: FoundEditable[] = [];
  const notes: InitNote[] = [];
  for (const place of byTime(animation)) {
    if (place.kind === 'color') continue;
    const name = place.names.find((one) => one !== '') ?? '';
    if (place.drawback !== null) {
      notes.push({
        kind: 'left',
        message: `The ${place.kind} ${JSON.stringify(name)} is no editable: ${place.drawback}`,
      });
      continue;
    }
    const words = place.kind === 'text' ? normalizeLineBreaks(textStyles(place.node)[0]?.t ?? '') : '';
    const key = place.kind === 'text' ? keys.numbered('text') : keys.ofFile(fileNameOf(place));
    const own = place.kind !== 'text' ? (place.names[1] ?? name) : name;
    const label = labelOf(place.kind !== 'text' ? own.replace(/\.\w{2,5}$/, '') : own, words === '' ? key : words);
    editables.push(give(key, [place], { label, former: name, origin: 'proposed' }));
  }
  return { editables, notes };
}

/**
 * Reports the texts, images and sounds that could be editables, and are none because the animation names others: a note for
 * each kind.
 *
 * @param keys of an animation whose named editables have theirs
 */
export function reportUnnamed(animation: LottieDocument, keys: NewKeys): InitNote[] {
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
    const message = `${which} neither a slot nor a key in the name; to offer one, call its layer ${JSON.stringify(key)}`;
    return [{ kind: 'left', message }];
  });
}

/** What is shown first comes first; of what begins at once the uppermost. */
function byTime(animation: LottieDocument): EditablePlace[] {
  const from = new Map<unknown, number>();
  for (const span of layerSpans(animation)) {
    from.set(span.layer, Math.min(span.from, from.get(span.layer) ?? Number.MAX_VALUE));
  }
  const first = ({ layers }: EditablePlace): number =>
    Math.min(...layers.map((layer) => from.get(layer) ?? Number.MAX_VALUE));
  return editablePlaces(animation).sort((a, b) => first(a) - first(b));
}

/** Gives places their key. */
export function give(
  key: string,
  places: readonly EditablePlace[],
  said: { readonly label: string; readonly former: string; readonly origin: Origin },
): FoundEditable {
  const nodes = places.map(({ node }) => node);
  for (const node of nodes) node.sid = key;
  return { ...said, key, kind: places[0]!.kind, nodes, layers: places.flatMap(({ layers }) => layers) };
}

function keyIn({ kind, names }: EditablePlace): { key: string; label: string; former: string } | null {
  // A layer's name stands for its text or image; of a colour only the name of its own fill does, or its layer's.
  for (const name of names) {
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

function fileNameOf({ names, node }: EditablePlace): string {
  const file = String(node.p).split('/').at(-1)!;
  // Programs number the images that they write; the layer's name says more.
  if (!/^(?:img|image)_\d+\.\w+$/i.test(file)) return file;
  const layer = names[1] ?? '';
  const ending = /\.\w+$/.exec(file)?.[0] ?? '';
  return layer === '' || /^layer \d+$/.test(layer) ? file : `${layer.replace(/\.\w{2,5}$/, '')}${ending}`;
}
