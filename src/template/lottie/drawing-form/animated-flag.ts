import { isRecord } from '../../../kernel/json.ts';

/**
 * Returns a value of a document whose properties are marked as animated (`a`) exactly where they have keyframes, because the renderer
 * leaves out properties whose mark is neither 0 nor 1 or contradicts their value. Other players ignore the mark. Depth is limited by
 * `checkAnimation`. Unchanged values are not copied. Walks without iterators, because there may be hundreds of thousands of values.
 */
export function withAnimatedFlags<Value>(value: Value): Value {
  if (Array.isArray(value)) {
    let changed: unknown[] | null = null;
    for (let index = 0; index < value.length; index++) {
      if (typeof value[index] !== 'object') continue;
      const flagged = withAnimatedFlags(value[index]);
      if (flagged === value[index]) continue;
      changed ??= [...value];
      changed[index] = flagged;
    }
    return (changed ?? value) as Value;
  }
  if (!isRecord(value)) return value;
  // Most objects of a document have no changes, so they are created late.
  let changes: Record<string, unknown> | null = null;
  const keys = Object.keys(value);
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index]!;
    const child = value[key];
    if (typeof child !== 'object') continue;
    const changed = withAnimatedFlags(child);
    if (changed === child) continue;
    changes ??= {};
    changes[key] = changed;
  }
  const flag = flagOf(value);
  if (flag !== undefined) {
    changes ??= {};
    changes.a = flag;
  }
  return changes === null ? value : { ...value, ...changes };
}

/** Returns the mark that a property should have; undefined if it has that mark or none, and for other objects. */
function flagOf({ a, k }: Record<string, unknown>): 0 | 1 | undefined {
  if (k === undefined || a === undefined || typeof a === 'object') return undefined;
  const flag = hasKeyframes(k) ? 1 : 0;
  return a === flag ? undefined : flag;
}

/** Returns whether the value of a property is a list of keyframes. */
export function hasKeyframes(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isKeyframe);
}

function isKeyframe(value: unknown): boolean {
  return isRecord(value) && 't' in value;
}
