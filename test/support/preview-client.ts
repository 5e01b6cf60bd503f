import { request as httpRequest } from 'node:http';
import type { DraftEvent, PreviewState, RunEvent, StateChange } from '../../src/studio/protocol.ts';
import { reelform } from './test-io.ts';

export interface PreviewAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
  readonly json: unknown;
}

interface RequestOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Whether the path is sent as it is, such as with `..`. */
  readonly signal?: AbortSignal;
}

export type PreviewEvent =
  | { readonly name: 'state'; readonly data: PreviewState | StateChange }
  | { readonly name: 'run'; readonly data: RunEvent }
  | { readonly name: 'draft'; readonly data: DraftEvent };

/** A running `reelform preview` and a page that has opened it. */
export class PreviewClient {
  readonly url: URL;
  readonly cookie: string;
  /** All events since the last `listen`. */
  readonly events: PreviewEvent[] = [];
  /** What the command has written to stderr, if it runs in this process. */
  stderr = '';
  readonly #stop: () => Promise<number>;
  readonly #waiting = new Set<() => void>();
  readonly #closed = new AbortController();

  constructor(url: URL, cookie: string, stop: () => Promise<number>) {
    this.url = url;
    this.cookie = cookie;
    this.#stop = stop;
  }

  /** Starts the command in this process and opens its page. */
  static async start(root: string, options: readonly string[] = []): Promise<PreviewClient> {
    let interrupt = (): void => {};
    let ran: ReturnType<typeof reelform> | null = null;
    let client: PreviewClient | null = null;
    const url = await new Promise<URL>((resolve, reject) => {
      ran = reelform(root, ['preview', '--port', '0', ...options], {
        onStderr(text) {
          if (client !== null) client.stderr = text;
        },
        onStdout(text, stop) {
          interrupt = stop;
          const found = /http:\S+/.exec(text)?.[0];
          if (found !== undefined) resolve(new URL(found));
        },
      });
      ran.then(({ stderr }) => reject(new Error(stderr)), reject);
    });
    client = await PreviewClient.open(url, async () => {
      interrupt();
      return (await ran!).exitCode;
    });
    return client;
  }

  /** Opens the page of a running command. @param stop ends the command */
  static async open(url: URL, stop: () => Promise<number> = async () => 0): Promise<PreviewClient> {
    const { status, headers } = await send(url, `${url.pathname}${url.search}`, {});
    const [cookie = ''] = headers['set-cookie'] ?? [];
    if (status !== 303) throw new Error(`The page answered ${status}`);
    const client = new PreviewClient(url, cookie.split(';')[0]!, stop);
    // Answered once the repository has been read and is watched.
    await client.get('/api/state');
    return client;
  }

  /** Sends a request with the cookie. */
  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<PreviewAnswer> {
    return send(this.url, path, { headers: { cookie: this.cookie, ...headers } });
  }

  async json<T>(path: string): Promise<T> {
    const { status, json } = await this.get(path);
    if (status !== 200) throw new Error(`${path} answered ${status}: ${JSON.stringify(json)}`);
    return json as T;
  }

  state(): Promise<PreviewState> {
    return this.json('/api/state');
  }

  /** Sends JSON as the page does. */
  post(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<PreviewAnswer> {
    return send(this.url, path, {
      method: 'POST',
      headers: { cookie: this.cookie, origin: this.url.origin, 'content-type': 'application/json', ...headers },
      body: body instanceof Uint8Array ? body : JSON.stringify(body),
    });
  }

  /** Sends a request without the cookie and origin of the page. */
  raw(path: string, options: RequestOptions): Promise<PreviewAnswer> {
    return send(this.url, path, options);
  }

  /** Collects events until the server or the client is closed. */
  async listen(): Promise<void> {
    const headers = { cookie: this.cookie };
    await new Promise<void>((resolve, reject) => {
      const request = httpRequest(
        new URL('/api/events', this.url),
        { headers, signal: this.#closed.signal },
        (response) => {
          let text = '';
          response.setEncoding('utf8');
          response.on('error', () => undefined);
          response.on('data', (chunk: string) => {
            text += chunk;
            const blocks = text.split('\n\n');
            text = blocks.pop()!;
            for (const block of blocks) this.#take(block);
            resolve();
          });
        },
      );
      request.on('error', reject);
      request.end();
    });
  }

  #take(block: string): void {
    const name = /^event: (.*)$/m.exec(block)?.[1];
    const data = /^data: (.*)$/m.exec(block)?.[1];
    if (name === undefined || data === undefined) return;
    this.events.push({ name, data: JSON.parse(data) } as PreviewEvent);
    for (const check of this.#waiting) check();
  }

  /** Returns the state once it is as expected. Events say when to read it again. */
  async until(isExpected: (state: PreviewState) => boolean): Promise<PreviewState> {
    for (;;) {
      const seen = this.events.length;
      const state = await this.state();
      if (isExpected(state)) return state;
      if (this.events.length === seen) {
        await new Promise<void>((resolve) => {
          const check = (): void => {
            this.#waiting.delete(check);
            resolve();
          };
          this.#waiting.add(check);
        });
      }
    }
  }

  /** @returns the exit status of the command */
  close(): Promise<number> {
    this.#closed.abort();
    return this.#stop();
  }
}

function send(
  { hostname, port, host }: URL,
  path: string,
  { method = 'GET', headers = {}, body, signal }: RequestOptions,
): Promise<PreviewAnswer> {
  return new Promise((resolve, reject) => {
    // Unlike fetch, this sends any Host and Origin, and paths with `..`.
    const request = httpRequest(
      { hostname, port, path, method, headers: { host, ...headers }, ...(signal && { signal }) },
      async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk as Buffer);
        const bytes = Buffer.concat(chunks);
        const isJson = response.headers['content-type']?.startsWith('application/json') === true;
        const json: unknown = isJson ? JSON.parse(bytes.toString('utf8')) : null;
        resolve({ status: response.statusCode!, headers: response.headers, bytes, json });
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}
