import { MAX_PLACES, type PlaceKind } from '../contract/timeline/place.ts';
import type { Span } from '../kernel/diagnostic.ts';
import { didYouMean } from '../kernel/hints.ts';
import { child, type MapNode, type TreeNode } from '../kernel/yaml/tree.ts';

/** A place of `timing` in template.yaml. Times are in seconds from the start of the template. */
export interface ManifestPlace {
  readonly kind: PlaceKind;
  readonly from: number;
  /** `from` for a hold. */
  readonly to: number;
  readonly min: number | null;
  readonly max: number | null;
  readonly at: Span;
}

const KINDS: readonly PlaceKind[] = ['hold', 'loop', 'stretch'];
const FIELDS = [...KINDS, 'min', 'max'];
const EXAMPLES: Readonly<Record<PlaceKind, string>> = {
  hold: '{ hold: 9.9 }',
  loop: '{ loop: [2, 4], max: 12 }',
  stretch: '{ stretch: [4, 6], min: 1, max: 4 }',
};

type Report = (message: string, at: Span, hint?: string) => void;

/**
 * Reads `timing`: an ordered list of places. Reports all mistakes that do not depend on the animation.
 *
 * @returns null if the template has no `timing`
 */
export function parseTiming(root: TreeNode, report: Report): readonly ManifestPlace[] | null {
  const list = child(root, 'timing');
  if (list === null) return null;
  if (list.kind !== 'list') {
    report(`timing must be a list of places, like [${EXAMPLES.hold}]`, list.span);
    return [];
  }
  if (list.items.length > MAX_PLACES) {
    report(`timing has ${list.items.length} places, but at most ${MAX_PLACES} are supported`, list.span);
    return [];
  }
  return list.items.flatMap((item) => parsePlace(item, report) ?? []);
}

/** Returns a place; null after a mistake. */
function parsePlace(node: TreeNode, report: Report): ManifestPlace | null {
  const kinds = node.kind === 'map' ? KINDS.filter((kind) => node.entries.has(kind)) : [];
  const [kind] = kinds;
  if (node.kind !== 'map' || kind === undefined || kinds.length > 1) {
    report(`A place of timing must be a map with hold, loop or stretch, like ${EXAMPLES.loop}`, node.span);
    return null;
  }
  for (const [field, { keySpan }] of node.entries) {
    if (FIELDS.includes(field)) continue;
    report(
      `The ${kind} has no property ${field}`,
      keySpan,
      didYouMean(field, FIELDS) ?? `Write it like ${EXAMPLES[kind]}`,
    );
  }
  const { value } = node.entries.get(kind)!;
  const times = value.kind === 'list' ? value.items.map(secondsOf) : [secondsOf(value)];
  const [from = null, to = from] = times;
  if (
    from === null ||
    to === null ||
    times.length !== (kind === 'hold' ? 1 : 2) ||
    (kind === 'hold') === (value.kind === 'list')
  ) {
    const what = kind === 'hold' ? 'a time in seconds' : 'two times in seconds, its start and its end';
    report(`${kind} must be ${what}, like ${EXAMPLES[kind]}`, value.span);
    return null;
  }
  if (kind !== 'stretch' && node.entries.has('min')) {
    const least = kind === 'hold' ? 'has at least 0 seconds' : 'has at least one pass';
    report(`The ${kind} has min, which is only for stretch: a ${kind} ${least}`, node.entries.get('min')!.keySpan);
    return null;
  }
  const [min, max] = [limitOf(node, 'min', report), limitOf(node, 'max', report)];
  if (min !== null && max !== null && min > max) {
    report(`min of the stretch is ${min}, which is above its max of ${max}`, child(node, 'min')!.span);
    return null;
  }
  return { kind, from, to, min, max, at: node.span };
}

function limitOf(node: MapNode, name: 'min' | 'max', report: Report): number | null {
  const limit = child(node, name);
  if (limit === null) return null;
  const seconds = secondsOf(limit);
  if (seconds === null) report(`${name} of a place must be seconds, like ${name}: 4`, limit.span);
  return seconds;
}

function secondsOf(node: TreeNode): number | null {
  return node.kind === 'scalar' && typeof node.value === 'number' && node.value >= 0 ? node.value : null;
}
