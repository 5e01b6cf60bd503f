import { execFileSync } from 'node:child_process';

/** A network of its own for processes, joined to this machine's by a cable that can be pulled. */
export interface NetworkNamespace {
  /** Starts a program in it. */
  readonly within: readonly string[];
  /** Under which those inside find this machine. */
  readonly outside: string;
  /** Under which this machine finds those inside. */
  readonly inside: string;
  cut(): void;
  mend(): void;
  close(): void;
}

let count = 0;

/** Null where the machine does not let us: it takes Linux, root and iproute2. */
export function openNamespace(): NetworkNamespace | null {
  const mine = `rf${process.pid % 100_000}n${count}`;
  // Of the range that is kept for measuring networks, RFC 2544: it is nobody's.
  const subnet = `198.18.${(process.pid + count) % 256}`;
  count += 1;
  const [cable, end] = [`${mine}a`, `${mine}b`];
  try {
    ip('netns', 'add', mine);
  } catch {
    return null;
  }
  const close = (): void => {
    ip('netns', 'delete', mine);
  };
  try {
    ip('link', 'add', cable, 'type', 'veth', 'peer', 'name', end, 'netns', mine);
    ip('address', 'add', `${subnet}.1/30`, 'dev', cable);
    ip('link', 'set', cable, 'up');
    for (const device of ['lo', end]) ip('-n', mine, 'link', 'set', device, 'up');
    ip('-n', mine, 'address', 'add', `${subnet}.2/30`, 'dev', end);
  } catch {
    close();
    return null;
  }
  return {
    within: ['ip', 'netns', 'exec', mine],
    outside: `${subnet}.1`,
    inside: `${subnet}.2`,
    cut: () => ip('link', 'set', cable, 'down'),
    mend: () => ip('link', 'set', cable, 'up'),
    close,
  };
}

function ip(...args: string[]): void {
  execFileSync('ip', args, { stdio: 'pipe' });
}
