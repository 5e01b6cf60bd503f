import { byCodeUnit } from '../digest.ts';
import { indexOfSorted } from './index-of-sorted.ts';

/**
 * A map whose values are made when somebody asks, each once; most of what is remembered nobody asks for.
 */
export class LazyMap<V> implements ReadonlyMap<string, V> {
  readonly #keys: readonly string[];
  readonly #make: (key: string, index: number) => V;
  readonly #made = new Map<string, V>();

  /** @param keys by code unit, each once */
  constructor(keys: readonly string[], make: (key: string, index: number) => V) {
    this.#keys = keys;
    this.#make = make;
  }

  get size(): number {
    return this.#keys.length;
  }

  has(key: string): boolean {
    return indexOfSorted(this.#keys, key) !== -1;
  }

  get(key: string): V | undefined {
    const index = indexOfSorted(this.#keys, key);
    return index === -1 ? undefined : this.#at(key, index);
  }

  /** All of both; what is laid over stands for what was. */
  laidOver(others: ReadonlyMap<string, V>): LazyMap<V> {
    const added = [...others.keys()].filter((key) => !this.has(key));
    const keys = added.length === 0 ? this.#keys : [...this.#keys, ...added].sort(byCodeUnit);
    return new LazyMap(keys, (key) => others.get(key) ?? this.get(key)!);
  }

  *entries(): MapIterator<[string, V]> {
    for (const [index, key] of this.#keys.entries()) yield [key, this.#at(key, index)];
  }

  *keys(): MapIterator<string> {
    yield* this.#keys;
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

  #at(key: string, index: number): V {
    const known = this.#made.get(key);
    if (known !== undefined) return known;
    const made = this.#make(key, index);
    this.#made.set(key, made);
    return made;
  }
}
