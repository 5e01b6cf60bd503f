import type { Readable } from 'node:stream';
import type { Sha256 } from '../digest.ts';
import type { TenantId } from '../session/ports.ts';
import type { StyleVersionDetails } from '../wire/style-version.ts';

/** What a token allows. */
export const SCOPES = [
  'render_session:read',
  'render_session:write',
  'template_style_version:read',
  'template_style_version:write',
  'webhook_endpoint:read',
  'webhook_endpoint:write',
] as const;

export type Scope = (typeof SCOPES)[number];

/** Who a request comes from. */
export interface Principal {
  readonly tokenId: string;
  /** Id of the token that the operator created: of this one, or of the one that it was issued for. */
  readonly clientId: string;
  /** The only session that an edit token reaches; null for every other token. */
  readonly sessionId: string | null;
  readonly tenant: TenantId;
  readonly scopes: ReadonlySet<Scope>;
}

/** A token as it is kept: its text is shown once and never stored. */
export interface TokenRecord {
  /** `tok_…`; public. */
  readonly id: string;
  readonly tenant: TenantId;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** ISO 8601. */
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  readonly lastUsedAt: string | null;
}

export interface NewToken {
  readonly tenant: TenantId;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** ISO 8601. */
  readonly expiresAt: string | null;
}

/** A short-lived token that the service issues: an access token, or an edit token of one session. */
export interface IssuedToken {
  readonly clientId: string;
  readonly scopes: readonly Scope[];
  /** ISO 8601. */
  readonly expiresAt: string;
  readonly sessionId: string | null;
}

export interface TokenStore {
  /** @returns the token's text (`rf_…`, 256 bits), which nobody can get again */
  create(token: NewToken): Promise<{ readonly text: string; readonly record: TokenRecord }>;
  /**
   * Issues a token that ends at the latest with the token `clientId`, and stops working once that is revoked.
   *
   * @returns null when that token has been revoked or has expired
   */
  issue(token: IssuedToken): Promise<{ readonly text: string; readonly expiresAt: string } | null>;
  /** Oldest first, revoked ones too; without issued tokens. */
  list(): Promise<TokenRecord[]>;
  /** @returns false when there is no such token */
  revoke(id: string): Promise<boolean>;
  /** @returns null for a token that is unknown, revoked or expired */
  authenticate(text: string): Promise<Principal | null>;
}

/** A style version as it is kept. `tenant` null: everybody's, registered by whoever runs the service. */
export interface StyleVersionRow {
  readonly tenant: TenantId | null;
  /** `stillcuts` empty: their URLs are made for each answer. */
  readonly details: StyleVersionDetails;
}

/** What of a style version changes. `stillcuts`: where those are that are drawn, for who is told of the change. */
export type StyleVersionState = Pick<StyleVersionDetails, 'status' | 'errors' | 'stillcuts'>;

export interface StyleVersionTable {
  /** Keeps it. Where the id is there for the tenant, its status and errors stay. @returns what is there then */
  put(row: StyleVersionRow): Promise<StyleVersionRow>;
  /** The tenant's own, or everybody's. */
  get(tenant: TenantId, id: string): Promise<StyleVersionRow | null>;
  /** The tenant's own and everybody's, newest first. */
  list(tenant: TenantId): Promise<StyleVersionRow[]>;
  /** Of all rows with the id. */
  setStatus(id: string, state: StyleVersionState): Promise<void>;
  /** Ids in `processing`. */
  processing(): Promise<string[]>;
}

/** Which tenant may use which uploaded bytes. */
export interface UploadTable {
  add(tenant: TenantId, digest: Sha256): Promise<void>;
  has(tenant: TenantId, digest: Sha256): Promise<boolean>;
}

/** Files by key, on a disk or elsewhere. A key has letters, digits, `.`, `_`, `-` and `/`; we make it, never a client. */
export interface ObjectStorage {
  /** Whole or not at all; the same key replaces. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  stat(key: string): Promise<{ readonly size: number } | null>;
  read(key: string): Promise<Uint8Array | null>;
  /** @param range bytes, half-open */
  stream(key: string, range?: { readonly start: number; readonly end: number }): Readable;
  /** Everything below a prefix that ends with `/`. */
  remove(prefix: string): Promise<void>;
  /** The names directly below a prefix that ends with `/`, with when they were last written (milliseconds). */
  list(prefix: string): Promise<{ readonly name: string; readonly modifiedAt: number }[]>;
}

/** How a finished file is asked for: by the unguessable name in its `video_url`, or by its session. */
export type OutputKey = { readonly outputName: string } | { readonly sessionId: string };

/** Which finished file stands at a place. */
export interface OutputIndex {
  /** Once the session is rendered, and until its retention ends. */
  findOutput(place: OutputKey): Promise<{ readonly scene: Sha256; readonly title: string } | null>;
}

/** What a farm has to do it with: everything that renders from one database. */
export interface FarmLoad {
  /** As it was a second ago or less. */
  load(): Promise<{
    /** Of all workers that live, this process too: renders that can be at work at once. */
    readonly places: number;
    /** Of them, those that have one. */
    readonly busy: number;
    /** Renders that wait for a place. */
    readonly queued: number;
  }>;
}
