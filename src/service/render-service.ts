import { ReelformError } from '../diagnostic.ts';
import type { Sha256 } from '../digest.ts';
import type {
  CreateRenderSession,
  ExternalUpload,
  ExternalUploadRequest,
  RenderSession,
} from '../wire/render-session.ts';
import type { StyleVersion } from '../wire/style-version.ts';

/** The port through which everything here speaks to a rendering service, embedded or remote. */
export type RenderService = EmbeddedRenderService | RemoteRenderService;

interface ServiceCalls {
  /** `embedded`, or the origin of its URL: part of every fingerprint. */
  readonly name: string;

  /** `GET /v2/template_style_versions/{id}/specs` */
  getStyleVersion(id: string): Promise<StyleVersion>;

  /** `GET /v2/render_sessions/{id}` */
  getRenderSession(id: string): Promise<SessionSnapshot>;

  /**
   * The newest sessions, newest first, at least so many where there are so many; null: the service does not list any.
   * A service that certainly cannot lacks the call.
   */
  listRenderSessions?(count: number): Promise<readonly RenderSession[] | null>;

  /** Makes bytes a source. The same bytes give the same URL. */
  uploadSource(upload: SourceUpload): Promise<{ remote_url: string }>;

  /**
   * Delivers a video that was finished before, this run or long ago. What was delivered to the same place before is
   * written anew. Resolves when all of them have ended, complete or failed: in the order in which they were asked for,
   * `to` with its placeholders filled. Uploads that come with a new session need no call: @see uploadsEnded. A service
   * that certainly cannot lacks the call.
   *
   * @throws ServiceError 422 with all that is wrong with the uploads, before anything is delivered; 404 when the service
   * has no such session any more
   * @throws ReelformError `service_lacks_deliveries`
   */
  deliverVideo?(video: FinishedVideo, uploads: readonly ExternalUploadRequest[]): Promise<readonly ExternalUpload[]>;

  /**
   * For how long the service keeps an idempotency key, as far as it has shown or somebody has said that it does; null: a
   * second request with the same key may make a second session.
   */
  keyLifetimeMs(): number | null;
}

/** A service of the three calls of the interface document. Its sessions are found again after this process has ended. */
export interface RemoteRenderService extends ServiceCalls {
  readonly outlivesProcess: true;

  /**
   * `POST /v2/render_sessions` with exactly this body. Resolves at the 201, not at the end of the rendering.
   *
   * @param body the JSON of a `CreateRenderSession`
   * @throws SessionUnknown when there may be a session that nobody here knows of; whatever else it throws says that there
   *   is none
   */
  createRenderSession(body: string, options: CreateOptions): Promise<RenderSession>;
}

/** A service in this process. Nothing of it has to be polled, and nothing outlives the process. */
export interface EmbeddedRenderService extends ServiceCalls {
  readonly outlivesProcess: false;

  /**
   * Renders a session and resolves when it has ended, rendered or failed.
   *
   * @throws ServiceError for a request that it refuses; the signal's reason: then the session goes on until the service
   *   is closed
   */
  render(request: CreateRenderSession, options: EmbeddedOptions): Promise<RenderSession>;

  /** Resolves when no upload of a session will change any more. */
  waitForUploads(id: string): Promise<RenderSession>;
}

export interface EmbeddedOptions extends Pick<CreateOptions, 'outputName'> {
  readonly signal: AbortSignal;
  /** @param percent never less than before */
  onProgress(percent: number): void;
}

/** A session as it is now, and when the service wants to be asked again; null: it said nothing. */
export interface SessionSnapshot {
  readonly session: RenderSession;
  readonly retryAfterMs: number | null;
}

/** A request for a session was sent, and nothing tells what became of it. */
export class SessionUnknown extends ReelformError {
  constructor(message: string, hint: string) {
    super('session_unknown', message, { hint });
    this.name = 'SessionUnknown';
  }
}

export interface CreateOptions {
  /** The same key and body never make a second session. */
  readonly idempotencyKey: string;
  /**
   * Whether this key and body were sent before, and nothing tells what came of it: then a refusal of this request is no
   * proof that there is no session, and it throws SessionUnknown for that as well. False when absent.
   */
  readonly wasSentBefore?: boolean;
  /** For a service that writes into this repository: the output's path below its directory, without ending. */
  readonly outputName: string;
}

/** A video that a session was rendered to, as the lockfile has it. */
export interface FinishedVideo {
  /** Id of the session. */
  readonly session: string;
  /** As the service gave it. */
  readonly video_url: string;
  readonly title: string;
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

/** Whether no upload of a session will change any more by itself; true of one that has none. */
export function uploadsEnded({ external_uploads = [] }: Pick<RenderSession, 'external_uploads'>): boolean {
  return external_uploads.every(({ status }) => status === 'complete' || status === 'failed');
}
