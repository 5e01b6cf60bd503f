import type { RenderSession } from '../../wire/render-session.ts';
import type { OutputFiles } from './app-ports.ts';

/**
 * A session as a client is told of it: with a `download_url` that works for at least the given time. The URL stays the
 * same for a while, so that a session that does not change keeps its ETag; it does not tell the permanent one.
 *
 * @param options.lifetimeMs how long the URL has to work
 */
export function toldSession(
  session: RenderSession,
  outputs: Pick<OutputFiles, 'signDownload'>,
  options: { readonly nowMs: number; readonly lifetimeMs: number },
): RenderSession {
  const place = /^(.*)\/outputs\/[\w-]+\/([\w.-]+)$/.exec(session.video_url ?? '');
  if (place === null) return { ...session, download_url: null };
  const [, base = '', file = ''] = place;
  const expiresAt = Math.ceil((options.nowMs + options.lifetimeMs) / options.lifetimeMs) * options.lifetimeMs;
  const seconds = Math.floor(expiresAt / 1000);
  const signature = outputs.signDownload(session.id, seconds * 1000);
  return {
    ...session,
    download_url: `${base}/downloads/${session.id}/${file}?expires=${seconds}&signature=${signature}`,
  };
}
