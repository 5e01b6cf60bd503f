import type { Code } from '../diagnostic.ts';
import type { Sha256 } from '../digest.ts';
import type { AnyScene } from '../engine/packed-scene.ts';
import type { SceneFinding } from '../engine/scene-media.ts';
import type { SessionCode } from '../service/service-error.ts';
import type { OutputFormat } from '../wire/output.ts';
import type { RenderSession, SessionError, SessionStatus } from '../wire/render-session.ts';
import type { BoundScene, SessionTemplate } from './bind-scene.ts';

declare const brand: unique symbol;

/** Who owns sessions, sources and uploaded templates: what is another tenant's is not there. */
export type TenantId = string & { readonly [brand]: 'TenantId' };

/** The templates that a service can render. */
export interface TemplateRegistry {
  /**
   * @returns null for a style version that the tenant does not have
   * @throws ServiceError 409 `style_version_processing` while it is being looked at, 422 `style_version_failed` when it
   * cannot be used
   */
  find(tenant: TenantId, styleVersionId: string): Promise<SessionTemplate | null>;
}

/** What a source is for: `video` takes images and clips, `audio` sounds and the sound of clips. */
export type SourceKind = 'image' | 'video' | 'audio';

/** A file that is safe to decode: its type and size were read from its bytes. */
export interface SourceFile {
  readonly bytes: Uint8Array;
  readonly sha256: Sha256;
  /** MIME type. */
  readonly contentType: string;
  /** Pixels; sounds have none. */
  readonly width?: number;
  readonly height?: number;
}

export interface SourceRequest {
  readonly remoteUrl: string;
  readonly kind: SourceKind;
}

/** Fetches what a `remote_url` names. */
export interface SourceReader {
  /**
   * @throws SessionFailure `asset_unreachable`, `asset_forbidden_host`, `asset_too_large`, `asset_type_unsupported`,
   * `asset_decode_failed`
   */
  read(tenant: TenantId, wanted: SourceRequest, signal: AbortSignal): Promise<SourceFile>;
}

/** Turns a scene into files. */
export interface Renderer {
  /**
   * @throws SceneError, ReelformError: see `renderScene`
   * @throws the signal's reason, promptly, when it is aborted
   */
  render(scene: AnyScene, options?: RenderOptions): Promise<RenderedVideo>;
}

export interface RenderOptions {
  /** Frames done, of how many; never falls. */
  onProgress?(framesDone: number, frameCount: number): void;
  signal?: AbortSignal;
  /** The tenant whose scene it is: no process renders for two of them. */
  owner?: string;
}

/** A session that is to be rendered. */
export interface SplitWork {
  readonly stored: StoredSession;
  readonly scene: BoundScene;
  /** When it was queued and taken up; milliseconds since the epoch. */
  readonly queuedAtMs: number;
  readonly begunAtMs: number;
}

/** Has long videos rendered in parts, by whoever has a place. */
export interface SplitRenders {
  /**
   * @returns whether others bring the session to its end, so that this attempt must not write of it any more; false when
   * it is to be rendered in one piece, here
   */
  take(work: SplitWork): Promise<boolean>;
}

/** A finished video and its stills, in memory. */
export interface RenderedVideo {
  /** The file that was asked for. */
  readonly format: OutputFormat;
  readonly video: Uint8Array;
  /** JPEG each. */
  readonly stills: readonly { readonly name: string; readonly bytes: Uint8Array }[];
  /** What a viewer would notice of it. */
  readonly findings?: readonly SceneFinding[];
}

/** Where clients find finished files. */
export interface StoredOutput {
  readonly video_url: string;
  readonly thumbnails: string[];
  /** Size of the video file. */
  readonly bytes: number;
  /** Digest of the video file. */
  readonly sha256: Sha256;
  /** Of the rendering. */
  readonly findings?: readonly SceneFinding[];
}

/** Keeps finished files where clients find them. */
export interface OutputStore {
  /** The stored rendering of a `renderingDigest`, under a further name; null when it has to be rendered. */
  find(scene: Sha256, name: string): Promise<StoredOutput | null>;
  /** @param name path below the store, without ending; the same name replaces */
  save(scene: Sha256, name: string, rendering: RenderedVideo): Promise<StoredOutput>;
}

/** A session as it is kept. */
export interface StoredSession {
  readonly tenant: TenantId;
  /** As told to clients, without `download_url`, which is made anew for each answer. */
  readonly session: RenderSession;
  /** Under which its output is found: unguessable where others could ask for it. */
  readonly outputName: string;
  /**
   * How often a worker has taken it up. Each writes under its own number, so that one that was thought dead cannot write
   * over the next.
   */
  readonly attempt: number;
  /** The `renderingDigest` of its scene, once it is known. */
  readonly scene: Sha256 | null;
}

/** A client's word that the same key and request are the same wish. @see draft-ietf-httpapi-idempotency-key-header */
export interface IdempotencyClaim {
  readonly key: string;
  /** Over method, path and body. */
  readonly request: Sha256;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

export type Claimed<T> =
  | { readonly kind: 'done'; readonly value: T }
  /** The same request was answered before, with this. */
  | { readonly kind: 'replayed'; readonly value: T }
  /** The key came with another request before. */
  | { readonly kind: 'reused' }
  /** The first request with the key is still at work. */
  | { readonly kind: 'busy' };

export interface SessionQuery {
  /** 1..100. */
  readonly limit: number;
  /** The `nextCursor` of the page before. */
  readonly cursor: string | null;
  readonly status: SessionStatus | null;
  readonly styleVersionId: string | null;
}

/** Keeps sessions, and queues those that are to be rendered. */
export interface SessionStore {
  /** Keeps a new session, remembers the claim and, unless it is a draft, queues it: all of that or nothing. */
  create(stored: StoredSession, claim: IdempotencyClaim | null): Promise<Claimed<RenderSession>>;

  get(tenant: TenantId, id: string): Promise<StoredSession | null>;

  /** Newest first. @throws ServiceError 400 for a cursor that it did not give */
  list(tenant: TenantId, query: SessionQuery): Promise<{ sessions: StoredSession[]; nextCursor: string | null }>;

  /**
   * Replaces a session by what `change` makes of it as it is now; what it throws leaves the session alone. Queues it when
   * it becomes `preview_rendering`.
   *
   * @returns null when the tenant has no such session
   */
  change(
    tenant: TenantId,
    id: string,
    claim: IdempotencyClaim | null,
    change: (session: RenderSession) => RenderSession,
  ): Promise<Claimed<RenderSession> | null>;

  /** @returns whether the tenant had it */
  remove(tenant: TenantId, id: string): Promise<boolean>;

  /** A worker takes a session up: raises its attempt. Null when it is gone or has ended. */
  begin(id: string): Promise<StoredSession | null>;

  /**
   * Writes what an attempt came to.
   *
   * @returns false, and writes nothing, when the session is gone, has ended, or another attempt has begun
   */
  record(id: string, attempt: number, session: RenderSession, scene?: Sha256): Promise<boolean>;
}

/** What may vary from run to run. */
export interface SessionEnvironment {
  /** Milliseconds since the epoch. May be set back or forward: for dates, never for durations. */
  now(): number;
  /** Milliseconds since some moment, by a clock that nobody sets: for durations within this process. */
  monotonicNow(): number;
  /** 24 or more unguessable characters. */
  randomId(): string;
}

/** An error of a session before it is dated. */
export type SessionProblem = Omit<SessionError, 'occurred_at' | 'code'> & { readonly code: SessionCode | Code };

/** Ends a session with an error that its owner can read. */
export class SessionFailure extends Error {
  readonly error: SessionProblem;

  constructor(error: Pick<SessionProblem, 'code' | 'title'> & Partial<SessionProblem>, cause?: unknown) {
    super(error.detail ?? error.title, cause === undefined ? undefined : { cause });
    this.name = 'SessionFailure';
    this.error = { severity: 'error', retryable: false, ...error };
  }
}
