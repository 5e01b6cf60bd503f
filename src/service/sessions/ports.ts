import type { DeliveredFile } from '../../contract/destinations/destination.ts';
import type { SessionCode } from '../../contract/service-error.ts';
import type { SoundMeasures } from '../../contract/wire/loudness.ts';
import type {
  RenderedSegments,
  RenderSession,
  SessionError,
  SessionStatus,
} from '../../contract/wire/render-session.ts';
import type { RenderFinding } from '../../engine/input-media.ts';
import type { AnyRenderInput } from '../../engine/packed-input.ts';
import type { RenderedFile } from '../../engine/rendered-file.ts';
import type { Code } from '../../kernel/diagnostic.ts';
import { type Sha256, sha256 } from '../../kernel/digest.ts';
import type { SourceBytes } from '../../kernel/source-file.ts';
import type { InputFile } from '../../template/render-input.ts';
import type { BoundInput, SessionTemplate } from './bind-template.ts';

declare const brand: unique symbol;

/** Owner of sessions, sources and uploaded templates. Another tenant's resources behave as not found. */
export type TenantId = string & { readonly [brand]: 'TenantId' };

/** The templates of a service. */
export interface TemplateRegistry {
  /**
   * @returns null if the tenant has no such style version
   * @throws ServiceError 409 `style_version_processing` while it is being processed, 422 `style_version_failed` if it
   * is unusable
   */
  find(tenant: TenantId, styleVersionId: string): Promise<SessionTemplate | null>;
}

/** Purpose of a source: `video` accepts images and clips, `audio` sounds and clips with sound, `captions` WebVTT. */
export type SourceKind = 'image' | 'video' | 'audio' | 'captions';

/** A file that is safe to decode. Its type and size were read from its bytes. */
export interface FetchedSource {
  /** Images and captions are in memory; clips and sounds may be files. */
  readonly bytes: SourceBytes;
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

/** Fetches a `remote_url`. */
export interface SourceReader {
  /**
   * @throws SessionFailure `asset_unreachable`, `asset_forbidden_host`, `asset_too_large`, `asset_type_unsupported`,
   * `asset_decode_failed`
   */
  read(tenant: TenantId, wanted: SourceRequest, signal: AbortSignal): Promise<FetchedSource>;
}

/** Turns an input into files. */
export interface Renderer {
  /**
   * Returns the main file, then the further ones in the order of the request.
   *
   * @throws RenderError, ReelformError: see `renderFile`
   * @throws the signal's reason, promptly, when it is aborted
   */
  render(renderInput: AnyRenderInput, options?: RenderOptions): Promise<readonly RenderedFile[]>;
}

export interface RenderOptions {
  /** Finished frames, of how many, which never decrease; finished segments if the video has any. */
  onProgress?(framesDone: number, frameCount: number, segments?: RenderedSegments): void;
  /** Called when a segment is stored in the cache, so that a later attempt does not render it again. */
  onStored?(): void;
  signal?: AbortSignal;
  /** Tenant that owns the input: a process renders for one tenant only. */
  owner?: string;
  /** Further files of the same input. Files with equal `drawingKey` are made from the same drawn frames. */
  others?: readonly NamedFile[];
}

/** A further file of a video. */
export interface NamedFile extends InputFile {
  readonly name: string;
}

/** A session to render in chunks. */
export interface SplitWork {
  readonly stored: StoredSession;
  readonly renderInput: BoundInput;
  readonly others: readonly NamedFile[];
  /** Times when it was queued and when the attempt began, in milliseconds since the epoch. */
  readonly queuedAtMs: number;
  readonly begunAtMs: number;
}

/** A finished file in a storage. */
export interface StoredFile {
  /** URL, or path below the URL of the service. */
  readonly video_url: string;
  /** URLs or paths of the stills. Only the main file of a video has any. */
  readonly thumbnails: string[];
  readonly bytes: number;
  readonly sha256: Sha256;
  /** As of a `RenderedFile`. */
  readonly loudness?: SoundMeasures;
  /** Visible defects of the video, at its main file. */
  readonly findings?: readonly RenderFinding[];
}

/** Returns the file name of a still. A name with a slash, as of a scene of a row, or a long name gets part of its digest. */
export function stillFile(name: string): string {
  if (/^[\w-][\w.-]{0,99}$/.test(name)) return `${name}.jpg`;
  return `${name.replaceAll(/[^\w.-]/g, '-').slice(0, 100)}.${sha256(name).slice(0, 8)}.jpg`;
}

/** Returns the findings of a render: those of the main file, and the loudness that further files miss. */
export function joinFindings(
  [main, ...further]: readonly RenderedFile[],
  furtherNames: readonly string[],
): readonly RenderFinding[] {
  const missed = further.flatMap(({ findings }, at) =>
    findings.flatMap((finding) =>
      finding.code === 'loudness_missed' ? [{ ...finding, output: furtherNames[at]! }] : [],
    ),
  );
  return [...main!.findings, ...missed];
}

/** Stores finished files where clients can download them. A video's main file is the first of its files. */
export interface OutputStore {
  /** Returns the stored files of a `renderingDigest` under another name; null if they have to be rendered. */
  find(digest: Sha256, name: string): Promise<readonly StoredFile[] | null>;
  /**
   * @param name path below the store without extension; overwrites an existing file
   * @param furtherNames names of the further files, if any
   */
  save(
    digest: Sha256,
    name: string,
    files: readonly RenderedFile[],
    furtherNames?: readonly string[],
  ): Promise<readonly StoredFile[]>;
  /**
   * Opens a file for deliveries; null if it no longer exists.
   *
   * @param video digest of its input, null if unknown, and the URL or path that its session records
   * @throws DeliveryFailure `lfs_pointer` for a Git LFS pointer in place of the file
   */
  openVideo(video: { readonly inputDigest: Sha256 | null; readonly video_url: string }): Promise<DeliveredFile | null>;
}

/** A session as stored. */
export interface StoredSession {
  readonly tenant: TenantId;
  /**
   * As returned to clients, but without `download_url`, which is created for each answer. A server stores paths of its files
   * and creates their URLs for each answer, because its address may change.
   */
  readonly session: RenderSession;
  /** Name of its output; unguessable on a server. */
  readonly outputName: string;
  /**
   * Number of the latest attempt. Writes are fenced by it, so that a worker presumed dead cannot overwrite its
   * successor.
   */
  readonly attempt: number;
  /** The `renderingDigest` of its input; null until known. */
  readonly inputDigest: Sha256 | null;
  /** Length of its video. */
  readonly videoSeconds: number;
}

/** An Idempotency-Key and the request that it was sent with. @see draft-ietf-httpapi-idempotency-key-header */
export interface IdempotencyClaim {
  readonly key: string;
  /** Digest of method, path and body. */
  readonly request: Sha256;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** A result, and whether it is the stored result of an earlier request with the same Idempotency-Key. */
export interface Claimed<T> {
  readonly value: T;
  readonly isReplay: boolean;
}

export interface SessionQuery {
  /** 1..100. */
  readonly limit: number;
  /** `nextCursor` of the previous page. */
  readonly cursor: string | null;
  readonly status: SessionStatus | null;
  readonly styleVersionId: string | null;
  /** Limits of `created_at`, half-open, ISO 8601. */
  readonly createdSince: string | null;
  readonly createdBefore: string | null;
  /** Sessions whose `metadata` contains these entries. */
  readonly metadata: Readonly<Record<string, string>>;
}

/**
 * Stores sessions and queues renders. Calls with a claim throw ServiceError 422 `idempotency_key_reused` if the key was
 * used for a different request, and 409 `idempotency_in_progress` while the first request with it is running.
 */
export interface SessionStore {
  /** Stores a new session with its claim and queues it unless it is a draft, in one transaction. */
  create(stored: StoredSession, claim: IdempotencyClaim | null): Promise<Claimed<RenderSession>>;

  get(tenant: TenantId, id: string): Promise<StoredSession | null>;

  /** Lists sessions, newest first. @throws ServiceError 400 for an invalid cursor */
  list(tenant: TenantId, query: SessionQuery): Promise<{ sessions: StoredSession[]; nextCursor: string | null }>;

  /**
   * Replaces a session by the result of `change`. If `change` throws, nothing is written. Queues the session when it
   * becomes `preview_rendering`.
   *
   * @returns null if the tenant has no such session
   */
  change(
    tenant: TenantId,
    id: string,
    claim: IdempotencyClaim | null,
    change: (session: RenderSession) => RenderSession,
  ): Promise<Claimed<RenderSession> | null>;

  /** @returns whether the session existed */
  remove(tenant: TenantId, id: string): Promise<boolean>;

  /** Starts an attempt and increments its number. Null if the session is gone or has ended. */
  begin(id: string): Promise<StoredSession | null>;

  /**
   * Writes the state of an attempt.
   *
   * @returns false, without writing, if the session is gone, has ended or has a newer attempt
   */
  record(id: string, attempt: number, session: RenderSession, inputDigest?: Sha256): Promise<boolean>;
}

/** Nondeterministic inputs. */
export interface SessionEnvironment {
  /** Wall clock in milliseconds since the epoch. It may jump: use it for dates, never for durations. */
  now(): number;
  /** Monotonic clock in milliseconds, for durations within this process. */
  monotonicNow(): number;
  /** 24 or more unguessable characters. */
  randomId(): string;
}

/** An error of a session without its time. */
export type SessionProblem = Omit<SessionError, 'occurred_at' | 'code'> & { readonly code: SessionCode | Code };

/** The required fields of a problem; by default it is an error that a retry does not solve. */
type ProblemInput = Pick<SessionProblem, 'code' | 'title'> & Partial<SessionProblem>;

export function sessionProblem(problem: ProblemInput): SessionProblem {
  return { severity: 'error', retryable: false, ...problem };
}

/** Fails a session with an error for its owner. */
export class SessionFailure extends Error {
  readonly error: SessionProblem;

  constructor(error: ProblemInput, cause?: unknown) {
    super(error.detail ?? error.title, cause === undefined ? undefined : { cause });
    this.name = 'SessionFailure';
    this.error = sessionProblem(error);
  }
}
