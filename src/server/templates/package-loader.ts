import { type ServiceError, serviceError } from '../../service/service-error.ts';
import type { PackedPackage } from '../../session/bind-scene.ts';
import { TaskKilled, type TaskRunner } from '../../session/processes/tasks.ts';
import {
  type PackageAnswer,
  type PackageAspect,
  type PackageDescription,
  problem,
} from '../../session/sources/inspect-package.ts';
import { KILLED_BY } from '../../session/sources/sources.ts';
import type { RequestProblem } from '../../wire/problem.ts';

/** A package and its approximate size in memory. */
export interface LoadedPackage {
  readonly package: PackedPackage;
  readonly memoryBytes: number;
}

/** Reads zipped packages in sandboxed processes. */
export class PackageReader {
  readonly #processes: TaskRunner<'package'>;

  constructor(processes: TaskRunner<'package'>) {
    this.#processes = processes;
  }

  /**
   * @param owner whose share of the processes it uses
   * @throws ServiceError 422 `template_invalid` with all problems
   */
  async describe(zip: Uint8Array, owner: string): Promise<PackageDescription> {
    const answer = await this.#ask(zip, 'description', owner);
    if (answer.kind !== 'description') throw unexpected(answer);
    return answer.description;
  }

  /**
   * @param owner whose share of the processes it uses
   * @throws ServiceError 422 `template_invalid` with all problems
   */
  async load(zip: Uint8Array, owner: string): Promise<LoadedPackage> {
    const answer = await this.#ask(zip, 'package', owner);
    if (answer.kind !== 'package') throw unexpected(answer);
    return answer;
  }

  async #ask(zip: Uint8Array, wants: PackageAspect, owner: string): Promise<PackageAnswer> {
    try {
      const answer = await this.#processes.run('package', { wants }, { bytes: zip, owner });
      if (answer.kind === 'problems') throw invalidPackage(answer.problems);
      return answer;
    } catch (error) {
      if (!(error instanceof TaskKilled)) throw error;
      throw invalidPackage([problem('template_invalid', '', `The package ${KILLED_BY[error.reason]}`)]);
    }
  }
}

function invalidPackage(problems: readonly RequestProblem[]): ServiceError {
  const [first] = problems;
  const message = problems.length === 1 ? first!.detail : `The package has ${problems.length} problems`;
  return serviceError('template_invalid', message, problems);
}

function unexpected({ kind }: PackageAnswer): Error {
  return new Error(`Internal error: the process that reads a package returned ${kind}`);
}

/** Caches recently used packages in memory. Concurrent requests for one package share its loading. */
export class PackageCache {
  readonly #maxBytes: number;
  /** Ordered by last use, oldest first. */
  readonly #packages = new Map<string, LoadedPackage>();
  readonly #loading = new Map<string, Promise<LoadedPackage>>();
  #sizeBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** @throws the error of `load`; later calls try again */
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
