import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { ReelformError } from '../../kernel/diagnostic.ts';
import { gitProcess } from './run-git.ts';

/** Reads any number of objects through one `git cat-file --batch` process, in the order of the requests. */
export class BlobReader {
  readonly #git;
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);
  #last: Promise<unknown> = Promise.resolve();
  readonly #closed: Promise<unknown>;

  /** @param root absolute */
  constructor(root: string) {
    this.#git = spawn('git', ['cat-file', '--batch'], { ...gitProcess(root), stdio: ['pipe', 'pipe', 'ignore'] });
    // `read` reports that there is no answer.
    this.#git.on('error', () => undefined);
    this.#git.stdin.on('error', () => undefined);
    this.#closed = once(this.#git, 'close').catch(() => undefined);
    this.#chunks = this.#git.stdout[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  /**
   * Reads an object. Requests may be made before earlier ones are answered, so that git works ahead.
   *
   * @returns null if the repository does not have it
   * @throws ReelformError `git_failed`
   * @see https://git-scm.com/docs/git-cat-file#_batch_output
   */
  async read(oid: string): Promise<Buffer | null> {
    this.#git.stdin.write(`${oid}\n`);
    const answer = this.#last.then(() => this.#answer());
    this.#last = answer.catch(() => undefined);
    return answer;
  }

  /** Ends the process. */
  async close(): Promise<void> {
    this.#git.stdin.destroy();
    this.#git.kill();
    await this.#closed;
  }

  async #answer(): Promise<Buffer | null> {
    let end = this.#rest.indexOf('\n');
    for (; end < 0; end = this.#rest.indexOf('\n')) this.#rest = Buffer.concat([this.#rest, await this.#chunk()]);
    const head = this.#rest.toString('latin1', 0, end);
    this.#rest = this.#rest.subarray(end + 1);
    const size = /^[0-9a-f]+ \w+ (\d+)$/.exec(head)?.[1];
    if (size === undefined) return null;
    const object = await this.#bytes(Number(size) + 1);
    return object.subarray(0, -1);
  }

  async #bytes(length: number): Promise<Buffer> {
    const chunks = [this.#rest];
    let have = this.#rest.length;
    while (have < length) {
      const chunk = await this.#chunk();
      chunks.push(chunk);
      have += chunk.length;
    }
    const all = Buffer.concat(chunks, have);
    this.#rest = all.subarray(length);
    return all.subarray(0, length);
  }

  async #chunk(): Promise<Buffer> {
    const { value, done } = await this.#chunks.next();
    if (done !== true) return value;
    throw new ReelformError('git_failed', 'git cat-file ended before all objects were read', {
      hint: 'Check the repository: git fsck',
    });
  }
}
