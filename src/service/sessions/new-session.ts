import { serviceError } from '../../contract/service-error.ts';
import type { VideoMeasures } from '../../contract/video-measures.ts';
import type { RequestProblem } from '../../contract/wire/problem.ts';
import type { RenderSession, SessionRequest } from '../../contract/wire/render-session.ts';
import { scenesOf } from '../../contract/wire/scene-request.ts';
import { defined } from '../../kernel/defined.ts';
import type { MappingProblem } from '../../template/bind/check-mapping.ts';
import { checkOutput, checkOutputs, MAX_OUTPUT_FRAMES } from '../../template/bind/resolve-output.ts';
import type { SessionTemplate } from './bind-template.ts';
import { checkScenes } from './check-scenes.ts';
import type { TenantId } from './ports.ts';
import { createdSession, DAY_MS, missingName, sortProblems, withPlainColors } from './render-session.ts';
import { type Destinations, initialDeliveries } from './session-deliveries.ts';
import { scenesMeasures } from './session-scenes.ts';

interface NewSessionOptions {
  readonly tenant: TenantId;
  /** By id of the style version; has those of all scenes. */
  readonly templates: ReadonlyMap<string, SessionTemplate>;
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
  /** Findings that are no mistakes. */
  readonly warnings: readonly RequestProblem[];
  /** Size and length before the outputs; null if the scenes have none. */
  readonly measures: VideoMeasures | null;
}

/** Builds the session of a request and collects all problems and, for a draft, the unfilled editables. */
export function newSession(
  request: SessionRequest,
  { tenant, templates, ids, nowMs, destinations, retentionMs }: NewSessionOptions,
): NewSession {
  const isDraft = request.render === undefined;
  const scenes = { video: scenesOf(request), templates };
  const { problems: found, warnings, timeline } = checkScenes(scenes);
  const measures = timeline && scenesMeasures(scenes, timeline);
  const { mistakes, missing } = isDraft ? sortProblems(found) : { mistakes: found, missing: [] };
  const wrong = [
    ...mistakes,
    ...framesProblems(request, measures),
    ...outputProblems(request, measures),
    ...retentionProblems(request, retentionMs),
  ];
  // Colours of an invalid mapping cannot be normalised.
  const plain = wrong.length === 0 ? withPlainColors(request, templates) : request;
  const created = createdSession(plain, ids, nowMs);
  const length = 'scenes' in request ? { ...created, ...defined({ frames: timeline?.frames }) } : created;
  const session = isDraft ? { ...length, missing_editables: missing.map(missingName) } : length;
  const { uploads, problems } = initialDeliveries(session, request.external_uploads, tenant, destinations);
  return {
    session: { ...session, external_uploads: uploads },
    problems: [...wrong, ...problems],
    missing,
    warnings,
    measures,
  };
}

/** @param measures of the video; null if they are not known */
export function outputProblems(
  { output, outputs }: Pick<SessionRequest, 'output' | 'outputs'>,
  measures: VideoMeasures | null,
): RequestProblem[] {
  return [...checkOutput(output, measures), ...checkOutputs({ output, outputs }, measures)].map(
    ({ at, ...problem }) => ({ ...problem, pointer: `#${at}` }),
  );
}

/**
 * Checks the length of a video of scenes: a client whose timelines follow other rules would get another video than it showed before, and
 * without an output the video has all frames of its timeline.
 */
function framesProblems(request: SessionRequest, measures: VideoMeasures | null): RequestProblem[] {
  if (!('scenes' in request) || measures === null) return [];
  const { frames: expected, output, outputs } = request;
  const { frames } = measures;
  const problems: RequestProblem[] = [];
  if (expected !== undefined && expected !== frames) {
    const detail = `the scenes have ${frames} frames in this service, but the request expects ${expected}`;
    problems.push({ code: 'frames_differ', pointer: '#/frames', detail });
  }
  if (output === undefined && outputs === undefined && frames > MAX_OUTPUT_FRAMES) {
    const detail = `the video would have ${frames} frames, more than ${MAX_OUTPUT_FRAMES}; reduce rate, or request an output with fewer fps`;
    problems.push({ code: 'definition_invalid', pointer: '#/rate', detail });
  }
  return problems;
}

function retentionProblems({ retention_days: days }: SessionRequest, retentionMs: number | null): RequestProblem[] {
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
  const named = problems.slice(0, MAX_NAMED).map(({ editable = '', scene, detail }) => {
    const named = detail.includes(editable) ? detail : `${editable}: ${detail}`;
    return scene === undefined ? named : `${scene}: ${named}`;
  });
  const more = problems.length > MAX_NAMED ? [`and ${problems.length - MAX_NAMED} more`] : [];
  const details = [...named, ...more].join('; ');
  if (problems.every(({ pointer }) => pointer.startsWith('#/external_uploads'))) {
    throw serviceError('upload_invalid', `Invalid destination: ${details}`, problems);
  }
  throw serviceError('mapping_invalid', `The mapping does not match the template: ${details}`, problems);
}
