import { join, posix } from 'node:path';
import { furtherOutputs } from '../../contract/video-spec.ts';
import type { OutputRequest } from '../../contract/wire/output.ts';
import { NO_SCENE_ID, scenesOf } from '../../contract/wire/scene-request.ts';
import { requireContent } from '../../kernel/file-kind.ts';
import { readSource } from '../../kernel/read-source.ts';
import { headOf } from '../../kernel/source-file.ts';
import { sessionRequest } from '../../reconciler/apply/session-request.ts';
import { localFiles, type Video } from '../../reconciler/definition/video.ts';
import type { VideoTemplates } from '../../reconciler/definition/video-templates.ts';
import { type BindInput, bindInput } from '../../service/sessions/bind-template.ts';
import type { SourceReader, TenantId } from '../../service/sessions/ports.ts';
import { bindRequest, type RenderRequest } from '../../service/sessions/render-request.ts';
import type { InputFiles } from '../../service/sessions/segments/pieces.ts';
import { ALLOW_EVERYTHING, type AllowList } from '../../service/sessions/sources/allow-list.ts';
import { describeSource } from '../../service/sessions/sources/describe-source.ts';
import { createSources, uploadUrl } from '../../service/sessions/sources/sources.ts';
import type { FilledVideo } from '../../service/sessions/value-place.ts';
import type { VideoInput } from '../../template/render-input.ts';
import type { Io } from '../io.ts';

/** Creates the inputs of a repository's videos like the embedded service, without a session. */
export interface OpenInputs {
  /** Reads the sources of a request. */
  readonly sources: SourceReader;
  /**
   * Returns the request for all files of a definition, or for one file with another output.
   *
   * @throws ReelformError `lfs_pointer`
   */
  requestOf(video: Video, templates: VideoTemplates, output?: OutputRequest): Promise<RenderRequest>;
  /**
   * Returns the input of the main file, without the fingerprint of an apply.
   *
   * @param output overrides the output of the definition
   * @throws AggregateError with the failures of its sources; SessionFailure for a missing font; ReelformError `lfs_pointer`
   */
  inputOf(video: Video, templates: VideoTemplates, output?: OutputRequest): Promise<VideoInput>;
  /** Returns all files of a definition, with the fingerprints of an apply. @throws as `inputOf` */
  filesOf(video: Video, templates: VideoTemplates): Promise<InputFiles<VideoInput>>;
  /** Removes fetched files. */
  close(): Promise<void>;
}

/** Returns the names that a video fills, so that errors can distinguish them from files of a template. */
export function filledBy({ scenes, audio }: Video): FilledVideo {
  const isOnly = scenes.length === 1;
  const filled = scenes.map(({ id, resources, audio: tracks }) => ({
    id: isOnly ? NO_SCENE_ID : id,
    mapping: { resources: Object.fromEntries(resources) },
    audio_tracks: Object.fromEntries(tracks),
  }));
  return { scenes: filled, audio_tracks: Object.fromEntries(audio) };
}

/** Owner of all sources: a command has a single user. */
const SELF = 'embedded' as TenantId;

/** Inputs in the output of their definition that are kept for another use, such as lint and then a preview. */
const MAX_KEPT = { inputs: 250, bytes: 128 << 20 };

/** @param name of the folder below `.reelform/` for fetched sources, which no other command uses */
export function openInputs(root: string, io: Io, name: string): OpenInputs {
  const sources = openLocalSources(root, io, name);
  const upload = async (path: string): Promise<[string, string]> => {
    const bytes = await readSource(join(root, path));
    requireContent(path, headOf(bytes));
    return [path, uploadUrl(await sources.uploads.put(bytes))];
  };
  const kept = new Map<Video, Promise<InputFiles<VideoInput>>>();
  let keptBytes = 0;
  const keep = async (video: Video, files: Promise<InputFiles<VideoInput>>): Promise<void> => {
    if (kept.size >= MAX_KEPT.inputs || keptBytes >= MAX_KEPT.bytes) return;
    kept.set(video, files);
    keptBytes += await files.then(
      ({ renderInput }) => sizeOf(renderInput),
      () => 0,
    );
  };
  const requestOf: OpenInputs['requestOf'] = async (video, { packages, scenes }, output) => {
    for (const { folder, fonts, extraFonts, images, sounds } of packages.values()) {
      for (const { path, bytes } of [fonts, extraFonts, images, sounds].flatMap((files) => [...files.values()])) {
        requireContent(posix.join(folder, path), bytes);
      }
    }
    const urls = new Map(await Promise.all(localFiles(video).map(upload)));
    const styleVersions = Object.fromEntries([...packages].map(([name, { spec }]) => [name, spec.id]));
    const body = sessionRequest(video, { styleVersions, scenes }, (path) => urls.get(path)!);
    const templates = new Map([...packages.values()].map((template) => [template.spec.id, template]));
    const request = { tenant: SELF, video: scenesOf(body), templates };
    return output === undefined
      ? { output: video.output ?? undefined, furtherOutputs: furtherOutputs(video), ...request }
      : { output, furtherOutputs: [], ...request };
  };
  const ports = {
    sources: sources.reader,
    bindTemplate: async (input: BindInput): Promise<VideoInput> => bindInput(input),
  };
  const filesOf = async (...video: Parameters<typeof requestOf>): Promise<InputFiles<VideoInput>> =>
    bindRequest(await requestOf(...video), ports, { signal: new AbortController().signal });
  const filesOnce = (video: Video, templates: VideoTemplates): Promise<InputFiles<VideoInput>> => {
    const known = kept.get(video);
    const files = known ?? filesOf(video, templates);
    if (known === undefined) void keep(video, files);
    return files;
  };
  return {
    sources: sources.reader,
    requestOf,
    async inputOf(video, templates, output) {
      const files = await (output === undefined ? filesOnce(video, templates) : filesOf(video, templates, output));
      const { renderInput } = files;
      return { ...renderInput, output: { ...renderInput.output, fingerprint: null } };
    },
    filesOf: filesOnce,
    close: () => sources.clear(),
  };
}

function sizeOf(input: VideoInput): number {
  const documents = 'scenes' in input ? input.scenes : [input];
  const media = [...input.sounds, ...documents.flatMap(({ images, clips }) => [...images, ...clips])];
  return media.reduce((sum, { bytes }) => sum + (bytes instanceof Uint8Array ? bytes.length : 0), 0);
}

/**
 * Opens the sources of the videos of a repository: local files, and remote files below `.reelform/<name>`.
 *
 * @param allow any address by default, since the user wrote the URLs or accepted them in a review
 */
export function openLocalSources(
  root: string,
  io: Pick<Io, 'now'>,
  name: string,
  allow: AllowList = ALLOW_EVERYTHING,
): ReturnType<typeof createSources> {
  return createSources({
    directory: join(root, '.reelform', name),
    allow,
    mayRead: async () => true,
    inspect: describeSource,
    isOneRun: true,
    now: () => io.now(),
  });
}
