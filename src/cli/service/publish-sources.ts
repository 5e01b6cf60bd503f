import { extname } from 'node:path';
import { type DeliveredFile, DeliveryFailure } from '../../contract/destinations/destination.ts';
import { parseDestination } from '../../contract/destinations/destination-address.ts';
import { changedSincePlan, type SourceUpload } from '../../contract/render-service.ts';
import { ReelformError } from '../../kernel/diagnostic.ts';
import { MEDIA_CONTENT_TYPES } from '../../kernel/file-kind.ts';
import { streamVerified } from '../../kernel/read-source.ts';
import { TemporaryFile } from '../../kernel/temporary-file.ts';
import type { Project } from '../../reconciler/project/load-project.ts';
import type { PublishSource } from '../../reconciler/service-client/source-uploader.ts';
import { openDestination } from '../../service/delivery/open-destination.ts';
import type { Io } from '../io.ts';
import { openUrlProbe } from './open-remote-service.ts';

/**
 * Returns a function that publishes files of the repository as `assets` of reelform.yaml configures, named by their
 * digest, so that existing files are not uploaded again. Undefined without that setting.
 */
export function createSourcePublisher(
  project: Pick<Project, 'root' | 'config'>,
  io: Pick<Io, 'env'>,
): PublishSource | undefined {
  const { config, root } = project;
  const { assets, credentials } = config;
  if (assets === null) return undefined;
  const credential = assets.credential === null ? null : (credentials.get(assets.credential) ?? null);
  const probe = openUrlProbe(config, io);
  return async (source) => {
    const name = `${source.sha256}${endingOf(source.name)}`;
    const remote_url = `${assets.publicUrl}${name}`;
    const { signal } = new AbortController();
    const published = await probe(remote_url, signal);
    if (published.kind === 'there') return { remote_url };
    const parsed = parseDestination(`${assets.publish}${name}`);
    if (!parsed.ok) throw new Error(`Internal error: ${assets.publish} is not a destination`);
    const copy = await copyOf(source);
    try {
      const destination = await openDestination(parsed.target, credential, { env: io.env, directory: root });
      await destination.deliver(fileOf(source, copy), { signal, state: null, onState: async () => undefined });
    } catch (error) {
      if (!(error instanceof DeliveryFailure)) throw error;
      throw new ReelformError('write_failed', `${source.name} could not be published: ${error.message}`, {
        hint: 'Check "assets" and its credential in reelform.yaml',
        cause: error,
      });
    } finally {
      copy.close();
    }
    return { remote_url };
  };
}

/** Copies a source, because a file of the repository can change while its parts are sent. @throws ReelformError `changed_since_plan` */
async function copyOf({ bytes, name }: SourceUpload): Promise<TemporaryFile> {
  if (bytes instanceof Uint8Array) return TemporaryFile.of(bytes);
  const copy = TemporaryFile.create();
  try {
    for await (const chunk of streamVerified(bytes, () => changedSincePlan(name))) await copy.append(chunk);
    return copy;
  } catch (error) {
    copy.close();
    throw error;
  }
}

function fileOf({ sha256, name }: SourceUpload, copy: TemporaryFile): DeliveredFile {
  return {
    size: copy.size,
    contentType: MEDIA_CONTENT_TYPES[endingOf(name)] ?? 'application/octet-stream',
    sha256,
    stream: (range) => copy.stream(range),
  };
}

/** Returns the extension with its dot; empty if it is unusual. */
function endingOf(name: string): string {
  const ending = extname(name).toLowerCase();
  return /^\.[a-z0-9]{1,8}$/.test(ending) ? ending : '';
}
