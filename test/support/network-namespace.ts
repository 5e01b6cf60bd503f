import { execFileSync } from 'node:child_process';

/** Separate networks for processes of this machine, which reach it under one address. */
export interface TestNetwork {
  /** Address of this machine, also valid outside the namespaces. */
  readonly address: string;
  namespace(): NetworkNamespace;
  close(): void;
}

/** A separate network, connected to this machine's by a cable that can be pulled. */
export interface NetworkNamespace {
  /** Command that starts a program in it. */
  readonly within: readonly string[];
  /** Address under which this machine reaches processes inside. */
  readonly inside: string;
  cut(): void;
  mend(): void;
}

/** Opens the network, or returns null without the permission: it requires Linux, root and iproute2. */
export function openNetwork(): TestNetwork | null {
  const name = `rf${process.pid}`;
  // From the range reserved for benchmarking networks, RFC 2544.
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
          // The route was removed with the device.
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
