import { runGit, tryGit } from './run-git.ts';

/** What git has of a file that it could not merge; null where a side has no such file. */
export interface UnmergedVersions {
  readonly base: string | null;
  readonly ours: string | null;
  readonly theirs: string | null;
}

/**
 * The three versions of a file that stands unmerged in the index. EDGE. Null when it does not, or nothing here is git's.
 *
 * @param root absolute
 * @param file relative to it
 */
export async function unmergedVersions(root: string, file: string): Promise<UnmergedVersions | null> {
  const listed = await tryGit(root, ['ls-files', '--unmerged', '-z', '--', `:(literal)${file}`]);
  if (listed === null || listed === '') return null;
  const blobs = new Map<string, string>();
  for (const [, blob = '', stage = ''] of listed.matchAll(/(?:^|\0)\d+ ([0-9a-f]+) ([123])\t/g)) {
    blobs.set(stage, await runGit(root, ['cat-file', 'blob', blob]));
  }
  return { base: blobs.get('1') ?? null, ours: blobs.get('2') ?? null, theirs: blobs.get('3') ?? null };
}
