/** Content of a repository's segment cache. */
export interface CacheContent {
  readonly folder: string;
  readonly segments: number;
  readonly bytes: number;
  readonly max_bytes: number;
  /** Folder of a bucket that keeps segments too; null if there is none. */
  readonly url: string | null;
  readonly oldest_used_at: string | null;
  readonly last_run: { readonly reused: number; readonly rendered: number } | null;
}

export function cacheText(content: CacheContent): string {
  const { folder, segments, bytes, max_bytes, url, oldest_used_at, last_run } = content;
  const limit =
    max_bytes === 0 ? (url === null ? 'the cache is disabled' : 'none are kept here') : `of ${sizeText(max_bytes)}`;
  const lines = [`${folder}: ${countText(segments)}, ${sizeText(bytes)} ${limit}`];
  if (url !== null) lines.push(`Segments are also stored in ${url}.`);
  if (oldest_used_at !== null) lines.push(`The least recently used segment was last used at ${oldest_used_at}.`);
  if (last_run !== null) {
    const { reused, rendered } = last_run;
    lines.push(`The last run reused ${reused} of ${countText(reused + rendered)}.`);
  }
  return `${lines.join('\n')}\n`;
}

export function prunedCacheText(segments: number, bytes: number): string {
  return segments === 0 ? 'Nothing to remove.\n' : `Removed ${countText(segments)}, ${sizeText(bytes)}.\n`;
}

export function verifiedCacheText(intact: number, damaged: number): string {
  const removed = damaged === 0 ? '' : ` Removed ${countText(damaged)} (damaged).`;
  return `${countText(intact)} intact.${removed}\n`;
}

function countText(count: number): string {
  return `${count} ${count === 1 ? 'segment' : 'segments'}`;
}

function sizeText(bytes: number): string {
  return bytes >= 2 ** 30 ? `${(bytes / 2 ** 30).toFixed(2)} GiB` : `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}
