/** Values that are computed once for an object and a name, and forgotten with the object. */
export class Memory<Value> {
  readonly #values = new WeakMap<object, Map<string, Value>>();

  /** @param compute depends on nothing but the name and the object, which is never modified */
  of(owner: object, name: string, compute: () => Value): Value {
    let values = this.#values.get(owner);
    if (values === undefined) {
      values = new Map();
      this.#values.set(owner, values);
    }
    const known = values.get(name);
    if (known !== undefined) return known;
    const value = compute();
    values.set(name, value);
    return value;
  }
}

/**
 * Returns a function that computes its value once for each object, and forgets it with the object.
 *
 * @param compute depends on nothing but the object, which is never modified
 */
export function remembered<Owner extends object, Value extends object | string | number | boolean | null>(
  compute: (owner: Owner) => Value,
): (owner: Owner) => Value {
  const values = new WeakMap<Owner, Value>();
  return (owner) => {
    const known = values.get(owner);
    if (known !== undefined) return known;
    const value = compute(owner);
    values.set(owner, value);
    return value;
  };
}
