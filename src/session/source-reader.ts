import type { Sha256 } from '../digest.ts';
import { SessionFailure, type SourceReader } from './ports.ts';
import type { SourceStore } from './source-store.ts';

const UPLOAD = /^urn:sha256:([0-9a-f]{64})$/;

/** The `remote_url` of uploaded bytes. */
export function uploadUrl(digest: Sha256): string {
  return `urn:sha256:${digest}`;
}

/**
 * Reads uploads from the store and everything else from the network, each URL once: many videos share a logo.
 *
 * @param fetch one network read, with its limits and guards
 */
export function createSourceReader(
  store: SourceStore,
  fetch: (url: string, signal: AbortSignal) => Promise<Uint8Array>,
): SourceReader {
  const fetched = new Map<string, Promise<Sha256>>();

  const fetchOnce = (url: string, signal: AbortSignal): Promise<Sha256> => {
    const known = fetched.get(url);
    if (known !== undefined) return known;
    const digest = fetch(url, signal).then((bytes) => store.put(bytes));
    fetched.set(url, digest);
    digest.catch(() => fetched.delete(url));
    return digest;
  };

  return {
    async read(remoteUrl, signal) {
      const upload = UPLOAD.exec(remoteUrl)?.[1];
      const digest = upload === undefined ? await fetchOnce(remoteUrl, signal) : (upload as Sha256);
      const bytes = await store.get(digest);
      if (bytes !== null) return bytes;
      throw new SessionFailure({
        code: 'asset_unreachable',
        title: 'Asset could not be fetched',
        detail: `The upload ${digest} is gone`,
      });
    },
  };
}
