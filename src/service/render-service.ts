import type { Sha256 } from '../digest.ts';
import type { CreateRenderSession, RenderSession, StyleVersion } from './wire.ts';

/**
 * The port through which everything here speaks to a rendering service, embedded or remote: the three calls of the
 * interface document, and the upload of a file that has no URL.
 */
export interface RenderService {
  /** `embedded`, or the origin of its URL: part of every fingerprint. */
  readonly name: string;

  /** `GET /v2/template_style_versions/{id}/specs` */
  getStyleVersion(id: string): Promise<StyleVersion>;

  /** `POST /v2/render_sessions`. Resolves at the 201, not at the end of the rendering. */
  createRenderSession(request: CreateRenderSession, options: CreateOptions): Promise<RenderSession>;

  /** `GET /v2/render_sessions/{id}` */
  getRenderSession(id: string): Promise<RenderSession>;

  /** Makes bytes a source. The same bytes give the same URL. */
  uploadSource(upload: SourceUpload): Promise<{ remote_url: string }>;

  /** Milliseconds after which a session is worth another look. */
  readonly pollIntervalMs: number;
}

export interface CreateOptions {
  /** The same key and body never make a second session. */
  readonly idempotencyKey: string;
  /** For a service that writes into this repository: the output's path below its directory, without ending. */
  readonly outputName: string;
}

export interface SourceUpload {
  readonly sha256: Sha256;
  readonly bytes: Uint8Array;
  /** Shown in errors. */
  readonly name: string;
}

/** Whether a session will not change any more, and how it ended. Unknown statuses are in progress unless they say failure. */
export function sessionEnd(status: string): 'rendered' | 'failed' | null {
  if (status === 'preview_rendered') return 'rendered';
  return /(?:_failed|_error|_canceled|failed)$/.test(status) ? 'failed' : null;
}
