import { sessionEnd } from '../../src/contract/render-service.ts';
import type { Editable, StyleVersion } from '../../src/contract/wire/style-version.ts';
import { type Api, type ApiAnswer, openApi } from '../support/api.ts';
import { startApp, TOKENS } from '../support/service-app.ts';
import { SMALL } from '../support/small-sessions.ts';

/** The service that is tested against the documents. */
export interface Target {
  readonly api: Api;
  /** Client without a token. */
  readonly anyone: Api;
  readonly styleVersionId: string;
  /** URL that fills image and video editables. */
  readonly imageUrl: string | null;
  /** URL that fills sound editables. */
  readonly soundUrl: string | null;
  /** True for our own service, which may lack nothing. */
  readonly isOurs: boolean;
  close(): Promise<void>;
}

/**
 * Opens our own service unless the environment names another: `REELFORM_CONFORMANCE_URL`, `REELFORM_CONFORMANCE_TOKEN`,
 * `REELFORM_CONFORMANCE_STYLE_VERSION` and, where its template requires images or sounds,
 * `REELFORM_CONFORMANCE_IMAGE_URL` and `REELFORM_CONFORMANCE_SOUND_URL`.
 */
export async function openTarget(): Promise<Target> {
  const { REELFORM_CONFORMANCE_URL: url, REELFORM_CONFORMANCE_TOKEN: token } = process.env;
  const { REELFORM_CONFORMANCE_STYLE_VERSION: styleVersionId, REELFORM_CONFORMANCE_IMAGE_URL: imageUrl } = process.env;
  const { REELFORM_CONFORMANCE_SOUND_URL: soundUrl } = process.env;
  if (url === undefined) {
    const service = await startApp();
    return {
      api: service.api,
      anyone: service.as(null),
      styleVersionId: SMALL.spec.id,
      imageUrl: 'https://example.com/photo.png',
      soundUrl: 'https://example.com/music.mp3',
      isOurs: true,
      close: service.close,
    };
  }
  if (token === undefined || styleVersionId === undefined) {
    throw new Error('REELFORM_CONFORMANCE_TOKEN and REELFORM_CONFORMANCE_STYLE_VERSION have to be set too');
  }
  const base = url.replace(/\/$/, '');
  return {
    api: openApi(base, token),
    anyone: openApi(base, null),
    styleVersionId,
    imageUrl: imageUrl ?? null,
    soundUrl: soundUrl ?? null,
    isOurs: token === TOKENS.acme,
    close: async () => undefined,
  };
}

/** Time limit for a render of another service. */
export const PATIENCE_MS = process.env.REELFORM_CONFORMANCE_URL === undefined ? 60_000 : 1_200_000;

/** Polls a session until its status is final. The interface document has no field for that. */
export async function untilDone({ api, isOurs }: Target, id: string): Promise<ApiAnswer[]> {
  const looks: ApiAnswer[] = [];
  for (;;) {
    const look = await api('GET', `/v2/render_sessions/${id}`);
    looks.push(look);
    const { status } = look.body.render_session ?? {};
    if (look.status !== 200 || sessionEnd(String(status)) !== null) return looks;
    const seconds = Number(look.headers.get('retry-after') ?? 1);
    await new Promise((resolve) => setTimeout(resolve, isOurs ? 5 : seconds * 1000));
  }
}

/**
 * Builds a request that fills a template from its specification alone.
 *
 * @throws Error for a required editable without a URL to fill it
 */
export function requestFor(
  spec: StyleVersion,
  urls: Pick<Target, 'imageUrl' | 'soundUrl'>,
  title = 'Conformance',
): Record<string, unknown> {
  const resources: Record<string, object> = {};
  for (const [key, editable] of Object.entries(spec.editables)) {
    const entry = entryFor(editable, urls);
    if (entry !== null) resources[key] = entry;
    else if (editable.required !== false)
      throw new Error(`${key}: fill it by REELFORM_CONFORMANCE_IMAGE_URL or REELFORM_CONFORMANCE_SOUND_URL`);
  }
  return { title, render: 'preview', mapping: { template_style_version_id: spec.id, resources } };
}

function entryFor(editable: Editable, { imageUrl, soundUrl }: Pick<Target, 'imageUrl' | 'soundUrl'>): object | null {
  switch (editable.input_type) {
    case 'text':
    case 'color':
    case 'number':
    case 'point':
    case 'gradient':
      return { source: { text: editable.example_text ?? 'Text' } };
    case 'captions':
      return null;
    case 'image':
    case 'video':
      return imageUrl === null ? null : { source: { remote_url: imageUrl }, transform: { crop_strategy: 'cover' } };
    case 'audio':
      return soundUrl === null ? null : { source: { remote_url: soundUrl } };
    case 'font': {
      const [font] = editable.allowed_fonts ?? editable.fonts ?? [];
      return font === undefined ? null : { source: { font } };
    }
  }
}
