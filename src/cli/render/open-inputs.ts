import { readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { furtherOutputs } from '../../contract/video-spec.ts';
import type { OutputRequest } from '../../contract/wire/output.ts';
import { NO_SCENE_ID, scenesOf } from '../../contract/wire/scene-request.ts';
import { sha256 } from '../../kernel/digest.ts';
import { requireContent } from '../../kernel/file-kind.ts';
import { sessionRequest } from '../../reconciler/apply/session-request.ts';
import { firstTemplate, localFiles, type Video } from '../../reconciler/definition/video.ts';
import { type BindInput, bindInput } from '../../service/sessions/bind-template.ts';
import type { SourceReader, TenantId } from '../../service/sessions/ports.ts';
import { bindRequest, type RenderRequest } from '../../service/sessions/render-request.ts';
import type { InputFiles } from '../../service/sessions/segments/pieces.ts';
import { ALLOW_EVERYTHING } from '../../service/sessions/sources/allow-list.ts';
import { describeSource } from '../../service/sessions/sources/describe-source.ts';
import { createSources, uploadUrl } from '../../service/sessions/sources/sources.ts';
import type { FilledVideo } from '../../service/sessions/value-place.ts';
import type { RenderInput } from '../../template/render-input.ts';
import type { TemplatePackage } from '../../template/template-package.ts';
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
  requestOf(video: Video, template: TemplatePackage, output?: OutputRequest): Promise<RenderRequest>;
  /**
   * Returns the input of the main file, without the fingerprint of an apply.
   *
   * @param output overrides the output of the definition
   * @throws AggregateError with the failures of its sources; SessionFailure for a missing font; ReelformError `lfs_pointer`
   */
  inputOf(video: Video, template: TemplatePackage, output?: OutputRequest): Promise<RenderInput>;
  /** Returns all files of a definition, with the fingerprints of an apply. @throws as `inputOf` */
  filesOf(video: Video, template: TemplatePackage): Promise<InputFiles<RenderInput>>;
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
    const bytes = await readFile(join(root, path));
    requireContent(path, bytes);
    return [path, uploadUrl(await sources.uploads.put(bytes, sha256(bytes)))];
  };
  const kept = new Map<Video, Promise<InputFiles<RenderInput>>>();
  let keptBytes = 0;
  const keep = async (video: Video, files: Promise<InputFiles<RenderInput>>): Promise<void> => {
    if (kept.size >= MAX_KEPT.inputs || keptBytes >= MAX_KEPT.bytes) return;
    kept.set(video, files);
    keptBytes += await files.then(
      ({ renderInput }) => sizeOf(renderInput),
      () => 0,
    );
  };
  const requestOf: OpenInputs['requestOf'] = async (video, template, output) => {
    for (const files of [template.fonts, template.extraFonts, template.images, template.sounds]) {
      for (const { path, bytes } of files.values()) requireContent(posix.join(template.folder, path), bytes);
    }
    const urls = new Map(await Promise.all(localFiles(video).map(upload)));
    const body = sessionRequest(video, { [firstTemplate(video)]: template.spec.id }, (path) => urls.get(path)!);
    const request = { tenant: SELF, video: scenesOf(body), templates: new Map([[template.spec.id, template]]) };
    return output === undefined
      ? { ...request, output: video.output ?? undefined, furtherOutputs: furtherOutputs(video) }
      : { ...request, output, furtherOutputs: [] };
  };
  const ports = {
    sources: sources.reader,
    bindTemplate: async (input: BindInput): Promise<RenderInput> => bindInput(input) as RenderInput,
  };
  const filesOf = async (...video: Parameters<typeof requestOf>): Promise<InputFiles<RenderInput>> =>
    bindRequest(await requestOf(...video), ports, { signal: new AbortController().signal });
  const filesOnce = (video: Video, template: TemplatePackage): Promise<InputFiles<RenderInput>> => {
    const known = kept.get(video);
    const files = known ?? filesOf(video, template);
    if (known === undefined) void keep(video, files);
    return files;
  };
  return {
    sources: sources.reader,
    requestOf,
    async inputOf(video, template, output) {
      const files = await (output === undefined ? filesOnce(video, template) : filesOf(video, template, output));
      const { renderInput } = files;
      return { ...renderInput, output: { ...renderInput.output, fingerprint: null } };
    },
    filesOf: filesOnce,
    close: () => sources.clear(),
  };
}

function sizeOf({ images, clips, sounds }: RenderInput): number {
  return [...images, ...clips, ...sounds].reduce((sum, { bytes }) => sum + bytes.length, 0);
}

/**
 * Opens the sources of the videos of a repository: local files, and remote files below `.reelform/<name>`. Any address is
 * allowed, since the user wrote the URLs or accepted them in a review.
 */
export function openLocalSources(root: string, io: Io, name: string): ReturnType<typeof createSources> {
  return createSources({
    directory: join(root, '.reelform', name),
    allow: ALLOW_EVERYTHING,
    mayRead: async () => true,
    inspect: describeSource,
    isOneRun: true,
    now: () => io.now(),
  });
}
