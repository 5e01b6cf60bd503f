import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PreviewClient } from '../support/preview-client.ts';
import { makeRepository } from '../support/repository.ts';
import { PROGRAM } from '../support/spawned-program.ts';
import { reelform } from '../support/test-io.ts';

/** Starts the built command in a process of its own. */
async function spawnPreview(root: string): Promise<{ readonly child: ChildProcess; readonly page: PreviewClient }> {
  const child = spawn(process.execPath, [PROGRAM, 'preview', '--port', '0'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const url = await new Promise<URL>((resolve, reject) => {
    child.once('exit', () => reject(new Error('The preview has ended')));
    child.stdout!.on('data', (chunk: Buffer) => {
      const found = /http:\S+/.exec(chunk.toString())?.[0];
      if (found !== undefined) resolve(new URL(found));
    });
  });
  return { child, page: await PreviewClient.open(url) };
}

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once('exit', (code) => resolve(code)));
}

describe('a preview', () => {
  it('that is killed during an apply leaves a repository that the next apply completes', async () => {
    const root = makeRepository();
    const { child, page } = await spawnPreview(root);
    await page.listen().catch(() => undefined);
    const { plan } = await page.state();
    await page.post('/api/apply', { plan: plan!.id });
    await page.until(({ run }) => run?.status === 'running');
    child.kill('SIGKILL');
    await ended(child);
    const { exitCode } = await reelform(root, ['apply', '--auto-approve']);
    expect(exitCode).toBe(0);
    expect(JSON.parse((await reelform(root, ['plan', '--json'])).stdout)).toMatchObject({ summary: { noop: 3 } });
  });

  it('that is interrupted during an apply lets running renders end, and records them', async () => {
    const root = makeRepository();
    const { child, page } = await spawnPreview(root);
    await page.listen();
    const { plan } = await page.state();
    await page.post('/api/apply', { plan: plan!.id });
    await page.until(({ videos }) => videos.some(({ state }) => state === 'running'));
    child.kill('SIGINT');
    expect(await ended(child)).toBe(0);
    const { videos } = JSON.parse(readFileSync(join(root, 'reelform.lock.json'), 'utf8')) as { videos: object };
    expect(Object.keys(videos).length).toBeGreaterThan(0);
    expect(existsSync(join(root, '.reelform/apply.pid'))).toBe(false);
  });
});
