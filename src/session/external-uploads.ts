import { fillTarget, SERVICE_PLACEHOLDERS } from '../delivery/fill-target.ts';
import { parseTarget, writeTarget } from '../delivery/target.ts';
import { OUTPUT_FILES } from '../template/output-files.ts';
import type { ExternalUpload, ExternalUploadRequest } from '../wire/external-upload.ts';
import type { RequestProblem } from '../wire/problem.ts';
import type { RenderSession } from '../wire/render-session.ts';
import { type Destinations, problemText } from './destinations.ts';
import type { TenantId } from './ports.ts';

/** Uploads in one request, and among a tenant's defaults. */
export const MAX_UPLOADS = 8;
/** Uploads of one session, all in all. */
export const MAX_SESSION_UPLOADS = 32;

/** What has to be known of a session to say where its video goes. */
export type UploadedSession = Pick<RenderSession, 'id' | 'title' | 'created_at' | 'output' | 'external_uploads'>;

export interface CheckedUploads {
  /** All of the session's, those from before too; only of use where there is no problem. */
  readonly uploads: ExternalUpload[];
  /** All of them, each with its pointer into the request. */
  readonly problems: RequestProblem[];
}

/**
 * The uploads of a session with those that are asked for now. One that has ended, and is asked for again, begins anew in
 * its place; each place is delivered to once at a time.
 */
export function addUploads(
  session: UploadedSession,
  asked: readonly ExternalUploadRequest[],
  tenant: TenantId,
  destinations: Destinations,
): CheckedUploads {
  const uploads = [...(session.external_uploads ?? [])];
  const seen = new Set<string>();
  const problems: RequestProblem[] = [];
  for (const [index, named] of asked.entries()) {
    const request = destinations.complete(tenant, named);
    const problem = (code: string, field: string, detail: string): void => {
      problems.push({ code, pointer: `#/external_uploads/${index}/${field}`, detail });
    };
    const form = parseTarget(request.to, SERVICE_PLACEHOLDERS);
    if (!form.ok) problem('target_invalid', 'to', problemText(form.problem));
    const upload = pendingUpload(session, request);
    const { to } = upload;
    for (const { code, field, detail } of destinations.check(tenant, upload)) {
      if (form.ok || field !== 'to') problem(code, field, detail);
    }
    const place = placeOf(to);
    const position = uploads.findIndex((one) => placeOf(one.to) === place);
    if (seen.has(place)) problem('duplicate_target', 'to', `${to} is asked for twice`);
    else if (position >= 0 && isOpen(uploads[position]!)) {
      problem('duplicate_target', 'to', `${to} is being delivered to already`);
    }
    seen.add(place);
    if (position >= 0) uploads[position] = upload;
    else uploads.push(upload);
  }
  if (uploads.length > MAX_SESSION_UPLOADS) {
    const detail = `a session has at most ${MAX_SESSION_UPLOADS} uploads, and these would be ${uploads.length}`;
    problems.push({ code: 'too_many_uploads', pointer: '#/external_uploads', detail });
  }
  return { uploads, problems };
}

/**
 * The first uploads of a session: what its request says, and then the tenant's own destinations. A request that says `[]`
 * wants none at all.
 */
export function firstUploads(
  session: UploadedSession,
  asked: readonly ExternalUploadRequest[] | undefined,
  tenant: TenantId,
  destinations: Destinations,
): CheckedUploads {
  const first = addUploads(session, asked ?? [], tenant, destinations);
  if (asked?.length === 0 || first.problems.length > 0) return first;
  const uploads = new Map(first.uploads.map((upload) => [placeOf(upload.to), upload]));
  for (const request of destinations.defaults(tenant)) {
    const upload = pendingUpload(session, request);
    const place = placeOf(upload.to);
    if (!uploads.has(place)) uploads.set(place, upload);
  }
  return { ...first, uploads: [...uploads.values()] };
}

/** The same for every spelling of one place. */
function placeOf(to: string): string {
  const parsed = parseTarget(to);
  return parsed.ok ? writeTarget(parsed.target) : to;
}

/** How many uploads of a session have not ended. */
export function openUploads({ external_uploads = [] }: Pick<RenderSession, 'external_uploads'>): number {
  return external_uploads.filter(isOpen).length;
}

/** A session with one of its uploads as it is now. */
export function withUpload(
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

/** A session that ended without a video: nothing of it will be delivered. */
export function withoutVideo(session: RenderSession): RenderSession {
  if (openUploads(session) === 0) return session;
  const error = { code: 'delivery_failed', title: 'There is no video to deliver' };
  const ended = (upload: ExternalUpload): ExternalUpload =>
    isOpen(upload) ? { ...upload, status: 'failed', error } : upload;
  return { ...session, external_uploads: (session.external_uploads ?? []).map(ended) };
}

function isOpen({ status }: ExternalUpload): boolean {
  return status === 'pending' || status === 'uploading';
}

function pendingUpload(session: UploadedSession, { to, credential }: ExternalUploadRequest): ExternalUpload {
  const filled = fillTarget(to, {
    sessionId: session.id,
    title: session.title,
    extension: OUTPUT_FILES[session.output?.format ?? 'mp4'].extension,
    createdAt: Date.parse(session.created_at),
  });
  const named = credential === undefined ? {} : { credential };
  return { to: filled, ...named, status: 'pending', remote_id: null, url: null, error: null };
}
