/** A response whose body has been read completely. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary JSON
  readonly body: any;
}

export interface ApiRequest {
  /** Sent as JSON, except strings and bytes, which are sent unchanged. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Api = (method: string, path: string, request?: ApiRequest) => Promise<ApiAnswer>;

/** Talks to a service as any client would: `fetch`, a token, JSON. */
export function openApi(url: string, token: string | null): Api {
  return async (method, path, { body, headers = {} } = {}) => {
    const isRaw = typeof body === 'string' || body instanceof Uint8Array;
    const answer = await fetch(path.startsWith('http') ? path : url + path, {
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined || isRaw ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isRaw ? (body as string) : JSON.stringify(body) }),
    });
    const text = await answer.text();
    const isJson = /json/.test(answer.headers.get('content-type') ?? '');
    return { status: answer.status, headers: answer.headers, body: isJson ? jsonOr(text) : text };
  };
}

/**
 * Parses JSON if possible. A service may mislabel a body as JSON; the test that reads it then fails at its own
 * assertion.
 */
function jsonOr(text: string): ApiAnswer['body'] {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Polls a session until it has ended. */
export async function untilEnded(api: Api, id: string): Promise<ApiAnswer['body']> {
  for (;;) {
    const { body } = await api('GET', `/v2/render_sessions/${id}`);
    if (body.render_session?.terminal === true) return body.render_session;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
