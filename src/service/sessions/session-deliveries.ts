import { type Credential, permissionProblem } from '../../contract/destinations/credential.ts';
import { DeliveryFailure, type Destination } from '../../contract/destinations/destination.ts';
import {
  type DeliveryProblem,
  destinationKind,
  fillDestination,
  formatDestination,
  parseDestination,
  SERVICE_PLACEHOLDERS,
} from '../../contract/destinations/destination-address.ts';
import { uploadEnded } from '../../contract/render-service.ts';
import { OUTPUT_FILE_TYPES } from '../../contract/wire/output.ts';
import type { RequestProblem } from '../../contract/wire/problem.ts';
import type { ExternalUpload, ExternalUploadRequest, RenderSession } from '../../contract/wire/render-session.ts';
import { defined } from '../../kernel/defined.ts';
import { suggestion } from '../../kernel/hints.ts';
import { openDestination } from '../delivery/open-destination.ts';
import type { TenantId } from './ports.ts';

/** Maximum deliveries in one request and among a tenant's defaults. */
export const MAX_UPLOADS = 8;
/** Maximum deliveries of one session. */
const MAX_SESSION_UPLOADS = 32;

/** The fields of a session that determine its destinations. */
type UploadedSession = Pick<RenderSession, 'id' | 'title' | 'created_at' | 'output' | 'outputs' | 'external_uploads'>;

interface CheckedDeliveries {
  /** All deliveries of the session, including earlier ones; valid only if there are no problems. */
  readonly uploads: ExternalUpload[];
  /** All problems, with pointers into the request. */
  readonly problems: RequestProblem[];
}

/**
 * Adds requested deliveries to those of a session. A repeated request restarts a delivery that has ended; each
 * destination has one running delivery at most.
 */
export function addDeliveries(
  session: UploadedSession,
  asked: readonly ExternalUploadRequest[],
  tenant: TenantId,
  destinations: Destinations,
): CheckedDeliveries {
  const uploads = [...(session.external_uploads ?? [])];
  const seen = new Set<string>();
  const problems: RequestProblem[] = [];
  for (const [index, named] of asked.entries()) {
    const request = destinations.complete(tenant, named);
    const upload = pendingUpload(session, request);
    const { to } = upload;
    const destination = normalizedDestination(to);
    const position = uploads.findIndex((present) => normalizedDestination(present.to) === destination);
    const isRunning = position >= 0 && !uploadEnded(uploads[position]!);
    const found = [
      ...outputProblems(session, request),
      ...addressProblems(request, destinations.check(tenant, upload)),
      ...duplicateProblems(to, seen.has(destination), isRunning),
    ];
    for (const { code, field, detail } of found) {
      problems.push({ code, pointer: `#/external_uploads/${index}/${field}`, detail });
    }
    seen.add(destination);
    if (position >= 0) uploads[position] = upload;
    else uploads.push(upload);
  }
  if (uploads.length > MAX_SESSION_UPLOADS) {
    const detail = `a session can have at most ${MAX_SESSION_UPLOADS} destinations, not ${uploads.length}`;
    problems.push({ code: 'too_many_uploads', pointer: '#/external_uploads', detail });
  }
  return { uploads, problems };
}

function outputProblems({ outputs = [] }: UploadedSession, { output }: ExternalUploadRequest): UploadProblem[] {
  const names = outputs.map(({ name }) => name);
  if (output === undefined || names.includes(output)) return [];
  const known = names.length === 0 ? 'it has none with a name' : `it has ${names.join(', ')}`;
  const detail = `the session has no output ${JSON.stringify(output)}; ${known}`;
  return [{ code: 'target_invalid', field: 'output', detail }];
}

/** @param checked problems of the filled address; those of its `to` are dropped if the address is malformed */
function addressProblems({ to }: ExternalUploadRequest, checked: readonly UploadProblem[]): readonly UploadProblem[] {
  const form = parseDestination(to, SERVICE_PLACEHOLDERS);
  if (form.ok) return checked;
  const malformed = { code: 'target_invalid', field: 'to', detail: problemText(form.problem) } as const;
  return [malformed, ...checked.filter(({ field }) => field !== 'to')];
}

function duplicateProblems(to: string, isRepeated: boolean, isRunning: boolean): UploadProblem[] {
  if (!isRepeated && !isRunning) return [];
  const detail = isRepeated ? `${to} is requested twice` : `a delivery to ${to} is already running`;
  return [{ code: 'duplicate_target', field: 'to', detail }];
}

/**
 * Returns the deliveries of a new session: those of the request, then the tenant's defaults. An empty list in the
 * request means no deliveries.
 */
export function initialDeliveries(
  session: UploadedSession,
  asked: readonly ExternalUploadRequest[] | undefined,
  tenant: TenantId,
  destinations: Destinations,
): CheckedDeliveries {
  const first = addDeliveries(session, asked ?? [], tenant, destinations);
  if (asked?.length === 0 || first.problems.length > 0) return first;
  const uploads = new Map(first.uploads.map((upload) => [normalizedDestination(upload.to), upload]));
  for (const request of destinations.defaults(tenant)) {
    const upload = pendingUpload(session, request);
    const destination = normalizedDestination(upload.to);
    if (!uploads.has(destination)) uploads.set(destination, upload);
  }
  return { ...first, uploads: [...uploads.values()] };
}

/** Normalises a `to`, so that equivalent spellings compare equal. */
function normalizedDestination(to: string): string {
  const parsed = parseDestination(to);
  return parsed.ok ? formatDestination(parsed.target) : to;
}

export function countPendingDeliveries({ external_uploads = [] }: Pick<RenderSession, 'external_uploads'>): number {
  return external_uploads.filter((upload) => !uploadEnded(upload)).length;
}

/** Returns the session with one delivery changed. */
export function withDelivery(
  session: RenderSession,
  position: number,
  change: Partial<ExternalUpload>,
  nowMs: number,
): RenderSession {
  const uploads = (session.external_uploads ?? []).map((upload, index) =>
    index === position ? { ...upload, ...change } : upload,
  );
  return { ...session, external_uploads: uploads, updated_at: new Date(nowMs).toISOString() };
}

/** Fails the pending deliveries of a session that ended without a video. */
export function withoutVideo(session: RenderSession): RenderSession {
  if (countPendingDeliveries(session) === 0) return session;
  const error = { code: 'delivery_failed', title: 'The session has no video to deliver' };
  const ended = (upload: ExternalUpload): ExternalUpload =>
    uploadEnded(upload) ? upload : { ...upload, status: 'failed', error };
  return { ...session, external_uploads: (session.external_uploads ?? []).map(ended) };
}

function pendingUpload(session: UploadedSession, { to, credential, output }: ExternalUploadRequest): ExternalUpload {
  const delivered = session.outputs?.find(({ name }) => name === output) ?? session.output;
  const filled = fillDestination(to, {
    sessionId: session.id,
    title: session.title,
    extension: OUTPUT_FILE_TYPES[delivered?.format ?? 'mp4'].extension,
    createdAt: Date.parse(session.created_at),
  });
  const named = { ...defined({ credential, output }) };
  return { to: filled, ...named, status: 'pending', remote_id: null, url: null, error: null };
}

interface UploadProblem {
  readonly code:
    | 'target_invalid'
    | 'target_forbidden'
    | 'unknown_credential'
    | 'missing_credential'
    | 'duplicate_target';
  readonly field: 'to' | 'credential' | 'output';
  readonly detail: string;
}

/** The destinations that tenants may use, with their credentials. */
export type Destinations = ReturnType<typeof createDestinations>;

export interface DestinationsOptions {
  readonly credentials: ReadonlyMap<string, Credential>;
  /** Keyed by tenant; `*` applies to all. */
  readonly defaults?: ReadonlyMap<string, readonly ExternalUploadRequest[]>;
  /**
   * Whether requests are untrusted, so that each needs a credential. Otherwise a request without a credential has the
   * user's own permissions.
   */
  readonly isServer: boolean;
  /** Environment variables that credentials refer to. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Base of relative paths without a credential; absolute. */
  readonly directory: string;
}

export function createDestinations(options: DestinationsOptions) {
  const { credentials, defaults = new Map(), env, directory } = options;
  const check = (tenant: TenantId, upload: ExternalUploadRequest): UploadProblem[] =>
    checkUpload(upload, [...credentials.values()].filter(isFor(tenant)), options);
  return {
    /** Adds the tenant's default credential for the destination's kind if the request names none. */
    complete(tenant: TenantId, upload: ExternalUploadRequest): ExternalUploadRequest {
      const credential = upload.credential === undefined ? defaultCredential(tenant, upload.to, credentials) : null;
      return credential === null ? upload : { ...upload, credential: credential.name };
    },
    /** Checks a delivery whose placeholders are filled. */
    check,
    defaults: (tenant: TenantId): readonly ExternalUploadRequest[] => [
      ...(defaults.get(tenant) ?? []),
      ...(defaults.get('*') ?? []),
    ],
    /** @throws DeliveryFailure if writing is no longer allowed or a secret is missing */
    async open(tenant: TenantId, upload: ExternalUploadRequest): Promise<Destination> {
      const [problem] = check(tenant, upload);
      const parsed = parseDestination(upload.to);
      if (problem !== undefined || !parsed.ok) {
        throw new DeliveryFailure(problem?.detail ?? 'The destination is not valid', { isRetryable: false });
      }
      const credential = upload.credential === undefined ? null : (credentials.get(upload.credential) ?? null);
      return openDestination(parsed.target, credential, { env, directory });
    },
  };
}

/** Reports whether a tenant may use a credential; other credentials behave as not found. */
function isFor(tenant: string): (credential: Credential) => boolean {
  return ({ tenants }) => tenants === null || tenants.includes(tenant);
}

/** Prefers a tenant's own default credential to a default for all tenants. */
function defaultCredential(
  tenant: TenantId,
  to: string,
  credentials: DestinationsOptions['credentials'],
): Credential | null {
  const kind = destinationKind(to);
  const usable = [...credentials.values()].filter(
    (credential) => credential.isDefault && credential.kind === kind && isFor(tenant)(credential),
  );
  return usable.find(({ tenants }) => tenants !== null) ?? usable[0] ?? null;
}

function checkUpload(
  { to, credential: name }: ExternalUploadRequest,
  credentials: readonly Credential[],
  { isServer }: Pick<DestinationsOptions, 'isServer'>,
): UploadProblem[] {
  const parsed = parseDestination(to);
  const problems: UploadProblem[] = parsed.ok
    ? []
    : [{ code: 'target_invalid', field: 'to', detail: problemText(parsed.problem) }];
  if (name === undefined) {
    if (isServer)
      problems.push({ code: 'missing_credential', field: 'credential', detail: missingCredential(credentials) });
    return problems;
  }
  const credential = credentials.find((candidate) => candidate.name === name);
  if (credential === undefined) {
    const names = credentials.map((candidate) => candidate.name);
    const detail = `there is no credential ${JSON.stringify(name)}${suggestion(name, names)}`;
    return [...problems, { code: 'unknown_credential', field: 'credential', detail }];
  }
  const problem = parsed.ok ? permissionProblem(parsed.target, credential) : null;
  if (problem !== null) problems.push({ code: 'target_forbidden', field: 'to', detail: problemText(problem) });
  return problems;
}

function missingCredential(credentials: readonly Credential[]): string {
  if (credentials.length === 0) return 'a credential is missing, and the service has none for this tenant';
  return `a credential is missing: one of ${credentials.map(({ name }) => name).join(', ')}`;
}

/** Formats a problem as part of a sentence. */
function problemText({ message, hint }: DeliveryProblem): string {
  return [message, ...(hint === undefined ? [] : [hint])]
    .map((text) => `${text.charAt(0).toLowerCase()}${text.slice(1)}`)
    .join('; ');
}
