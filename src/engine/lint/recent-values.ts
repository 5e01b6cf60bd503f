/** Keeps the values that were used most recently, up to a size. */
export class RecentValues<Value> {
  readonly #values = new Map<string, { readonly value: Value; readonly size: number }>();
  readonly #maxSize: number;
  #size = 0;

  constructor(maxSize: number) {
    this.#maxSize = maxSize;
  }

  get(key: string): Value | undefined {
    const found = this.#values.get(key);
    if (found === undefined) return undefined;
    this.#values.delete(key);
    this.#values.set(key, found);
    return found.value;
  }

  /** @param size in the unit of the maximum */
  set(key: string, value: Value, size: number): void {
    this.#size += size - (this.#values.get(key)?.size ?? 0);
    this.#values.delete(key);
    this.#values.set(key, { value, size });
    for (const [oldest, discarded] of this.#values) {
      if (this.#size <= this.#maxSize) return;
      this.#values.delete(oldest);
      this.#size -= discarded.size;
    }
  }
}
