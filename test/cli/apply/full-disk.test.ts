import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CONFIG, makeFolder, makeRepository, NO_LINT } from '../../support/repository.ts';
import { PROGRAM } from '../../support/spawned-program.ts';

/**
 * Runs the program in a repository on a separate disk, which is removed with the process that mounts it. Linux only.
 */
function onDisk(roomBytes: number | 'read-only', args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const disk = join(makeFolder({}), 'disk');
  mkdirSync(disk);
  // Only plans are linted: it starts a process that writes to another disk.
  const root = makeRepository({ 'reelform.yaml': args[0] === 'plan' ? CONFIG.replace(NO_LINT, '') : CONFIG });
  const limit =
    roomBytes === 'read-only'
      ? 'mount -o remount,ro "$2"'
      : 'head -c $(($(stat -f -c "%a * %S" "$2") - $3)) /dev/zero >"$2/filler"';
  const script = `set -e
    mount -t tmpfs -o size=1m none "$2"
    cp -r "$1/." "$2/"
    ${limit}
    cd "$2"; shift 3; exec "$@"`;
  const program = [process.execPath, PROGRAM, ...args];
  return spawnSync(
    'unshare',
    ['--user', '--map-root-user', '--mount', 'sh', '-c', script, 'sh', root, disk, String(roomBytes), ...program],
    { encoding: 'utf8', env: { ...process.env, CI: 'true', NO_COLOR: '1', ...env } },
  );
}

const canMount = spawnSync('unshare', ['--user', '--map-root-user', '--mount', 'true']).status === 0;

describe.runIf(canMount)('a full disk', () => {
  it.each([
    ['no space', 0],
    ['space only for the process lock', 4_096],
    ['space for one video', 28_672],
  ])('with %s is one clear error of apply, not an internal error', (_, roomBytes) => {
    const { status, stdout, stderr } = onDisk(roomBytes, ['apply', '--auto-approve', '--concurrency', '1']);
    expect([1, 4], stdout + stderr).toContain(status);
    const told = stdout + stderr;
    expect(told).toMatch(/(?:disk_full|write_failed): /);
    expect(told).toContain('ENOSPC');
    expect(told).not.toMatch(/internal|report it|tries again/i);
  });

  it('stops a run at the first video with a hint', () => {
    const { status, stdout } = onDisk(8_192, ['apply', '--auto-approve', '--concurrency', '1']);
    expect({ status, stdout }).toMatchObject({ status: 4, stdout: expect.stringContaining('disk_full') });
    expect(stdout).toMatch(/Stopped after a failure: 0 rendered, 1 failed, 2 not started/);
    expect(stdout).toContain('Make room on the disk');
    expect(stdout).toContain('Correct the failures, then run `reelform apply`, which continues with the rest.');
  });

  it('does not prevent a plan from being shown or videos without remote sources from being checked', () => {
    const { status, stdout, stderr } = onDisk(0, ['plan']);
    expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringContaining('3 to create') });
    expect(stderr).toContain('low_contrast');
    expect(stderr).not.toContain('disk_full');
  });

  it.each([
    ['pull', []],
    ['lock', ['migrate']],
    ['render', ['rome', '--out', 'rome.mp4']],
    ['plan', ['--no-lint', '--out', 'plan.json']],
    ['init', ['own', '--yes', '--ci', 'none']],
  ])('is one clear error of %s %j', (command, args) => {
    const { status, stdout, stderr } = onDisk(0, [command, ...args]);
    expect(status, stderr).not.toBe(0);
    expect(stderr + stdout).toMatch(/(?:disk_full|write_failed): .*ENOSPC/);
    expect(stderr + stdout).not.toMatch(/internal|report it/i);
  });

  it.each(['apply', 'pull', 'plan'])('that is read-only is not reported as an internal error: %s', (command) => {
    const { stdout, stderr } = onDisk('read-only', [command, ...(command === 'apply' ? ['--auto-approve'] : [])]);
    expect(stderr + stdout).not.toMatch(/internal|report it/i);
    if (command !== 'plan') expect(stderr).toMatch(/error (?:file_system|write_failed): /);
  });
});
