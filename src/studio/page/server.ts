import type { PreviewError } from '../problem-protocol.ts';
import type { DraftEvent, PreviewState, RunEvent, StateChange } from '../protocol.ts';
import { encodePath } from './route.ts';
import { dispatch } from './store.ts';

/** A gallery has files in place of a server. */
export const IS_GALLERY = document.documentElement.dataset.gallery !== undefined;

/** A request that was refused, or that did not reach the server. */
export class ServerError extends Error {
  readonly answer: PreviewError;

  constructor(answer: PreviewError) {
    super(answer.message);
    this.answer = answer;
  }
}

/** Reads JSON: from `api/<name>?<key>=<value>`, or in a gallery from `api/<name>/<value>.json`. */
export async function fetchJson<T>(name: string, parameters: Readonly<Record<string, string>> = {}): Promise<T> {
  if (!IS_GALLERY) {
    const search = new URLSearchParams(parameters).toString();
    return await request<T>(`api/${name}${search === '' ? '' : `?${search}`}`);
  }
  const [value] = Object.values(parameters);
  return await request<T>(value === undefined ? `api/${name}.json` : `api/${name}/${encodePath(value)}.json`);
}

export async function postJson<T>(name: string, body: object): Promise<T> {
  return await request<T>(`api/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

export async function postFile<T>(name: string, file: File): Promise<T> {
  return await request<T>(`api/${name}?${new URLSearchParams({ name: file.name })}`, { method: 'POST', body: file });
}

/** Widths that stills are requested in, so that few versions of each are drawn. */
const STILL_WIDTHS = [160, 320, 480, 640, 960, 1280, 1920];

/**
 * Address of a frame.
 *
 * @param width in device pixels; null for the frame as `reelform render --frame` writes it
 */
export function stillAddress(fingerprint: string, frame: number, width: number | null): string {
  const base = `api/still/${encodeURIComponent(fingerprint)}/${frame}`;
  if (IS_GALLERY) return `${base}.jpeg`;
  if (width === null) return `${base}.png`;
  const fitting = STILL_WIDTHS.find((offered) => offered >= width) ?? STILL_WIDTHS.at(-1);
  return `${base}.jpeg?width=${fitting}`;
}

export function fileAddress(path: string): string {
  return `api/file?${new URLSearchParams({ path })}`;
}

/** Reads a segment of a draft. @returns the bytes, and their content type with the codecs */
export async function fetchDraftSegment(fingerprint: string, segment: number, signal: AbortSignal) {
  const response = await fetch(`api/draft/${encodeURIComponent(fingerprint)}/${segment}.mp4`, { signal });
  if (!response.ok) throw await refusal(response);
  return { bytes: await response.arrayBuffer(), type: response.headers.get('content-type') ?? '' };
}

/** Follows the state. A lost connection is opened again; the first event of each has the whole state. */
export function connect(): void {
  if (IS_GALLERY) {
    fetchJson<PreviewState>('state').then(
      (state) => load(state, 'static'),
      () => dispatch({ kind: 'connection', connection: 'lost' }),
    );
    return;
  }
  const events = new EventSource('api/events');
  const listen = <T>(name: string, receive: (data: T) => void): void =>
    events.addEventListener(name, (event: MessageEvent<string>) => receive(JSON.parse(event.data) as T));
  let isFirst = true;
  listen<PreviewState | StateChange>('state', (data) => {
    if (isFirst) load(data as PreviewState, 'live');
    else dispatch({ kind: 'change', change: data });
    isFirst = false;
  });
  listen<RunEvent>('run', (event) => dispatch({ kind: 'run', event }));
  listen<DraftEvent>('draft', (event) => dispatch({ kind: 'draft', event }));
  events.addEventListener('error', () => {
    isFirst = true;
    dispatch({ kind: 'connection', connection: 'lost' });
    // The browser reconnects by itself, except after an answer that is not a stream.
    if (events.readyState === EventSource.CLOSED) setTimeout(connect, 2000);
  });
}

function load(state: PreviewState, connection: 'live' | 'static'): void {
  dispatch({ kind: 'loaded', state });
  dispatch({ kind: 'connection', connection });
}

async function request<T>(address: string, options: RequestInit = {}): Promise<T> {
  let response: Response;
  try {
    response = await fetch(address, options);
  } catch {
    const hint = 'Start reelform preview again and open the URL that it prints.';
    throw new ServerError({ code: 'preview_unreachable', message: 'The preview server does not answer.', hint });
  }
  if (response.ok) return (await response.json()) as T;
  throw await refusal(response);
}

async function refusal(response: Response): Promise<ServerError> {
  const answer = (await response.json().catch(() => null)) as PreviewError | null;
  return new ServerError(answer ?? { code: 'preview_refused', message: `Status ${response.status}.`, hint: null });
}
