import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { definition, makeRepository } from '../../support/repository.ts';
import { reelform } from '../../support/test-io.ts';

function segmentFiles(root: string): string[] {
  const folder = join(root, '.reelform/segments');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /[0-9a-f]{64}$/.test(name))
    .map((name) => join(folder, name));
}

describe('reelform cache', () => {
  it('prints the cached segments and the reuse in the last run', async () => {
    const root = makeRepository();
    const empty = JSON.parse((await reelform(root, ['cache', '--json'])).stdout);
    expect(empty).toMatchObject({
      segments: 0,
      bytes: 0,
      max_bytes: 2 * 2 ** 30,
      oldest_used_at: null,
      last_run: null,
    });
    await reelform(root, ['render', 'berlin', '--out', 'a.mp4']);
    await reelform(root, ['render', 'berlin', '--out', 'b.mp4']);
    expect(readFileSync(join(root, 'b.mp4')).equals(readFileSync(join(root, 'a.mp4')))).toBe(true);
    const found = JSON.parse((await reelform(root, ['cache', '--json'])).stdout);
    expect(found).toMatchObject({ segments: 1, last_run: { reused: 1, rendered: 0 } });
    expect((await reelform(root, ['cache'])).stdout).toContain('The last run reused 1 of 1 segment.\n');
  });

  it('removes damaged segments and those beyond the size limit', async () => {
    const root = makeRepository();
    await reelform(root, ['render', 'berlin', '--out', 'a.mp4']);
    await reelform(root, ['render', 'berlin', '--height', '18', '--out', 'b.mp4']);
    const [one] = segmentFiles(root);
    writeFileSync(one!, 'damaged');
    const verified = await reelform(root, ['cache', 'verify']);
    expect(verified.stdout).toBe('1 segment intact. Removed 1 segment that was damaged.\n');
    expect((await reelform(root, ['cache', 'prune'])).stdout).toBe('Nothing to remove.\n');
    const config = join(root, 'reelform.yaml');
    writeFileSync(config, `${readFileSync(config, 'utf8')}cache: {max_gb: 0}\n`);
    expect((await reelform(root, ['cache', 'prune'])).stdout).toMatch(/^Removed 1 segment, 0\.\d MiB\.\n$/);
    expect(segmentFiles(root)).toEqual([]);
    await reelform(root, ['render', 'berlin', '--out', 'c.mp4']);
    expect(segmentFiles(root)).toEqual([]);
  });

  it('is not used with --no-segment-cache', async () => {
    const root = makeRepository({ 'videos/rome.yaml': definition('Rome') });
    await reelform(root, ['render', 'rome', '--no-segment-cache']);
    expect((await reelform(root, ['cache', '--json'])).stdout).toContain('"segments": 0');
  });
});
