import type { Sha256 } from '../digest.ts';
import type { MediaResource, SessionSource } from '../service/wire.ts';
import { sourcePointer } from '../template/check-mapping.ts';
import type { TemplatePackage } from '../template/template-package.ts';
import { SessionFailure, type Source, type SourceReader, type StoredSession } from './ports.ts';

/** The media of one mapping, by editable key. */
export interface ReadSources {
  readonly bytes: ReadonlyMap<string, Uint8Array>;
  readonly digests: ReadonlyMap<string, Sha256>;
  /** As the session tells them. */
  readonly told: SessionSource[];
  /** What could not be had; each names its editable. */
  readonly failures: readonly unknown[];
}

/** Fetches all media of a mapping at once. */
export async function readSources(
  { tenant, session }: StoredSession,
  template: TemplatePackage,
  reader: SourceReader,
  signal: AbortSignal,
): Promise<ReadSources> {
  const media = Object.entries(session.mapping.resources).filter(
    ([key]) => template.manifest.editables.get(key)?.kind === 'image',
  );
  const bytes = new Map<string, Uint8Array>();
  const digests = new Map<string, Sha256>();
  const failures: unknown[] = [];
  const read = async ([key, resource]: (typeof media)[number]): Promise<SessionSource> => {
    const { remote_url } = (resource as MediaResource).source;
    try {
      const source = await reader.read(tenant, remote_url, signal);
      bytes.set(key, source.bytes);
      digests.set(key, source.sha256);
      return told(key, remote_url, source);
    } catch (error) {
      failures.push(error instanceof SessionFailure ? placed(error, key) : error);
      return { key, remote_url, status: 'failed' };
    }
  };
  return { told: await Promise.all(media.map(read)), bytes, digests, failures };
}

function told(key: string, remote_url: string, { bytes, sha256, contentType, width, height }: Source): SessionSource {
  return { key, remote_url, status: 'fetched', sha256, content_type: contentType, bytes: bytes.length, width, height };
}

function placed(failure: SessionFailure, key: string): SessionFailure {
  return new SessionFailure({ ...failure.error, editable: key, pointer: sourcePointer(key) }, failure);
}
