import pLimit from 'p-limit';
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

/** At once, for one session. */
const READS = 6;
/** Of all sources of one session: they are held in memory, twice. */
const MAX_TOTAL_BYTES = 500_000_000;

/** Fetches all media of a mapping; every one that cannot be had is told. */
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
  let totalBytes = 0;
  const read = async ([key, resource]: (typeof media)[number]): Promise<SessionSource> => {
    const { remote_url } = (resource as MediaResource).source;
    try {
      if (totalBytes > MAX_TOTAL_BYTES) throw tooMuch();
      const source = await reader.read(tenant, remote_url, signal);
      totalBytes += source.bytes.length;
      bytes.set(key, source.bytes);
      digests.set(key, source.sha256);
      return told(key, remote_url, source);
    } catch (error) {
      failures.push(error instanceof SessionFailure ? placed(error, key) : error);
      return { key, remote_url, status: 'failed' };
    }
  };
  const limit = pLimit(READS);
  const sources = await Promise.all(media.map((one) => limit(read, one)));
  return { told: sources, bytes, digests, failures };
}

function tooMuch(): SessionFailure {
  const detail = `The sources of the session have more than ${MAX_TOTAL_BYTES / 1_000_000} MB together`;
  return new SessionFailure({ code: 'asset_too_large', title: 'Asset is too large', detail });
}

function told(key: string, remote_url: string, { bytes, sha256, contentType, width, height }: Source): SessionSource {
  return { key, remote_url, status: 'fetched', sha256, content_type: contentType, bytes: bytes.length, width, height };
}

function placed(failure: SessionFailure, key: string): SessionFailure {
  return new SessionFailure({ ...failure.error, editable: key, pointer: sourcePointer(key) }, failure);
}
