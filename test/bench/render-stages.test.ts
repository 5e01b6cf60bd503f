import { platform } from 'node:process';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { processorMs } from '../../bench/render-stages.ts';

describe('processorMs()', () => {
  it.runIf(platform === 'linux')('counts a child process that has ended, such as ffmpeg', async () => {
    const before = processorMs();
    const busy = 'const { user } = process.cpuUsage(); while (process.cpuUsage().user - user < 400_000);';
    await execa(process.execPath, ['-e', busy]);
    expect(processorMs() - before).toBeGreaterThanOrEqual(400);
  });
});
