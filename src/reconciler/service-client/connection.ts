import pLimit from 'p-limit';
import { ServiceError } from '../../contract/service-error.ts';
import { stripQueries } from '../../contract/urls.ts';
import { FRESH_AGENTS, KEPT_AGENTS, MAX_SOCKETS } from '../../kernel/http/agents.ts';
import type { StreamedBody } from '../../kernel/http/send-request.ts';
import { type Exchange, exchange, type ServiceAnswer } from './exchange.ts';
import { refusalOf } from './read-answer.ts';
import { Retries } from './retry.ts';
import { type Clocks, ServiceClock } from './service-clock.ts';

export interface ConnectionOptions extends Clocks {
  /** The base URL, without a slash at its end. */
  readonly url: string;
  readonly token: string;
  /** @param signal rejects the promise when it is aborted */
  wait(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** 0..1 */
  random(): number;
  /** Milliseconds for one exchange. */
  readonly timeoutMs?: number;
  /** Milliseconds for an exchange that uploads a file. */
  readonly uploadTimeoutMs?: number;
  /** Called with the display name of each request; the returned function is called when the exchange ends. */
  readonly onRequest?: (name: string) => () => void;
}

const TIMEOUT_MS = 60_000;
const UPLOAD_TIMEOUT_MS = 600_000;
/** Milliseconds without data. Reads can be repeated; the outcome of other unanswered requests is unknown. */
const IDLE_MS = { GET: 30_000, POST: 60_000 } as const;

interface Call {
  readonly method: 'GET' | 'POST';
  /** Path below the base URL, with escaped ids. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A streamed body is read again for each attempt. */
  readonly body?: Uint8Array | string | StreamedBody;
}

/** An answer with a status below 300, and the display name of its request. */
interface Answered {
  readonly name: string;
  readonly answer: ServiceAnswer;
}

/** Sends authorized requests to a service and observes its clock. */
export class ServiceConnection {
  readonly options: ConnectionOptions;
  readonly clock: ServiceClock;
  // Requests wait here for a connection, not in the agent: there they would use memory and their time limit.
  readonly #queues = new Map([KEPT_AGENTS, FRESH_AGENTS].map((agents) => [agents, pLimit(MAX_SOCKETS)]));

  constructor(options: ConnectionOptions) {
    this.options = options;
    this.clock = new ServiceClock(options);
  }

  /** Returns the name of a request for messages. */
  nameOf({ method, path }: Pick<Call, 'method' | 'path'>): string {
    return `${method} ${this.options.url}${path}`;
  }

  /**
   * Sends a request once.
   *
   * @param agents fresh agents for a POST, which must not use a connection that is being closed
   */
  sendOnce(call: Call, agents = KEPT_AGENTS): Promise<Exchange> {
    const { url, token, timeoutMs = TIMEOUT_MS, uploadTimeoutMs = UPLOAD_TIMEOUT_MS, onRequest } = this.options;
    const { method, path, headers, body } = call;
    const totalMs = typeof body === 'object' ? uploadTimeoutMs : timeoutMs;
    const request = {
      method,
      url: `${url}${path}`,
      headers: { accept: 'application/json', ...headers },
      body,
      agents,
      totalMs,
      idleMs: Math.min(IDLE_MS[method], totalMs),
    };
    return this.#queues.get(agents)!(async () => {
      const onEnd = onRequest?.(stripQueries(this.nameOf(call)));
      try {
        const result = await exchange(request, token);
        this.clock.note(result);
        return result;
      } finally {
        onEnd?.();
      }
    });
  }

  /**
   * Sends a request that can safely be repeated until it succeeds or the retries are used up.
   *
   * @throws ServiceError for a refusal; ReelformError if there is no complete answer; the error of a streamed body
   */
  async request(call: Call): Promise<Answered> {
    const name = this.nameOf(call);
    const retries = new Retries(this.options);
    for (;;) {
      const result = await this.sendOnce(call);
      if (result.kind === 'answer' && result.answer.status < 300) return { name, answer: result.answer };
      const error = result.kind === 'answer' ? refusalOf(name, result.answer) : result.error;
      const delayMs = retries.delayMs(result, 'safe', error);
      if (delayMs === null) throw error;
      await this.options.wait(delayMs);
    }
  }

  /** Requests a path, @see request */
  read(path: string): Promise<Answered> {
    return this.request({ method: 'GET', path });
  }

  /** Uploads a file, which can safely be repeated, @see request */
  upload(path: string, body: Uint8Array | StreamedBody, contentType: string): Promise<Answered> {
    return this.request({ method: 'POST', path, headers: { 'content-type': contentType }, body });
  }
}

/** Reports whether a service lacks the endpoint or the resource of a request. */
export function isMissing(error: unknown): boolean {
  return error instanceof ServiceError && (error.status === 404 || error.status === 405);
}
