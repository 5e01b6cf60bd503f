import { ReelformError } from '../kernel/diagnostic.ts';
import type { Sha256 } from '../kernel/digest.ts';
import type { SourceBytes } from '../kernel/source-file.ts';
import { hasCaptions, hasLanguage, hasMixing, plainScene, type VideoSpec } from './video-spec.ts';
import type { ServiceFeatures } from './wire/features.ts';
import type {
  ExternalUpload,
  ExternalUploadRequest,
  RenderedSegments,
  RenderSession,
  SessionRequest,
} from './wire/render-session.ts';
import type { StyleVersion } from './wire/style-version.ts';

/** The port to a rendering service, embedded or remote. */
export type RenderService = EmbeddedRenderService | RemoteRenderService;

interface ServiceCalls {
  /** `embedded` or the origin of its URL. Included in every fingerprint. */
  readonly name: string;

  /** `GET /v2/template_style_versions/{id}/specs` */
  getStyleVersion(id: string): Promise<StyleVersion>;

  /** Uploads a source. The same bytes give the same URL. @throws ReelformError `changed_since_plan` for a file that changed meanwhile */
  uploadSource(upload: SourceUpload): Promise<{ remote_url: string }>;

  /**
   * Delivers a video that was rendered earlier, overwriting previous deliveries to the same destination. Resolves when
   * all have ended, complete or failed, in the order of the request and with the placeholders of `to` filled.
   * Deliveries of a new session are part of its request. Absent if the service is known to have none.
   *
   * @throws ServiceError 422 with all problems before anything is delivered; 404 if the session no longer exists
   * @throws ReelformError `service_lacks_deliveries`
   */
  deliverVideo?(
    session: FinishedSession,
    uploads: readonly ExternalUploadRequest[],
  ): Promise<readonly ExternalUpload[]>;

  /**
   * Milliseconds that the service keeps an idempotency key, as observed or configured; null if a second request with
   * the same key may create a second session.
   */
  keyLifetimeMs(): number | null;
}

/** A service with at least the three calls of the interface document. Its sessions outlive this process. */
export interface RemoteRenderService extends ServiceCalls {
  readonly outlivesProcess: true;

  /** `GET /v2/render_sessions/{id}` */
  getRenderSession(id: string): Promise<SessionSnapshot>;

  /**
   * Returns at least the `count` newest sessions, newest first; null if the service has no list. Absent if it is known
   * to have none.
   */
  listRenderSessions?(count: number): Promise<readonly RenderSession[] | null>;

  /**
   * Sends `POST /v2/render_sessions` with exactly this body. Resolves at the 201.
   *
   * @param body the JSON of a `SessionRequest`
   * @throws SessionUnknown if a session may exist; any other error means that none does
   */
  createRenderSession(body: string, options: CreateOptions): Promise<RenderSession>;

  /**
   * Returns a digest of the access token, salted with an idempotency key. Services keep keys apart by account, so a key
   * is sent again only with the same token.
   */
  accountDigest(idempotencyKey: string): string;

  /**
   * Returns the present time by the clock of the service, for the age of idempotency keys: the clocks of the machines
   * that run Reelform may be wrong by days. Reads a style version once if no answer has shown the time yet. Null if
   * the service sends no `Date`.
   */
  serviceTime(styleVersion: string): Promise<ServiceTime | null>;

  /** `GET /v2/features`, asked once; without any feature if the service does not have it. */
  features(): Promise<ServiceFeatures>;
}

/** Bounds of the time by the clock of a service, in milliseconds since the epoch; they differ if our clock was set. */
export interface ServiceTime {
  readonly earliestMs: number;
  readonly latestMs: number;
}

/** A service in this process: needs no polling and ends with the process. */
export interface EmbeddedRenderService extends ServiceCalls {
  readonly outlivesProcess: false;

  /**
   * Renders a session and resolves when it has ended, rendered or failed.
   *
   * @throws ServiceError for a rejected request; the signal's reason: the session then continues until the service is
   * closed
   */
  render(request: SessionRequest, options: EmbeddedOptions): Promise<RenderSession>;

  /** Resolves when all deliveries of a session have ended. */
  waitForUploads(id: string): Promise<RenderSession>;
}

export interface EmbeddedOptions extends Pick<CreateOptions, 'outputName'> {
  readonly signal: AbortSignal;
  /** @param percent never decreases @param segments of a video that is rendered in segments */
  onProgress(percent: number, segments?: RenderedSegments): void;
}

/** The current state of a session, and the requested poll delay; null if none was sent. */
export interface SessionSnapshot {
  readonly session: RenderSession;
  readonly retryAfterMs: number | null;
}

/** The outcome of a request for a session is unknown. */
export class SessionUnknown extends ReelformError {
  constructor(message: string, hint: string) {
    super('session_unknown', message, { hint });
    this.name = 'SessionUnknown';
  }
}

interface CreateOptions {
  /** The same key and body never create a second session. */
  readonly idempotencyKey: string;
  /**
   * Whether this key and body were sent before with an unknown outcome: a rejection then also throws SessionUnknown,
   * because the earlier request may have succeeded. False by default.
   */
  readonly wasSentBefore?: boolean;
  /** Aborted to end the wait before a repetition of a request that created nothing. */
  readonly signal?: AbortSignal;
  /** Output path without extension below the output folder, for a service that writes into this repository. */
  readonly outputName: string;
}

/** A rendered session, as far as the lockfile records it. */
export type FinishedSession = Pick<RenderSession, 'id' | 'title' | 'video_url' | 'outputs'>;

export interface SourceUpload {
  readonly sha256: Sha256;
  /** A file may be one of the repository, which can change. */
  readonly bytes: SourceBytes;
  /** Shown in errors. */
  readonly name: string;
}

/** Creates the error of a source whose file has another content than it had in the plan. */
export function changedSincePlan(path: string): ReelformError {
  return new ReelformError('changed_since_plan', `${path} changed after the plan was made`, {
    hint: 'Run apply again',
  });
}

/**
 * Returns how a session ended, or null while it is in progress. Unknown statuses are in progress unless they mention
 * failure.
 */
export function sessionEnd(status: string): 'rendered' | 'failed' | null {
  if (status === 'preview_rendered') return 'rendered';
  return /(?:_failed|_error|_canceled|failed)$/.test(status) ? 'failed' : null;
}

/**
 * Reports whether a session is rendered, but the URL of its file or of any of these outputs is not known yet. It has not
 * ended: services may take a while to publish a file.
 */
export function lacksVideo(session: RenderSession, outputNames: readonly string[] = []): boolean {
  if (sessionEnd(session.status) !== 'rendered') return false;
  const { video_url, outputs = [] } = session;
  return video_url === null || outputs.some((output) => output.video_url === null && outputNames.includes(output.name));
}

/** Creates the error for a service that answers with another session than requested, or with other content. */
export function sessionDiffers(message: string): ReelformError {
  return new ReelformError('session_differs', message, {
    hint: 'Check whether a cache or proxy between Reelform and the service confuses its answers',
  });
}

/** Reports whether a delivery has ended, successfully or not. */
export function uploadEnded({ status }: Pick<ExternalUpload, 'status'>): boolean {
  return status === 'complete' || status === 'failed';
}

/** Reports whether all deliveries of a session have ended. */
export function uploadsEnded({ external_uploads = [] }: Pick<RenderSession, 'external_uploads'>): boolean {
  return external_uploads.every(uploadEnded);
}

/** Creates the error for a service without `outputs`, thrown before rendering if known by then. */
export function lacksOutputs(service: string): ReelformError {
  return new ReelformError('service_lacks_outputs', `The service ${service} renders one file of each video`, {
    hint: 'Replace "outputs" by "output" in the definition, or name a service that has outputs',
  });
}

/** What a service cannot do for a video. */
export interface FeatureLack {
  readonly code: 'service_lacks_captions' | 'service_lacks_languages' | 'service_lacks_scenes' | 'service_lacks_sound';
  readonly message: string;
  readonly hint: string;
}

/**
 * Returns why a service cannot render the scenes, the sound, the captions or the language of a video; null if it can.
 *
 * @param service its name
 * @param seconds length of the video; null if it is not known, and then not compared
 */
export function featureLack(
  service: string,
  { scenes: limits, sound, captions, languages }: ServiceFeatures,
  video: VideoSpec<unknown>,
  seconds: number | null,
): FeatureLack | null {
  if (sound === undefined && hasMixing(video)) {
    const message = `The service ${service} has no loudness, and no start, level or ducking of tracks`;
    const hint = 'Use "service: embedded" or a service that has them, or mix the sound before';
    return { code: 'service_lacks_sound', message, hint };
  }
  if (captions === undefined && hasCaptions(video)) {
    const message = `The service ${service} has no captions`;
    const hint =
      'Use "service: embedded" or a service that has them, or write only files of captions: burn: false, files: [vtt]';
    return { code: 'service_lacks_captions', message, hint };
  }
  if (languages === undefined && hasLanguage(video)) {
    const message = `The service ${service} does not write the language of a sound into files`;
    return { code: 'service_lacks_languages', message, hint: 'Remove lang from the output' };
  }
  if (plainScene(video) !== null) return null;
  const code = 'service_lacks_scenes';
  const { length: count } = video.scenes;
  if (limits === undefined) {
    const message = `The service ${service} renders videos of one template at its length`;
    const hint = 'Use "service: embedded" or a service that has scenes, or write a definition for each scene';
    return { code, message, hint };
  }
  const refuse = (what: string, limit: string): FeatureLack => {
    const hint = 'Write several videos, or use "service: embedded" or a service with higher limits';
    return { code, message: `The video has ${what}, but the service ${service} renders at most ${limit}`, hint };
  };
  if (count > limits.max_scenes) return refuse(`${count} scenes`, String(limits.max_scenes));
  if (seconds === null || seconds <= limits.max_seconds) return null;
  return refuse(`${Number(seconds.toFixed(3))} seconds`, `${limits.max_seconds} seconds of scenes`);
}

/** Creates the error for a service without the features of a video, thrown before anything is sent. */
export function lacksFeature({ code, message, hint }: FeatureLack): ReelformError {
  return new ReelformError(code, message, { hint });
}

/** Creates the error for a service without `external_uploads`, thrown before rendering if known by then. */
export function lacksDeliveries(service: string): ReelformError {
  return new ReelformError('service_lacks_deliveries', `The service ${service} delivers no finished videos`, {
    hint: 'Take "deliver" out of reelform.yaml and the definitions, or name a service that has external_uploads',
  });
}
