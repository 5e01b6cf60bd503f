import { extname } from 'node:path';
import { Readable } from 'node:stream';
import { DeliveryFailure } from '../../delivery/destination.ts';
import { parseDestination } from '../../delivery/destination-address.ts';
import { openDestination } from '../../delivery/open-destination.ts';
import { ReelformError } from '../../diagnostic.ts';
import type { Project } from '../../project/load-project.ts';
import type { SourceUpload } from '../../service/render-service.ts';
import { openUrlLook } from '../drift/run-refresh.ts';
import type { Io } from '../io.ts';

/** Makes a file of this repository one that a service can fetch. */
type PublishSource = (source: SourceUpload) => Promise<{ remote_url: string }>;

/**
 * What publishes the files of a repository as `assets` of reelform.yaml says, each under the digest of what is in it: one
 * that everybody finds there already is not written again. Undefined where it says nothing.
 */
export function publishSources(project: Pick<Project, 'root' | 'config'>, io: Io): PublishSource | undefined {
  const { config, root } = project;
  const { assets, credentials } = config;
  if (assets === null) return undefined;
  const credential = assets.credential === null ? null : (credentials.get(assets.credential) ?? null);
  const look = openUrlLook(config, io);
  return async (source) => {
    const name = `${source.sha256}${endingOf(source.name)}`;
    const remote_url = `${assets.publicUrl}${name}`;
    const { signal } = new AbortController();
    const seen = await look(remote_url, signal);
    if (seen.kind === 'there') return { remote_url };
    const parsed = parseDestination(`${assets.publish}${name}`);
    if (!parsed.ok) throw new Error(`Internal error: ${assets.publish} is no place`);
    try {
      const destination = await openDestination(parsed.target, credential, { env: io.env, directory: root });
      await destination.deliver(fileOf(source), { signal, state: null, onState: async () => undefined });
    } catch (error) {
      if (!(error instanceof DeliveryFailure)) throw error;
      throw new ReelformError('write_failed', `${source.name} could not be published: ${error.message}`, {
        hint: 'Look at "assets" and its credential in reelform.yaml',
        cause: error,
      });
    }
    return { remote_url };
  };
}

function fileOf({
  bytes,
  sha256,
  name,
}: SourceUpload): Parameters<Awaited<ReturnType<typeof openDestination>>['deliver']>[0] {
  return {
    size: bytes.length,
    contentType: TYPES[endingOf(name)] ?? 'application/octet-stream',
    sha256,
    stream: ({ start, end } = { start: 0, end: bytes.length }) => Readable.from([bytes.subarray(start, end)]),
  };
}

/** With its dot, as the file has it; empty where that could be anything. */
function endingOf(name: string): string {
  const ending = extname(name).toLowerCase();
  return /^\.[a-z0-9]{1,8}$/.test(ending) ? ending : '';
}

/** Browsers and services ask for it; what is not here is told by its bytes. */
const TYPES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
  '.gif': 'image/gif',
  '.avif': 'image/avif',
  '.mp4': 'video/mp4',
  '.mov': 'video/quicktime',
  '.webm': 'video/webm',
  '.mp3': 'audio/mpeg',
  '.wav': 'audio/wav',
  '.ogg': 'audio/ogg',
  '.m4a': 'audio/mp4',
};
