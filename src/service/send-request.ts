import got, { RequestError, type Response } from 'got';
import { ReelformError } from '../diagnostic.ts';

/** One request to the service. */
export interface ServiceRequest {
  readonly method: 'GET' | 'POST';
  /** Absolute. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as `Authorization: Bearer`; never in an error, also when the service repeats it. */
  readonly token: string;
  readonly body?: Uint8Array | string;
  /** On a connection of its own: one that was kept open may be closed by the service just as the request is sent. */
  readonly onNewConnection?: boolean;
  /** Milliseconds for all of it. */
  readonly timeoutMs: number;
}

/** An answer, whatever its status. */
export interface ServiceAnswer {
  readonly status: number;
  readonly text: string;
  /** @param name lower case */
  header(name: string): string | null;
}

const MAX_ANSWER_BYTES = 8 << 20;
const CONNECT_MS = 10_000;

/** No whole answer came. */
export class Silence extends ReelformError {
  /** Whether the request may have arrived. */
  readonly wasSent: boolean;

  constructor(message: string, hint: string, wasSent: boolean) {
    super('service_unreachable', message, { hint });
    this.wasSent = wasSent;
  }
}

/**
 * Sends one request, once, follows no redirect, and reads an answer of 8 MiB at most. EDGE. What fails is thrown
 * without got's error: that one carries the request's headers, and so the token.
 *
 * @throws Silence `service_unreachable`
 * @throws ReelformError `service_answer_invalid`
 */
export async function sendRequest(request: ServiceRequest): Promise<ServiceAnswer> {
  const { method, url, headers, token, body, timeoutMs } = request;
  const name = `${method} ${url}`;
  const stream = got.stream(url, {
    method,
    headers: { ...headers, authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body }),
    ...(request.onNewConnection === true ? { agent: { http: false, https: false } } : {}),
    retry: { limit: 0 },
    followRedirect: false,
    throwHttpErrors: false,
    timeout: { lookup: CONNECT_MS, connect: CONNECT_MS, secureConnect: CONNECT_MS, request: timeoutMs },
  });
  let response: Response | null = null;
  stream.once('response', (answer: Response) => {
    response = answer;
  });
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      sizeBytes += chunk.byteLength;
      if (sizeBytes > MAX_ANSWER_BYTES) {
        throw new ReelformError('service_answer_invalid', `${name} answered more than ${MAX_ANSWER_BYTES >> 20} MiB`);
      }
      chunks.push(chunk);
    }
  } catch (error) {
    stream.destroy();
    throw error instanceof ReelformError ? error : silence(name, error);
  }
  return answerOf(name, response!, (text) => text.replaceAll(token, '…'), Buffer.concat(chunks));
}

function answerOf(
  name: string,
  { statusCode, headers }: Response,
  withoutToken: (text: string) => string,
  body: Buffer,
): ServiceAnswer {
  const header = (key: string): string | null => {
    const value = headers[key];
    const text = Array.isArray(value) ? value[0] : value;
    return text === undefined ? null : withoutToken(text);
  };
  if (statusCode >= 300 && statusCode < 400) throw redirected(name, statusCode, header('location'));
  return { status: statusCode, text: withoutToken(body.toString()), header };
}

/** A redirected POST would be sent again, with its body, to whom nobody named. */
function redirected(name: string, status: number, location: string | null): ReelformError {
  const to = location === null ? '' : ` to ${location.replace(/[?#].*/s, '')}`;
  return new ReelformError(
    'service_answer_invalid',
    `${name} was redirected${to} (${status}), and no redirect is followed`,
    {
      hint: 'Write the URL that the service really has into reelform.yaml',
    },
  );
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was cut off',
  ENOTFOUND: 'the host is not known',
  EAI_AGAIN: 'the name server did not answer',
  ETIMEDOUT: 'it took too long',
  EPIPE: 'the connection was cut off',
  ERR_HTTP_INVALID_HEADER_VALUE: 'the token holds characters that a header cannot have',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not signed by anybody who is trusted here',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not signed by anybody who is trusted here',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not signed by anybody who is trusted here',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
};

function silence(name: string, error: unknown): Silence {
  const code = error instanceof RequestError ? error.code : ((error as { code?: unknown } | null)?.code ?? null);
  const known = typeof code === 'string' ? code : 'no reason is known';
  const hint = 'Look whether the service runs, and at "service" in reelform.yaml';
  return new Silence(`${name}: ${REASONS[known] ?? known}`, hint, !UNSENT.has(known));
}

/** There was no connection that anything could have been sent on. */
const UNSENT: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);
