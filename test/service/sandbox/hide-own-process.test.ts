import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startChild } from '../../support/child-program.ts';

const PROGRAM = join(import.meta.dirname, 'hidden-program.ts');
/** Root can read everything, so both processes run as an unprivileged user. */
const USER = process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : [];
const CAN_RUN =
  process.platform === 'linux' && (USER.length === 0 || spawnSync(USER[0]!, [...USER.slice(1), 'true']).status === 0);

/** Reports whether a process without a sandbox can read a file of another process of the same user. */
function readOf(pid: number, file: string): 'read' | 'refused' {
  const [command, ...args] = [...USER, 'head', '-c', '1', `/proc/${pid}/${file}`];
  return spawnSync(command!, args).status === 0 ? 'read' : 'refused';
}

it.skipIf(!CAN_RUN).each([
  ['hidden', ['refused', 'refused']],
  ['open', ['read', 'read']],
] as const)('another process reads the environment and memory map of the %s process: %j', async (how, expected) => {
  const child = await startChild(PROGRAM, [how], USER);
  await child.line('ready');
  expect([readOf(child.pid, 'environ'), readOf(child.pid, 'maps')]).toEqual(expected);
  await child.kill();
});
