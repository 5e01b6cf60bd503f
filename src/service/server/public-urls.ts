import type { RenderSession } from '../../contract/wire/render-session.ts';
import type { StyleVersionDetails } from '../../contract/wire/style-version.ts';
import type { VideoEvent, WebhookBody } from '../../contract/wire/webhook.ts';

/** Paths of the files that the service serves itself, at the end of a URL. */
const OWN_FILE = /\/(?:outputs\/[\w-]+|v2\/template_style_versions\/[^/]+\/stillcuts)\/[\w.-]+$/;

/**
 * Returns the URL of a file of the service at its present address. The database stores the path, so that the address can
 * change; older versions stored the URL at the address of that time.
 *
 * @param publicUrl without a trailing slash
 */
function urlAt(publicUrl: string, stored: string): string {
  const path = OWN_FILE.exec(stored)?.[0];
  return path === undefined ? stored : `${publicUrl}${path}`;
}

/** Returns a stored session with URLs of its files. Those of its deliveries belong to other services and stay as they are. */
export function sessionAt(publicUrl: string, session: RenderSession): RenderSession {
  const { video_url, thumbnails, outputs } = session;
  const at = (stored: string | null): string | null => (stored === null ? null : urlAt(publicUrl, stored));
  return {
    ...session,
    video_url: at(video_url),
    thumbnails: thumbnails.map((stored) => urlAt(publicUrl, stored)),
    ...(outputs !== undefined && {
      outputs: outputs.map((output) => ({ ...output, video_url: at(output.video_url) })),
    }),
  };
}

/** Returns a style version with URLs of its still cuts. */
export function styleVersionAt(publicUrl: string, details: StyleVersionDetails): StyleVersionDetails {
  const stillcuts = Object.entries(details.stillcuts).map(([name, stored]) => [name, urlAt(publicUrl, stored)]);
  return { ...details, stillcuts: Object.fromEntries(stillcuts) };
}

/** Returns the body of a webhook event with URLs of files, as JSON: it may be sent days after the event. */
export function webhookBodyAt(publicUrl: string, stored: string): string {
  const body = JSON.parse(stored) as WebhookBody | VideoEvent;
  if ('output_url' in body) {
    const { output_url } = body;
    return JSON.stringify({ ...body, output_url: output_url === null ? null : urlAt(publicUrl, output_url) });
  }
  const { data } = body;
  if ('render_session' in data) {
    return JSON.stringify({ ...body, data: { render_session: sessionAt(publicUrl, data.render_session) } });
  }
  if (!('style_version' in data)) return stored;
  return JSON.stringify({ ...body, data: { style_version: styleVersionAt(publicUrl, data.style_version) } });
}
