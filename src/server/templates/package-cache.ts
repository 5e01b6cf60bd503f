import type { PackedPackage } from '../../session/bind-scene.ts';
import type { LoadedPackage } from './package-loader.ts';

/** Packages in memory, those that were used last. Each is loaded once, however many ask for it at the same time. */
export class PackageCache {
  readonly #maxBytes: number;
  /** Least recently used first. */
  readonly #packages = new Map<string, LoadedPackage>();
  readonly #loading = new Map<string, Promise<LoadedPackage>>();
  #sizeBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** @throws what `load` throws; the next one tries again */
  async get(id: string, load: () => Promise<LoadedPackage>): Promise<PackedPackage> {
    const known = this.#packages.get(id);
    if (known !== undefined) {
      this.#packages.delete(id);
      this.#packages.set(id, known);
      return known.package;
    }
    let loading = this.#loading.get(id);
    if (loading === undefined) {
      loading = load().then((loaded) => this.#keep(id, loaded));
      this.#loading.set(id, loading);
      const end = (): boolean => this.#loading.delete(id);
      loading.then(end, end);
    }
    return (await loading).package;
  }

  #keep(id: string, loaded: LoadedPackage): LoadedPackage {
    this.#packages.set(id, loaded);
    this.#sizeBytes += loaded.memoryBytes;
    for (const [oldest, { memoryBytes }] of this.#packages) {
      if (this.#sizeBytes <= this.#maxBytes || oldest === id) break;
      this.#packages.delete(oldest);
      this.#sizeBytes -= memoryBytes;
    }
    return loaded;
  }
}
