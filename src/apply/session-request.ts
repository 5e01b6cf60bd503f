import { localFiles, type Source, type Video, type VideoResource, type VideoSound } from '../definition/video.ts';
import { ReelformError } from '../diagnostic.ts';
import { type Sha256, sha256 } from '../digest.ts';
import type { Fingerprint, LockEntry } from '../lock/lock.ts';
import type { DestinationChange } from '../plan/plan.ts';
import type { RenderService } from '../service/render-service.ts';
import { ServiceError } from '../service/service-error.ts';
import type { AudioResource, FontResource, Resource } from '../wire/mapping.ts';
import type { CreateRenderSession, ExternalUploadRequest } from '../wire/render-session.ts';
import type { ApplyPorts } from './ports.ts';

/**
 * The body of `POST /v2/render_sessions` for a video. What the video does not have is not in it.
 *
 * @param urlOf the URL under which the service finds a file of the repository
 * @param uploads where the finished file goes
 */
export function sessionRequest(
  video: Video,
  styleVersion: string,
  urlOf: (path: string) => string,
  uploads: readonly ExternalUploadRequest[] = [],
): CreateRenderSession {
  const { title, resources, audio, fonts, output } = video;
  return {
    title,
    render: 'preview',
    mapping: {
      template_style_version_id: styleVersion,
      resources: mapValues(resources, (resource): Resource => wireResource(resource, urlOf)),
      ...(audio.size > 0 && { audio_tracks: mapValues(audio, (sound) => wireSound(sound, urlOf)) }),
      ...(fonts.size > 0 && { font_changes: mapValues(fonts, (font): FontResource => ({ source: { font } })) }),
    },
    ...(output !== null && { output }),
    ...(uploads.length > 0 && { external_uploads: [...uploads] }),
  };
}

function mapValues<T, U>(map: ReadonlyMap<string, T>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries([...map].map(([key, value]) => [key, change(value)]));
}

function wireResource(resource: VideoResource, urlOf: (path: string) => string): Resource {
  switch (resource.kind) {
    case 'text':
      return { source: { text: resource.text } };
    case 'color':
      return { source: { text: resource.color } };
    case 'font':
      return { source: { font: resource.font } };
    case 'audio':
      return wireSound(resource, urlOf);
    case 'image':
    case 'video':
      return { source: { remote_url: sourceUrl(resource.source, urlOf) }, transform: resource.transform };
  }
}

/** A sound of which nothing is said has no transform. */
function wireSound({ source, transform }: VideoSound, urlOf: (path: string) => string): AudioResource {
  const isPlain = Object.keys(transform).length === 0;
  return { source: { remote_url: sourceUrl(source, urlOf) }, ...(!isPlain && { transform }) };
}

function sourceUrl(source: Source, urlOf: (path: string) => string): string {
  return source.kind === 'url' ? source.url : urlOf(source.path);
}

/** What a session asks a service to deliver. */
export function uploadRequests(destinations: readonly DestinationChange[]): ExternalUploadRequest[] {
  return destinations
    .filter(({ kind }) => kind === 'deliver')
    .map(({ to, credential }) => ({ to, ...(credential === null ? {} : { credential }) }));
}

/** One video to render and where its result goes. */
export interface RenderTask {
  readonly video: Video;
  readonly fingerprint: Fingerprint;
  readonly styleVersion: string;
  /** Below the service's output directory, without ending. */
  readonly outputName: string;
  /** The video's lock entry, which a new rendering is to replace; null for a new video. */
  readonly present: LockEntry | null;
  /** The digest that each local file had when the plan was made. */
  readonly digestOf: (path: string) => Sha256 | undefined;
  /** Where the finished file goes. */
  readonly destinations: readonly DestinationChange[];
}

/**
 * Sees to the template, uploads the files, and makes the request.
 *
 * @throws ReelformError `changed_since_plan`, before anything is posted; whatever the service threw
 */
export async function prepareRequest(
  task: RenderTask,
  service: RenderService,
  ports: ApplyPorts,
): Promise<CreateRenderSession> {
  await ports.ensureStyleVersion(task.styleVersion);
  const urls = await uploadFiles(task, service, ports);
  const uploads = uploadRequests(task.destinations);
  return sessionRequest(task.video, task.styleVersion, (path) => urls.get(path)!, uploads);
}

/** Answers that are about the bytes, and not about who sends them or how often. */
const OF_THE_FILE: ReadonlySet<number> = new Set([400, 413, 415, 422]);

/** The bytes that are sent are the bytes that were planned. */
async function uploadFiles(task: RenderTask, service: RenderService, ports: ApplyPorts): Promise<Map<string, string>> {
  const urls = new Map<string, string>();
  for (const path of localFiles(task.video)) {
    const bytes = await ports.readFile(path);
    const digest = sha256(bytes);
    if (digest !== task.digestOf(path)) {
      throw new ReelformError('changed_since_plan', `${path} changed after the plan was made`, {
        hint: 'Run apply again',
      });
    }
    try {
      const { remote_url } = await service.uploadSource({ sha256: digest, bytes, name: path });
      urls.set(path, remote_url);
    } catch (error) {
      throw error instanceof ServiceError && OF_THE_FILE.has(error.status) ? naming(path, error) : error;
    }
  }
  return urls;
}

/** Of what a service says about a file it does not know which of the repository's it is. */
function naming(path: string, { status, code, message, problems }: ServiceError): ServiceError {
  const named = problems.map((problem) => ({ ...problem, detail: `${path}: ${problem.detail}` }));
  return new ServiceError(status, code, `${path}: ${message}`, named);
}
