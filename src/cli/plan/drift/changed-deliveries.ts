import type { ProbeUrl } from '../../../contract/urls.ts';
import type { Delivery, Lock, LockEntry } from '../../../reconciler/lock/lock.ts';

/**
 * Finds captions that are missing at the public URL of their destination, or have another size there.
 *
 * @returns id of the entry → its first such destination
 */
export async function changedDeliveries(lock: Lock, probeUrl: ProbeUrl): Promise<Map<string, string>> {
  const changed = new Map<string, string>();
  for (const [id, entry] of lock.videos) {
    for (const delivery of entry.deliveries ?? []) {
      if (delivery.sha256 === undefined || changed.has(id)) continue;
      if (await isChanged(delivery, entry, probeUrl)) changed.set(id, delivery.to);
    }
  }
  return changed;
}

async function isChanged(
  { url, sha256: digest }: Delivery,
  { caption_files: files = [] }: LockEntry,
  probeUrl: ProbeUrl,
): Promise<boolean> {
  if (url === undefined) return false;
  const found = await probeUrl(url, new AbortController().signal);
  if (found.kind === 'unclear') return false;
  const recorded = files.find((file) => file.sha256 === digest);
  return (
    found.kind === 'gone' || (found.bytes !== undefined && recorded !== undefined && found.bytes !== recorded.bytes)
  );
}
