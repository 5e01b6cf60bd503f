import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sessionRequest } from '../../apply/session-request.ts';
import { localFiles, type Video } from '../../definition/video.ts';
import { sha256 } from '../../digest.ts';
import type { TenantId } from '../../session/ports.ts';
import { ALLOW_EVERYTHING } from '../../session/sources/allow-list.ts';
import { describeSource } from '../../session/sources/describe-source.ts';
import { readSources } from '../../session/sources/read-sources.ts';
import { createSources, uploadUrl } from '../../session/sources/sources.ts';
import { bindMapping } from '../../template/bind/bind-mapping.ts';
import type { Scene } from '../../template/scene.ts';
import type { TemplatePackage } from '../../template/template-package.ts';
import type { OutputRequest } from '../../wire/output.ts';
import type { CreateRenderSession } from '../../wire/render-session.ts';
import type { Io } from '../io.ts';

/** Makes the scenes of a repository's videos, as the embedded service makes them, without a session. */
export interface OpenScenes {
  /**
   * @param output instead of the one that the video asks for
   * @throws AggregateError of what its sources failed with; SessionFailure for a font that is not there
   */
  sceneOf(video: Video, template: TemplatePackage, output?: OutputRequest): Promise<Scene>;
  /** Removes what was fetched. */
  close(): Promise<void>;
}

/** Whoever runs the command: there is nobody else. */
const SELF = 'embedded' as TenantId;

/** @param name of the folder below `.reelform/` that holds what is fetched: one of the command's own */
export function openScenes(root: string, io: Io, name: string): OpenScenes {
  const sources = createSources({
    directory: join(root, '.reelform', name),
    // Whoever runs the command wrote the URLs, or took them over in a review.
    allow: ALLOW_EVERYTHING,
    mayRead: async () => true,
    inspect: describeSource,
    isOneRun: true,
    now: () => io.now(),
  });
  const upload = async (path: string): Promise<[string, string]> => {
    const bytes = await readFile(join(root, path));
    return [path, uploadUrl(await sources.uploads.put(bytes, sha256(bytes)))];
  };
  return {
    async sceneOf(video, template, output) {
      const urls = new Map(await Promise.all(localFiles(video).map(upload)));
      const request: CreateRenderSession = sessionRequest(video, template.spec.id, (path) => urls.get(path)!);
      const { mapping } = request;
      const read = await readSources(
        { tenant: SELF, session: { mapping: { id: '', ...mapping } } },
        template,
        sources.reader,
        new AbortController().signal,
      );
      if (read.failures.length > 0) throw new AggregateError(read.failures);
      return bindMapping(template, { ...mapping, output: output ?? request.output }, read.bytes);
    },
    close: () => sources.clear(),
  };
}
