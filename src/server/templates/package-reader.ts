import { Worker } from 'node:worker_threads';
import { builtFile } from '../../engine/built-file.ts';
import { type ServiceError, serviceError } from '../../service/service-error.ts';
import { FairQueue } from '../../session/fair-queue.ts';
import { checkPackageZip } from '../../template/archive/read-package-zip.ts';
import type { TemplatePackage } from '../../template/template-package.ts';
import type { RequestProblem } from '../../wire/problem.ts';
import { packageProblems, problem } from './package-problems.ts';
import type { PackageAnswer, PackageDescription, PackageRequest } from './package-worker.ts';

/** A package and about what it takes in memory. */
export interface LoadedPackage {
  readonly package: TemplatePackage;
  readonly memoryBytes: number;
}

const LONGEST_MS = 30_000;
const HEAP_MEGABYTES = 1024;

/**
 * Reads zipped packages in threads: each may take a core and a gigabyte for some seconds. Two new packages at a time, and
 * beside them two known ones, so that a render does not wait for uploads; of each, one tenant reads one at a time.
 */
export class PackageReader {
  readonly #queues = { description: new FairQueue({ places: 2 }), package: new FairQueue({ places: 2 }) };

  /**
   * @param owner whose turn it takes
   * @throws ServiceError 422 `template_invalid` with all that is wrong
   */
  async describe(zip: Uint8Array, owner: string): Promise<PackageDescription> {
    // Most of what is meant badly can be told without a thread.
    const directory = checkPackageZip(zip);
    if (!directory.ok) throw invalidPackage(packageProblems(directory.diagnostics, new Map()));
    const answer = await this.#ask({ zip, wants: 'description' }, owner);
    if (answer.kind !== 'description') throw unexpected(answer);
    return answer.description;
  }

  /**
   * @param owner whose turn it takes
   * @throws ServiceError 422 `template_invalid` with all that is wrong
   */
  async load(zip: Uint8Array, owner: string): Promise<LoadedPackage> {
    const answer = await this.#ask({ zip, wants: 'package' }, owner);
    if (answer.kind !== 'package') throw unexpected(answer);
    return answer;
  }

  async #ask(request: PackageRequest, owner: string): Promise<PackageAnswer> {
    const answer = await this.#queues[request.wants].run(owner, () => ask(request));
    if (answer.kind === 'problems') throw invalidPackage(answer.problems);
    return answer;
  }
}

function ask(request: PackageRequest): Promise<PackageAnswer> {
  const worker = new Worker(builtFile(import.meta.url, 'server/templates/package-worker.js'), {
    workerData: request,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES },
  });
  return new Promise<PackageAnswer>((resolve, reject) => {
    const tooMuch = (what: string): void =>
      resolve({
        kind: 'problems',
        problems: [problem('template_invalid', '', `The package takes too ${what} to read`)],
      });
    const timer = setTimeout(() => {
      tooMuch('long');
      void worker.terminate();
    }, LONGEST_MS);
    worker.on('message', resolve);
    worker.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooMuch('much memory') : reject(error),
    );
    worker.on('exit', () => {
      clearTimeout(timer);
      reject(new Error('Internal error: the thread that reads a package ended without an answer'));
    });
  });
}

export function invalidPackage(problems: readonly RequestProblem[]): ServiceError {
  const [first] = problems;
  const message = problems.length === 1 ? first!.detail : `The package has ${problems.length} problems`;
  return serviceError('template_invalid', message, problems);
}

function unexpected({ kind }: PackageAnswer): Error {
  return new Error(`Internal error: the thread that reads a package answered ${kind}`);
}
