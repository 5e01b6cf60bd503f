import pLimit from 'p-limit';
import type { EditableKind } from '../../contract/fields/editable-kinds.ts';
import type { CaptionsRequest } from '../../contract/wire/captions.ts';
import type { AudioResource, MediaResource } from '../../contract/wire/mapping.ts';
import { trackKey } from '../../contract/wire/mapping.ts';
import type { NamedOutput, OutputRequest } from '../../contract/wire/output.ts';
import type { SessionSource } from '../../contract/wire/render-session.ts';
import type { ScenesRequest } from '../../contract/wire/scene-request.ts';
import type { AnyRenderInput } from '../../engine/packed-input.ts';
import type { RenderedFile } from '../../engine/rendered-file.ts';
import { defined } from '../../kernel/defined.ts';
import type { Sha256 } from '../../kernel/digest.ts';
import type { SourceBytes } from '../../kernel/source-file.ts';
import type { BindTemplate, BoundInput, SessionTemplate } from './bind-template.ts';
import { renderingDigest, videoFiles } from './input-digest.ts';
import {
  type FetchedSource,
  joinFindings,
  type OutputStore,
  type Renderer,
  type RenderOptions,
  SessionFailure,
  type SourceKind,
  type SourceReader,
  type StoredFile,
  type TenantId,
} from './ports.ts';
import type { InputFiles } from './segments/pieces.ts';
import { emptySources, type SceneSources, type SessionScenes, sourcesAt, templateOf } from './session-scenes.ts';
import type { SharedRenders } from './single-flight.ts';
import { captionsText } from './sources/describe-source.ts';
import { placeOfCaptions, placeOfValue, type ValuePlace } from './value-place.ts';

/** Scenes, the templates that they fill, and the files to make of them. */
export interface RenderRequest extends SessionScenes<SessionTemplate> {
  /** Owner of the sources. */
  readonly tenant: TenantId;
  /** Of the main file. */
  readonly output?: OutputRequest | undefined;
  /** Outputs of the further files. */
  readonly furtherOutputs: readonly NamedOutput[];
  /** Requests of one scope share renderings. Absent: all requests without a scope do. */
  readonly scope?: string | undefined;
}

/** A render input with the fingerprints of its files. */
export interface BoundRequest<Input extends AnyRenderInput = BoundInput> extends InputFiles<Input> {
  /** The `renderingDigest` of all files. */
  readonly digest: Sha256;
}

interface BindPorts<Input extends AnyRenderInput = BoundInput> {
  readonly sources: SourceReader;
  readonly bindTemplate: BindTemplate<Input>;
}

interface BindSteps {
  readonly signal: AbortSignal;
  /** Called when all sources were fetched or have failed. */
  onSources?(sources: SessionSource[]): void;
}

/**
 * Fetches the sources of a request and fills its templates.
 *
 * @throws AggregateError with the failures of its sources; SessionFailure for a missing font; the signal's reason
 */
export async function bindRequest<Input extends AnyRenderInput>(
  { tenant, video, templates, output, furtherOutputs, scope = '' }: RenderRequest,
  ports: BindPorts<Input>,
  { signal, onSources }: BindSteps,
): Promise<BoundRequest<Input>> {
  const read = await readSources({ tenant, video, templates }, ports.sources, signal);
  signal.throwIfAborted();
  onSources?.(read.sources);
  if (read.failures.length > 0) throw new AggregateError(read.failures);
  const texted = withCaptions(video, read.captions);
  const { fingerprint, others, digest } = videoFiles(
    { video: texted, templates, output, sources: read.digests },
    furtherOutputs,
  );
  const filled = { video: texted, templates, output, fingerprint, sources: read.bytes };
  const renderInput = await ports.bindTemplate(filled, { owner: tenant, signal });
  signal.throwIfAborted();
  return { renderInput, others, digest: renderingDigest(digest, scope) };
}

export interface RenderRequestPorts extends BindPorts {
  readonly renderer: Renderer;
  readonly outputs: Pick<OutputStore, 'find' | 'save'>;
  /** Running renders, which requests with the same digest join. */
  readonly renders: SharedRenders;
}

/** The steps of a request that its caller observes or takes part in. */
export interface RenderSteps extends BindSteps, Pick<RenderOptions, 'onProgress' | 'onStored'> {
  /** Resolves when the digest is recorded, so that the sweeper keeps its files. */
  onBound?(bound: BoundRequest): Promise<void>;
  /** Waits for a render slot. Not called for a video that is already stored. */
  takeSlot?(): Promise<void>;
  /** Offers the render to other jobs. Returns whether they finish it. */
  handOver?(bound: BoundRequest): Promise<boolean>;
  onPhase?(phase: 'rendering' | 'uploading'): void;
  /** Called when this request has rendered and stored the files; not called if it joined another request. */
  onRendered?(digest: Sha256): void;
}

/** A finished request. */
export interface FinishedRequest {
  readonly bound: BoundRequest;
  /** The main file first. */
  readonly files: readonly StoredFile[];
  /** False if the files or some of their segments were made by another render. */
  readonly isAllNew: boolean;
}

/**
 * Renders a request and stores its files under `outputName`, unless they are stored already.
 *
 * @returns null if other jobs finish the request
 * @throws as `bindRequest`, `Renderer.render` and `OutputStore.save`
 */
export async function renderRequest(
  request: RenderRequest,
  outputName: string,
  ports: RenderRequestPorts,
  steps: RenderSteps,
): Promise<FinishedRequest | null> {
  const { outputs } = ports;
  const { signal } = steps;
  const bound = await bindRequest(request, ports, steps);
  await steps.onBound?.(bound);
  signal.throwIfAborted();
  let stored = await outputs.find(bound.digest, outputName);
  if (stored === null) {
    await steps.takeSlot?.();
    // Another request may have rendered the input meanwhile.
    stored = await outputs.find(bound.digest, outputName);
    signal.throwIfAborted();
  }
  if (stored !== null) return { bound, files: stored, isAllNew: false };
  if ((await steps.handOver?.(bound)) === true) return null;
  let hasReused = false;
  const onProgress: RenderOptions['onProgress'] = (framesDone, frameCount, segments) => {
    if (segments !== undefined && segments.reused > 0) hasReused = true;
    steps.onProgress?.(framesDone, frameCount, segments);
  };
  const files = await renderFiles({ bound, owner: request.tenant, outputName }, ports, { ...steps, onProgress });
  signal.throwIfAborted();
  return { bound, files, isAllNew: !hasReused };
}

interface FilesToRender {
  readonly bound: BoundRequest;
  readonly owner: TenantId;
  readonly outputName: string;
}

/** Renders and stores files, or joins a running render of the same files. */
async function renderFiles(
  { bound, owner, outputName }: FilesToRender,
  { renderer, outputs, renders }: RenderRequestPorts,
  steps: RenderSteps,
): Promise<readonly StoredFile[]> {
  const { renderInput, others: furtherFiles, digest } = bound;
  const { signal, onProgress = () => undefined, onStored = () => undefined } = steps;
  steps.onPhase?.('rendering');
  const furtherNames = furtherFiles.map(({ name }) => name);
  let saved: readonly StoredFile[] | null = null;
  const render = async (shared: Required<Pick<RenderOptions, 'signal' | 'onProgress' | 'onStored'>>) => {
    const others = furtherFiles.length === 0 ? undefined : furtherFiles;
    const files = await renderer.render(renderInput, { ...shared, owner, ...defined({ others }) });
    try {
      shared.signal.throwIfAborted();
      steps.onPhase?.('uploading');
      saved = await outputs.save(digest, outputName, files, furtherNames);
      steps.onRendered?.(digest);
      return files;
    } catch (error) {
      for (const { video } of files) video.close();
      throw error;
    }
  };
  return renders.render(digest, { signal, onProgress, onStored }, render, async (rendered) => {
    const stored =
      saved ??
      (await outputs.find(digest, outputName)) ??
      (await outputs.save(digest, outputName, rendered, furtherNames));
    return withFindings(stored, rendered, furtherNames);
  });
}

/** Adds the findings of a render to the main file. @param furtherNames of the further files */
export function withFindings(
  files: readonly StoredFile[],
  rendered: readonly RenderedFile[],
  furtherNames: readonly string[],
): readonly StoredFile[] {
  return files.map((file, at) => (at === 0 ? { ...file, findings: joinFindings(rendered, furtherNames) } : file));
}

/** The media of a video. */
interface ReadSources {
  readonly bytes: SceneSources<SourceBytes>;
  readonly digests: SceneSources<Sha256>;
  /** Texts of captions at URLs, by index of their scene; null for those of the whole video. */
  readonly captions: ReadonlyMap<number | null, string>;
  /** Entries of the session's `source_uploads`. */
  readonly sources: SessionSource[];
  /** Errors; each names the editable or track. */
  readonly failures: readonly unknown[];
}

/** Concurrent reads of one session, of images and captions, and of larger files. */
const READS = { small: 6, large: 2 };
/** Maximum total bytes of a session's sources. A source of several scenes counts once. */
const MAX_TOTAL_BYTES = 500_000_000;

interface Medium {
  /** Index of the scene; null for a track or captions of the whole video. */
  readonly scene: number | null;
  readonly key: string;
  readonly kind: SourceKind;
  readonly remoteUrl: string;
}

/** Fetches all media of a video and collects all failures. */
async function readSources(
  { tenant, video, templates }: Pick<RenderRequest, 'tenant' | 'video' | 'templates'>,
  reader: SourceReader,
  signal: AbortSignal,
): Promise<ReadSources> {
  const bytes = emptySources<SourceBytes>(video);
  const digests = emptySources<Sha256>(video);
  const captions = new Map<number | null, string>();
  const failures: unknown[] = [];
  let totalBytes = 0;
  const fetchSource = async ({ kind, remoteUrl }: Medium): Promise<FetchedSource> => {
    if (totalBytes > MAX_TOTAL_BYTES) throw tooMuch();
    const source = await reader.read(tenant, { remoteUrl, kind }, signal);
    totalBytes += source.bytes.length;
    if (totalBytes > MAX_TOTAL_BYTES) throw tooMuch();
    return source;
  };
  const limits = { small: pLimit(READS.small), large: pLimit(READS.large) };
  const fetched = new Map<string, Promise<FetchedSource>>();
  const fetchOnce = (medium: Medium): Promise<FetchedSource> => {
    const name = `${medium.kind} ${medium.remoteUrl}`;
    const size = medium.kind === 'image' || medium.kind === 'captions' ? 'small' : 'large';
    const source = fetched.get(name) ?? limits[size](fetchSource, medium);
    fetched.set(name, source);
    return source;
  };
  const read = async (medium: Medium): Promise<SessionSource> => {
    const { scene, key, kind, remoteUrl: remote_url } = medium;
    const isCaptions = kind === 'captions';
    const place = isCaptions ? placeOfCaptions(video, scene) : placeOfValue(video, scene, key);
    const named = { key, ...defined({ scene: place.scene }), remote_url };
    try {
      const source = await fetchOnce(medium);
      if (isCaptions) captions.set(scene, captionsText(source.bytes as Uint8Array));
      else {
        sourcesAt(bytes, scene).set(key, source.bytes);
        sourcesAt(digests, scene).set(key, source.sha256);
      }
      return { ...named, ...factsOf(source) };
    } catch (error) {
      failures.push(error instanceof SessionFailure ? failureAt(place, error) : error);
      return { ...named, status: 'failed' };
    }
  };
  const sources = await Promise.all(mediaOf(video, templates).map(read));
  return { sources, bytes, digests, captions, failures };
}

/** Returns a video whose captions are texts. @param texts of those at URLs */
function withCaptions(video: ScenesRequest, texts: ReadSources['captions']): ScenesRequest {
  if (texts.size === 0) return video;
  const texted = <T extends { readonly captions?: CaptionsRequest }>(part: T, scene: number | null): T => {
    const text = texts.get(scene);
    return text === undefined ? part : { ...part, captions: { ...part.captions, source: { text } } };
  };
  return texted({ ...video, scenes: video.scenes.map(texted) }, null);
}

function mediaOf(
  { scenes, audio_tracks = {}, captions }: ScenesRequest,
  templates: RenderRequest['templates'],
): Medium[] {
  const captionsIn = (given: CaptionsRequest | undefined, scene: number | null): Medium[] => {
    if (given === undefined || 'text' in given.source) return [];
    return [{ scene, key: 'captions', kind: 'captions', remoteUrl: given.source.remote_url }];
  };
  const tracksOf = (tracks: object, scene: number | null): Medium[] =>
    Object.entries<AudioResource>({ ...tracks }).map(([track, { source }]): Medium => {
      return { scene, key: trackKey(track), kind: 'audio', remoteUrl: source.remote_url };
    });
  const inScenes = scenes.flatMap((scene, index) => {
    const { editables } = templateOf(scene, templates).manifest;
    const filled = Object.entries(scene.mapping.resources).flatMap(([key, resource]): Medium[] => {
      const kind = editables.get(key)?.kind;
      if (!isSourceKind(kind)) return [];
      return [{ scene: index, key, kind, remoteUrl: (resource as MediaResource).source.remote_url }];
    });
    return [...filled, ...tracksOf(scene.audio_tracks ?? {}, index), ...captionsIn(scene.captions, index)];
  });
  return [...inScenes, ...tracksOf(audio_tracks, null), ...captionsIn(captions, null)];
}

function isSourceKind(kind: EditableKind | undefined): kind is EditableKind & SourceKind {
  return kind === 'image' || kind === 'video' || kind === 'audio';
}

function tooMuch(): SessionFailure {
  const detail = `The sources of the session are larger than ${MAX_TOTAL_BYTES / 1_000_000} MB in total`;
  return new SessionFailure({ code: 'asset_too_large', title: 'The asset is too large', detail });
}

function factsOf({ bytes, sha256, contentType, width, height }: FetchedSource) {
  return {
    status: 'fetched' as const,
    sha256,
    content_type: contentType,
    bytes: bytes.length,
    ...(width === undefined || height === undefined ? {} : { width, height }),
  };
}

function failureAt({ pointer, ...place }: ValuePlace, failure: SessionFailure): SessionFailure {
  return new SessionFailure({ ...failure.error, ...place, pointer: `${pointer}/source/remote_url` }, failure);
}
