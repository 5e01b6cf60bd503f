import { changedSincePlan, featureLack, lacksFeature, type RenderService } from '../../contract/render-service.ts';
import { ServiceError } from '../../contract/service-error.ts';
import { mappingOf, scenesRequest } from '../../contract/spec-mapping.ts';
import { secondsOf } from '../../contract/video-measures.ts';
import {
  furtherOutputs,
  hasCaptions,
  hasLanguage,
  hasMixing,
  plainScene,
  type VideoSpec,
  withNames,
} from '../../contract/video-spec.ts';
import { type CaptionsRequest, captionsRequest } from '../../contract/wire/captions.ts';
import type { CreateRenderSession, ExternalUploadRequest, SessionRequest } from '../../contract/wire/render-session.ts';
import type { ScenesRequest } from '../../contract/wire/scene-request.ts';
import { defined } from '../../kernel/defined.ts';
import { ReelformError } from '../../kernel/diagnostic.ts';
import { sha256 } from '../../kernel/digest.ts';
import { requireContent } from '../../kernel/file-kind.ts';
import { headOf, sourceSha256 } from '../../kernel/source-file.ts';
import { localFiles, type Video } from '../definition/video.ts';
import type { SceneTimeline } from '../definition/video-templates.ts';
import type { DesiredVideo } from '../plan/desired-video.ts';
import type { DestinationChange } from '../plan/plan.ts';
import type { PendingChange, RunContext } from './run-context.ts';

/**
 * Makes the template available, uploads the local files, and returns the request for a session.
 *
 * @throws ReelformError `changed_since_plan`, `lfs_pointer`, `service_lacks_scenes`, `content_unknown` and other errors of a measured
 *   timeline, before anything is posted; whatever the service threw
 */
export async function prepareRequest(
  { id, desired, destinations }: PendingChange,
  context: RunContext,
): Promise<SessionRequest> {
  const refusal = context.unrenderable.get(id);
  if (refusal !== undefined) throw refusal;
  await requireFeatures(desired, context.service);
  for (const id of new Set(Object.values(desired.styleVersions))) await context.ports.ensureStyleVersion(id);
  const urls = await uploadFiles(desired, context);
  const made = { styleVersions: desired.styleVersions, scenes: context.ports.timelineOf(desired) };
  const request = sessionRequest(desired, made, (path) => urls.get(path)!, uploadRequests(destinations));
  return context.service.outlivesProcess ? uploadCaptions(request, context.service) : request;
}

/**
 * Uploads the captions of a request, which can be longer than its body may be. A service that does not accept files gets them in the
 * request.
 */
async function uploadCaptions(request: SessionRequest, service: RenderService): Promise<SessionRequest> {
  const uploaded = async <T extends { captions?: CaptionsRequest }>(part: T): Promise<T> => {
    if (part.captions === undefined || !('text' in part.captions.source)) return part;
    const bytes = Buffer.from(part.captions.source.text);
    try {
      const { remote_url } = await service.uploadSource({ sha256: sha256(bytes), bytes, name: 'captions.vtt' });
      return { ...part, captions: { ...part.captions, source: { remote_url } } };
    } catch (error) {
      if (error instanceof ReelformError && error.code === 'service_lacks_uploads') return part;
      throw error;
    }
  };
  if (!('scenes' in request)) return uploaded(request);
  return uploaded({ ...request, scenes: await Promise.all(request.scenes.map(uploaded)) });
}

/** Asks a remote service whether it renders what a video needs. @throws ReelformError of `FeatureLack` */
async function requireFeatures(desired: DesiredVideo, service: RenderService): Promise<void> {
  const isPlain = plainScene(desired) !== null && !hasMixing(desired) && !hasCaptions(desired) && !hasLanguage(desired);
  if (!service.outlivesProcess || isPlain) return;
  const { measures } = desired;
  const seconds = measures === null ? null : secondsOf(measures);
  const lack = featureLack(service.name, await service.features(), desired, seconds);
  if (lack !== null) throw lacksFeature(lack);
}

/** Statuses of refusals that are about the uploaded bytes, not about the caller or its rate. */
const FILE_REFUSALS: ReadonlySet<number> = new Set([400, 413, 415, 422]);

/** Verifies that each file still has the digest in the plan, so that the planned bytes are sent. */
async function uploadFiles(
  video: DesiredVideo,
  { service, ports, digestOf }: RunContext,
): Promise<Map<string, string>> {
  const urls = new Map<string, string>();
  for (const path of localFiles(video)) {
    const bytes = await ports.readSource(path);
    requireContent(path, headOf(bytes));
    const digest = sourceSha256(bytes);
    if (digest !== digestOf(path)) throw changedSincePlan(path);
    try {
      const { remote_url } = await service.uploadSource({ sha256: digest, bytes, name: path });
      urls.set(path, remote_url);
    } catch (error) {
      throw error instanceof ServiceError && FILE_REFUSALS.has(error.status) ? withPath(path, error) : error;
    }
  }
  return urls;
}

/** Adds the path: the service does not know which file of the repository it refused. */
function withPath(path: string, { status, code, message, problems }: ServiceError): ServiceError {
  const located = problems.map((problem) => ({ ...problem, detail: `${path}: ${problem.detail}` }));
  return new ServiceError(status, code, `${path}: ${message}`, located);
}

/** What the request for a video needs to know of its templates. */
export interface RequestTemplates {
  /** By name of the template, the id of its style version. */
  readonly styleVersions: DesiredVideo['styleVersions'];
  /** Null for a template with values, and if a length is not known. */
  readonly scenes: SceneTimeline | null;
}

/**
 * Returns the body of `POST /v2/render_sessions` for a video, without fields that the video does not set.
 *
 * @param urlOf returns the URL at which the service finds a file of the repository
 * @param uploads destinations of the finished file
 * @throws ReelformError `content_unknown` for scenes whose lengths are not known
 */
export function sessionRequest(
  video: RequestedVideo,
  { styleVersions, scenes }: RequestTemplates,
  urlOf: (path: string) => string,
  uploads: readonly ExternalUploadRequest[] = [],
): SessionRequest {
  const { title, output, outputs, loudness } = video;
  const spec = withNames(video, {
    source: (source) => (source.kind === 'url' ? source.url : urlOf(source.path)),
    template: (name) => styleVersions[name]!,
  });
  return {
    title,
    render: 'preview',
    ...contentOf(spec, styleVersions, scenes),
    ...defined({ loudness, captions: captionsRequest(video.captions) }),
    ...(furtherOutputs(video).length > 0 ? { outputs: [...outputs!] } : output !== null && { output }),
    ...(uploads.length > 0 && { external_uploads: [...uploads] }),
  };
}

/** A video as far as a request has it. */
type RequestedVideo = Pick<
  Video,
  'title' | 'scenes' | 'audio' | 'loudness' | 'captions' | 'size' | 'rate' | 'duration' | 'output' | 'outputs'
>;

/** Returns the mapping of a template with values, or the scenes of another video. */
function contentOf(
  spec: VideoSpec<string>,
  styleVersions: RequestTemplates['styleVersions'],
  scenes: SceneTimeline | null,
): Pick<CreateRenderSession, 'mapping'> | ScenesRequest {
  const plain = plainScene(spec);
  if (plain !== null) return { mapping: mappingOf({ ...plain, audio: spec.audio }, plain.template) };
  if (scenes === null) throw unknownLength();
  const timing = Object.entries(scenes.timing).map(([name, places]) => [styleVersions[name]!, places] as const);
  return scenesRequest(spec, scenes.timeline, Object.fromEntries(timing));
}

/** Creates the error for a video of scenes whose lengths are not known. */
export function unknownLength(): ReelformError {
  return new ReelformError('content_unknown', 'The lengths of the scenes are not known', {
    hint: 'Run `reelform plan --refresh`, which measures remote sounds, or set "duration" of the scenes to seconds',
  });
}

/** Returns the deliveries to request of a service: those of captions are the client's. */
export function uploadRequests(destinations: readonly DestinationChange[]): ExternalUploadRequest[] {
  return destinations
    .filter(({ kind, captions }) => kind === 'deliver' && captions === undefined)
    .map(({ to, credential, output }) => ({
      to,
      ...(credential === null ? {} : { credential }),
      ...defined({ output }),
    }));
}
