import pLimit from 'p-limit';
import type { EditableKind } from '../../../contract/fields/editable-kinds.ts';
import type { Mapping, MediaResource } from '../../../contract/wire/mapping.ts';
import type { SessionSource } from '../../../contract/wire/render-session.ts';
import type { Sha256 } from '../../../kernel/digest.ts';
import { sourcePointer, trackKey } from '../../../template/bind/check-mapping.ts';
import type { TemplatePackage } from '../../../template/template-package.ts';
import { type FetchedSource, SessionFailure, type SourceKind, type SourceReader, type TenantId } from '../ports.ts';

/** The media of one mapping, by editable key and by `trackKey`. */
interface ReadSources {
  readonly bytes: ReadonlyMap<string, Uint8Array>;
  readonly digests: ReadonlyMap<string, Sha256>;
  /** Entries of the session's `source_uploads`. */
  readonly sources: SessionSource[];
  /** Errors; each names the editable or track. */
  readonly failures: readonly unknown[];
}

/** Concurrent reads of one session, of images and of larger files. */
const READS = { image: 6, large: 2 };
/** Maximum total bytes of a session's sources, which are held in memory twice. */
const MAX_TOTAL_BYTES = 500_000_000;

interface Medium {
  readonly key: string;
  readonly kind: SourceKind;
  readonly remoteUrl: string;
}

/** A mapping whose media are fetched for their owner. */
interface MappedSources {
  readonly tenant: TenantId;
  readonly mapping: Pick<Mapping, 'resources' | 'audio_tracks'>;
  readonly template: Pick<TemplatePackage, 'manifest'>;
}

/** Fetches all media of a mapping and collects all failures. */
export async function readSources(
  { tenant, mapping, template }: MappedSources,
  reader: SourceReader,
  signal: AbortSignal,
): Promise<ReadSources> {
  const bytes = new Map<string, Uint8Array>();
  const digests = new Map<string, Sha256>();
  const failures: unknown[] = [];
  let totalBytes = 0;
  const read = async ({ key, kind, remoteUrl }: Medium): Promise<SessionSource> => {
    try {
      if (totalBytes > MAX_TOTAL_BYTES) throw tooMuch();
      const source = await reader.read(tenant, { remoteUrl, kind }, signal);
      totalBytes += source.bytes.length;
      if (totalBytes > MAX_TOTAL_BYTES) throw tooMuch();
      bytes.set(key, source.bytes);
      digests.set(key, source.sha256);
      return fetchedSource(key, remoteUrl, source);
    } catch (error) {
      failures.push(error instanceof SessionFailure ? failureAt(key, error) : error);
      return { key, remote_url: remoteUrl, status: 'failed' };
    }
  };
  const limits = { image: pLimit(READS.image), large: pLimit(READS.large) };
  const sources = await Promise.all(
    mediaOf(mapping, template).map((medium) => limits[medium.kind === 'image' ? 'image' : 'large'](read, medium)),
  );
  return { sources, bytes, digests, failures };
}

function mediaOf(
  { resources, audio_tracks = {} }: MappedSources['mapping'],
  { manifest }: MappedSources['template'],
): Medium[] {
  const media: Medium[] = [];
  const add = (key: string, kind: SourceKind, { source }: Pick<MediaResource, 'source'>): void =>
    void media.push({ key, kind, remoteUrl: source.remote_url });
  for (const [key, resource] of Object.entries(resources)) {
    const kind = manifest.editables.get(key)?.kind;
    if (isSourceKind(kind)) add(key, kind, resource as MediaResource);
  }
  for (const [track, sound] of Object.entries(audio_tracks)) add(trackKey(track), 'audio', sound);
  return media;
}

function isSourceKind(kind: EditableKind | undefined): kind is SourceKind {
  return kind === 'image' || kind === 'video' || kind === 'audio';
}

function tooMuch(): SessionFailure {
  const detail = `The sources of the session are larger than ${MAX_TOTAL_BYTES / 1_000_000} MB in total`;
  return new SessionFailure({ code: 'asset_too_large', title: 'The asset is too large', detail });
}

function fetchedSource(
  key: string,
  remote_url: string,
  { bytes, sha256, contentType, width, height }: FetchedSource,
): SessionSource {
  return {
    key,
    remote_url,
    status: 'fetched',
    sha256,
    content_type: contentType,
    bytes: bytes.length,
    ...(width === undefined || height === undefined ? {} : { width, height }),
  };
}

function failureAt(key: string, failure: SessionFailure): SessionFailure {
  return new SessionFailure({ ...failure.error, editable: key, pointer: sourcePointer(key) }, failure);
}
