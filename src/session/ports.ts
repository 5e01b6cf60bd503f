import type { Code } from '../diagnostic.ts';
import type { SessionCode } from '../service/session-codes.ts';
import type { RenderSession, SessionError } from '../service/wire.ts';
import type { Scene } from '../template/scene.ts';
import type { TemplatePackage } from '../template/template-package.ts';

/** The templates that a service can render. */
export interface TemplateRegistry {
  find(styleVersionId: string): TemplatePackage | null;
}

/** Fetches what a `remote_url` names. */
export interface SourceReader {
  /** @throws SessionFailure `asset_unreachable`, `asset_too_large`, `asset_type_unsupported`, `asset_forbidden_host` */
  read(remoteUrl: string, signal: AbortSignal): Promise<Uint8Array>;
}

/** Turns a scene into files. */
export interface Renderer {
  /**
   * @param progress frames done, of how many; never falls
   * @throws SessionFailure, or whatever went wrong inside
   */
  render(scene: Scene, options: RenderOptions): Promise<Rendering>;
}

export interface RenderOptions {
  onProgress?(framesDone: number, frameCount: number): void;
  signal?: AbortSignal;
}

/** A finished video and its stills, in memory. */
export interface Rendering {
  /** MP4. */
  readonly video: Uint8Array;
  /** JPEG each. */
  readonly stills: readonly { readonly name: string; readonly bytes: Uint8Array }[];
}

/** Keeps finished files where clients find them. */
export interface OutputStore {
  /** @param name path below the store, without ending; the same name replaces */
  save(name: string, rendering: Rendering): Promise<{ video_url: string; thumbnails: string[] }>;
}

/** Keeps sessions. Each write replaces the whole. */
export interface SessionStore {
  put(session: RenderSession): Promise<void>;
  get(id: string): Promise<RenderSession | null>;
}

/** What may vary from run to run. */
export interface SessionEnvironment {
  /** Milliseconds since the epoch. */
  now(): number;
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
