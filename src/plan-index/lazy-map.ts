/**
 * A map whose values are made when somebody asks, each once; most of what is remembered nobody asks for.
 */
export class LazyMap<V> implements ReadonlyMap<string, V> {
  readonly #keys: readonly string[];
  readonly #make: (key: string, index: number) => V;
  readonly #made = new Map<string, V>();
  #indexOf: ReadonlyMap<string, number> | null = null;

  /** @param keys in order, each once */
  constructor(keys: readonly string[], make: (key: string, index: number) => V) {
    this.#keys = keys;
    this.#make = make;
  }

  get size(): number {
    return this.#keys.length;
  }

  has(key: string): boolean {
    return this.#indices().has(key);
  }

  get(key: string): V | undefined {
    const index = this.#indices().get(key);
    return index === undefined ? undefined : this.#at(key, index);
  }

  *entries(): MapIterator<[string, V]> {
    for (const [index, key] of this.#keys.entries()) yield [key, this.#at(key, index)];
  }

  keys(): MapIterator<string> {
    return this.#indices().keys();
  }

  *values(): MapIterator<V> {
    for (const [, value] of this.entries()) yield value;
  }

  [Symbol.iterator](): MapIterator<[string, V]> {
    return this.entries();
  }

  forEach(visit: (value: V, key: string, map: ReadonlyMap<string, V>) => void): void {
    for (const [key, value] of this.entries()) visit(value, key, this);
  }

  #indices(): ReadonlyMap<string, number> {
    this.#indexOf ??= new Map(this.#keys.map((key, index) => [key, index]));
    return this.#indexOf;
  }

  #at(key: string, index: number): V {
    const known = this.#made.get(key);
    if (known !== undefined) return known;
    const made = this.#make(key, index);
    this.#made.set(key, made);
    return made;
  }
}
