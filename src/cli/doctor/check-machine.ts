import packageJson from '../../../package.json' with { type: 'json' };
import type { DoctorCheck } from '../../report/terminal/doctor-text.ts';
import type { Io } from '../io.ts';

/** What the machine has to have, whatever the repository. */
export function checkMachine(io: Io): DoctorCheck[] {
  const needed = packageJson.engines.node.replace(/^>=/, '');
  const isEnough = compareVersions(io.nodeVersion, needed) >= 0;
  return [
    isEnough
      ? { name: 'Node', status: 'ok', message: io.nodeVersion }
      : { name: 'Node', status: 'error', message: io.nodeVersion, hint: `Install Node ${needed} or later` },
  ];
}

/** Negative when the first version is the older one. Numbers alone are compared. */
function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split('.').map((part) => Number.parseInt(part, 10) || 0));
  for (let index = 0; index < 3; index++) {
    const difference = (left?.[index] ?? 0) - (right?.[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
