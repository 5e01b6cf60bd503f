import { readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { OutputRequest } from '../../contract/wire/output.ts';
import { type Sha256, sha256 } from '../../kernel/digest.ts';
import { requireContent } from '../../kernel/file-kind.ts';
import { sessionRequest } from '../../reconciler/apply/session-request.ts';
import { furtherOutputs, localFiles, type Video } from '../../reconciler/definition/video.ts';
import type { Config } from '../../reconciler/project/config.ts';
import { sandboxFromEnvironment } from '../../service/sandbox/sandbox.ts';
import { type DigestedValues, videoFiles } from '../../service/sessions/input-digest.ts';
import type { TenantId } from '../../service/sessions/ports.ts';
import {
  chooseEncoder,
  createRenderPool,
  type RenderPool,
  renderCapacity,
} from '../../service/sessions/processes/render-pool.ts';
import type { InputFiles } from '../../service/sessions/segments/pieces.ts';
import { ALLOW_EVERYTHING } from '../../service/sessions/sources/allow-list.ts';
import { describeSource } from '../../service/sessions/sources/describe-source.ts';
import { readSources } from '../../service/sessions/sources/read-sources.ts';
import { createSources, uploadUrl } from '../../service/sessions/sources/sources.ts';
import { bindMapping } from '../../template/bind/bind-mapping.ts';
import type { RenderInput } from '../../template/render-input.ts';
import type { TemplatePackage } from '../../template/template-package.ts';
import type { Io } from '../io.ts';

/** Creates the inputs of a repository's videos like the embedded service, without a session. */
export interface OpenInputs {
  /**
   * @param output overrides the output of the definition
   * @throws AggregateError with the failures of its sources; SessionFailure for a missing font; ReelformError `lfs_pointer`
   */
  inputOf(video: Video, template: TemplatePackage, output?: OutputRequest): Promise<RenderInput>;
  /** Returns all files of a definition, with the fingerprints of an apply. @throws as `inputOf` */
  filesOf(video: Video, template: TemplatePackage): Promise<InputFiles<RenderInput>>;
  /** Removes fetched files. */
  close(): Promise<void>;
}

/** Owner of all sources: a command has a single user. */
const SELF = 'embedded' as TenantId;

/** Inputs in the output of their definition that are kept for another use, such as lint and then a preview. */
const MAX_KEPT = { inputs: 100, bytes: 128 << 20 };

interface BoundVideo {
  readonly renderInput: RenderInput;
  /** Inputs of its fingerprint, with the digests of its sources. */
  readonly inputs: DigestedValues;
  readonly digests: ReadonlyMap<string, Sha256>;
}

/** @param name of the folder below `.reelform/` for fetched sources, which no other command uses */
export function openInputs(root: string, io: Io, name: string): OpenInputs {
  const sources = openLocalSources(root, io, name);
  const upload = async (path: string): Promise<[string, string]> => {
    const bytes = await readFile(join(root, path));
    requireContent(path, bytes);
    return [path, uploadUrl(await sources.uploads.put(bytes, sha256(bytes)))];
  };
  const kept = new Map<Video, Promise<BoundVideo>>();
  let keptBytes = 0;
  const keep = async (video: Video, bound: Promise<BoundVideo>): Promise<void> => {
    if (kept.size >= MAX_KEPT.inputs || keptBytes >= MAX_KEPT.bytes) return;
    kept.set(video, bound);
    keptBytes += await bound.then(
      ({ renderInput }) => sizeOf(renderInput),
      () => 0,
    );
  };
  const bind = async (video: Video, template: TemplatePackage, output?: OutputRequest): Promise<BoundVideo> => {
    for (const files of [template.fonts, template.extraFonts, template.images, template.sounds]) {
      for (const { path, bytes } of files.values()) requireContent(posix.join(template.folder, path), bytes);
    }
    const urls = new Map(await Promise.all(localFiles(video).map(upload)));
    const { mapping } = sessionRequest(video, template.spec.id, (path) => urls.get(path)!);
    const read = await readSources(
      { tenant: SELF, session: { mapping: { id: '', ...mapping } } },
      template,
      sources.reader,
      new AbortController().signal,
    );
    if (read.failures.length > 0) throw new AggregateError(read.failures);
    const inputs = { ...mapping, output: output ?? video.output ?? undefined };
    return { renderInput: bindMapping(template, inputs, read.bytes), inputs, digests: read.digests };
  };
  const bindOnce = (video: Video, template: TemplatePackage): Promise<BoundVideo> => {
    const known = kept.get(video);
    const bound = known ?? bind(video, template);
    if (known === undefined) void keep(video, bound);
    return bound;
  };
  return {
    async inputOf(video, template, output) {
      return (await (output === undefined ? bindOnce(video, template) : bind(video, template, output))).renderInput;
    },
    async filesOf(video, template) {
      const { renderInput, inputs, digests } = await bindOnce(video, template);
      const { fingerprint, others } = videoFiles(template, inputs, furtherOutputs(video), digests);
      return { renderInput: { ...renderInput, output: { ...renderInput.output, fingerprint } }, others };
    },
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

/** Opens the render processes of a command, one per slot. `encoder` is that of reelform.yaml. */
export function openCommandPool(io: Io, encoder?: Config['encoder']): RenderPool {
  return (io.createRenderPool ?? createRenderPool)({
    size: renderCapacity(),
    sandbox: sandboxFromEnvironment(io.env),
    ...(encoder !== undefined && { encoder: chooseEncoder(encoder, io.env) }),
  });
}
