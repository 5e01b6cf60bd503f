import { execFileSync } from 'node:child_process';

/** Networks of their own for processes of this machine, which all find it under one address. */
export interface TestNetwork {
  /** Of this machine; here too. */
  readonly address: string;
  namespace(): NetworkNamespace;
  close(): void;
}

/** A network of its own, joined to this machine's by a cable that can be pulled. */
export interface NetworkNamespace {
  /** Starts a program in it. */
  readonly within: readonly string[];
  /** Under which this machine finds those inside. */
  readonly inside: string;
  cut(): void;
  mend(): void;
}

/** Null where the machine does not let us: it takes Linux, root and iproute2. */
export function openNetwork(): TestNetwork | null {
  const name = `rf${process.pid}`;
  // Of the range that is kept for measuring networks, RFC 2544: it is nobody's.
  const [address, prefix] = [`198.18.255.${process.pid % 250}`, `198.18.${process.pid % 250}`];
  const names: string[] = [];
  const close = (): void => {
    for (const each of names) ip('netns', 'delete', each);
    ip('address', 'delete', `${address}/32`, 'dev', 'lo');
  };
  try {
    ip('address', 'add', `${address}/32`, 'dev', 'lo');
  } catch {
    return null;
  }
  try {
    ip('netns', 'add', name);
    names.push(name);
  } catch {
    close();
    return null;
  }
  return {
    address,
    namespace() {
      const own = `${name}-${names.length}`;
      const first = 4 * names.length;
      const [outside, inside] = [`${prefix}.${first + 1}`, `${prefix}.${first + 2}`];
      const cable = `${name}v${names.length}`;
      ip('netns', 'add', own);
      names.push(own);
      ip('link', 'add', cable, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', own);
      ip('address', 'add', `${outside}/30`, 'dev', cable);
      ip('link', 'set', cable, 'up');
      for (const device of ['lo', 'eth0']) ip('-n', own, 'link', 'set', device, 'up');
      ip('-n', own, 'address', 'add', `${inside}/30`, 'dev', 'eth0');
      ip('-n', own, 'route', 'add', 'default', 'via', outside);
      return {
        within: ['ip', 'netns', 'exec', own],
        inside,
        cut: () => ip('-n', own, 'link', 'set', 'eth0', 'down'),
        mend() {
          ip('-n', own, 'link', 'set', 'eth0', 'up');
          // It went with the device.
          ip('-n', own, 'route', 'replace', 'default', 'via', outside);
        },
      };
    },
    close,
  };
}

function ip(...args: string[]): void {
  execFileSync('ip', args, { stdio: 'pipe' });
}
