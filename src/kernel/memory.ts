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
