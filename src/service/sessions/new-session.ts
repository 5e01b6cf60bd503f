import { serviceError } from '../../contract/service-error.ts';
import type { RequestProblem } from '../../contract/wire/problem.ts';
import type { CreateRenderSession, RenderSession } from '../../contract/wire/render-session.ts';
import { checkMapping, type MappingProblem } from '../../template/bind/check-mapping.ts';
import { checkOutput, checkOutputs } from '../../template/bind/resolve-output.ts';
import { videoMeasures } from '../../template/video-measures.ts';
import type { SessionTemplate } from './bind-template.ts';
import type { TenantId } from './ports.ts';
import { createdSession, DAY_MS, sortProblems, withPlainColors } from './render-session.ts';
import { type Destinations, initialDeliveries } from './session-deliveries.ts';

interface NewSessionOptions {
  readonly tenant: TenantId;
  readonly template: SessionTemplate;
  readonly ids: { readonly session: string; readonly mapping: string };
  readonly nowMs: number;
  readonly destinations: Destinations;
  /** Milliseconds that an ended session is kept at most; null for no limit. */
  readonly retentionMs: number | null;
}

/** The session of a request, valid only if there are no problems. */
interface NewSession {
  readonly session: RenderSession;
  readonly problems: RequestProblem[];
  /** Editables that a draft leaves unfilled. */
  readonly missing: MappingProblem[];
}

/** Builds the session of a request and collects all problems and, for a draft, the unfilled editables. */
export function newSession(
  request: CreateRenderSession,
  { tenant, template, ids, nowMs, destinations, retentionMs }: NewSessionOptions,
): NewSession {
  const isDraft = request.render === undefined;
  const { spec } = template;
  const ofMapping = checkMapping(request.mapping, spec);
  const { mistakes, missing } = isDraft ? sortProblems(ofMapping) : { mistakes: ofMapping, missing: [] };
  const wrong = [...mistakes, ...outputProblems(request, template), ...retentionProblems(request, retentionMs)];
  // Colours of an invalid mapping cannot be normalised.
  const resources = wrong.length === 0 ? withPlainColors(request.mapping.resources, spec) : request.mapping.resources;
  const plain = { ...request, mapping: { ...request.mapping, resources } };
  const created = createdSession(plain, ids, nowMs);
  const session = isDraft ? { ...created, missing_editables: missing.map(({ editable }) => editable) } : created;
  const { uploads, problems } = initialDeliveries(session, request.external_uploads, tenant, destinations);
  return { session: { ...session, external_uploads: uploads }, problems: [...wrong, ...problems], missing };
}

export function outputProblems({ output, outputs }: CreateRenderSession, template: SessionTemplate): RequestProblem[] {
  const measures = videoMeasures(template);
  return [...checkOutput(output, measures), ...checkOutputs({ output, outputs }, measures)].map(
    ({ at, ...problem }) => ({ ...problem, pointer: `#${at}` }),
  );
}

function retentionProblems(
  { retention_days: days }: CreateRenderSession,
  retentionMs: number | null,
): RequestProblem[] {
  const most = retentionMs === null ? null : Math.floor(retentionMs / DAY_MS);
  if (days === undefined || most === null || days <= most) return [];
  const detail = `${days} days is more than ${most}, the retention of this service`;
  return [{ code: 'retention_too_long', pointer: '#/retention_days', detail }];
}

/** Problems named in the message; all are in the list. */
const MAX_NAMED = 5;

/** @throws ServiceError 422 with all problems, if there are any */
export function refuse(problems: readonly (RequestProblem & { readonly editable?: string })[]): void {
  if (problems.length === 0) return;
  const named = problems
    .slice(0, MAX_NAMED)
    .map(({ editable = '', detail }) => (detail.includes(editable) ? detail : `${editable}: ${detail}`));
  const more = problems.length > MAX_NAMED ? [`and ${problems.length - MAX_NAMED} more`] : [];
  const details = [...named, ...more].join('; ');
  if (problems.every(({ pointer }) => pointer.startsWith('#/external_uploads'))) {
    throw serviceError('upload_invalid', `Invalid destination: ${details}`, problems);
  }
  throw serviceError('mapping_invalid', `The mapping does not match the template: ${details}`, problems);
}
