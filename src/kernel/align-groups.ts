/** Neighbouring labels, and the items that belong to all of them together. Both ranges are half-open. */
export interface AlignedGroup {
  readonly from: number;
  readonly to: number;
  readonly start: number;
  readonly end: number;
}

/**
 * Finds out which items belong to which label. Labels whose items cannot be told apart form one group; so does a label without items with
 * the label before it.
 *
 * @param expected items of each label, as they are alone
 * @param actual items of all labels together, of which some may be others, missing or additional
 */
export function alignGroups(expected: readonly (readonly string[])[], actual: readonly string[]): AlignedGroup[] {
  /** For each label, whether it belongs together with the label before it. */
  const isJoined = expected.map((group, label) => label > 0 && group.length === 0);
  const labels = labelsOf(expected, actual, (label) => {
    isJoined[label] = true;
  });
  // From the end, the same number of changes may be found elsewhere: then it is not known to which label an item belongs.
  const last = expected.length - 1;
  const backwards = labelsOf(
    expected.toReversed().map((group) => group.toReversed()),
    actual.toReversed(),
    (label) => {
      isJoined[last - label + 1] = true;
    },
  ).map((label) => last - label);
  for (const [at, label] of backwards.toReversed().entries()) {
    const [from, to] = [Math.min(label, labels[at]!), Math.max(label, labels[at]!)];
    for (let joined = from + 1; joined <= to; joined++) isJoined[joined] = true;
  }
  return groupsOf(isJoined, labels);
}

/**
 * Returns the label of each item.
 *
 * @param join receives each label whose items cannot be told apart from those of the label before it
 */
function labelsOf(
  expected: readonly (readonly string[])[],
  actual: readonly string[],
  join: (label: number) => void,
): number[] {
  const items = expected.flatMap((group, label) => group.map((item) => ({ item, label })));
  const labels: number[] = [];
  for (const { fromItem, toItem, fromActual, toActual } of gapsOf(
    items.map(({ item }) => item),
    actual,
  )) {
    const [count, length] = [toItem - fromItem, toActual - fromActual];
    const first = items[count === 0 ? Math.max(0, fromItem - 1) : fromItem]?.label ?? 0;
    const last = items[count === 0 ? Math.min(items.length - 1, fromItem) : toItem - 1]?.label ?? 0;
    for (let at = 0; at < length; at++) labels.push(count === length ? items[fromItem + at]!.label : first);
    if (count === length) continue;
    for (let label = first + 1; label <= last; label++) join(label);
  }
  return labels;
}

function groupsOf(isJoined: boolean[], labels: readonly number[]): AlignedGroup[] {
  const groups: { from: number; to: number; start: number; end: number }[] = [];
  let at = 0;
  for (const [label, isOfGroup] of isJoined.entries()) {
    const start = at;
    while (at < labels.length && labels[at]! <= label) at += 1;
    const group = groups.at(-1);
    if (group === undefined || !(isOfGroup || at === start))
      groups.push({ from: label, to: label + 1, start, end: at });
    else [group.to, group.end] = [label + 1, at];
  }
  const [first, second] = groups;
  if (first === undefined || second === undefined || first.end > first.start) return groups;
  return [{ ...second, from: first.from }, ...groups.slice(2)];
}

/** Items that are equal are a gap of their own: of one item, and one actual item. */
interface Gap {
  readonly fromItem: number;
  readonly toItem: number;
  readonly fromActual: number;
  readonly toActual: number;
}

/** Returns the ranges between two lists, by the smallest number of changes. */
function gapsOf(items: readonly string[], actual: readonly string[]): Gap[] {
  const width = actual.length + 1;
  const costs = new Uint16Array((items.length + 1) * width);
  for (let item = items.length; item >= 0; item--) {
    for (let at = actual.length; at >= 0; at--) {
      const here = item * width + at;
      if (item === items.length) costs[here] = actual.length - at;
      else if (at === actual.length) costs[here] = items.length - item;
      else {
        const change = items[item] === actual[at] ? 0 : 1;
        costs[here] = Math.min(costs[here + width + 1]! + change, costs[here + width]! + 1, costs[here + 1]! + 1);
      }
    }
  }
  const gaps: Gap[] = [];
  let [item, at, fromItem, fromActual] = [0, 0, 0, 0];
  const close = (): void => {
    if (item > fromItem || at > fromActual) gaps.push({ fromItem, toItem: item, fromActual, toActual: at });
    [fromItem, fromActual] = [item, at];
  };
  while (item < items.length || at < actual.length) {
    const cost = costs[item * width + at]!;
    const isEqual = item < items.length && at < actual.length && items[item] === actual[at];
    if (isEqual && costs[(item + 1) * width + at + 1] === cost) {
      close();
      [item, at] = [item + 1, at + 1];
      close();
    } else if (item < items.length && at < actual.length && costs[(item + 1) * width + at + 1]! + 1 === cost) {
      [item, at] = [item + 1, at + 1];
    } else if (item < items.length && costs[(item + 1) * width + at]! + 1 === cost) item += 1;
    else at += 1;
  }
  close();
  return gaps;
}
