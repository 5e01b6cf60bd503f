import packageJson from '../../../package.json' with { type: 'json' };
import { EXIT, ReelformError } from '../../diagnostic.ts';
import { findRoot } from '../../project/repository-layout.ts';
import { type DoctorCheck, doctorText } from '../../report/terminal/doctor-text.ts';
import { type GlobalOptions, workingDirectory } from '../global-options.ts';
import type { Io } from '../io.ts';
import { printJson, stdoutStyle } from '../output.ts';
import { checkCi, checkGit, checkService } from './doctor-environment.ts';
import { checkRepository } from './doctor-repository.ts';

/** `reelform doctor`: checks everything that the other commands need, without changing anything. */
export async function doctorCommand(options: GlobalOptions & { readonly json?: boolean }, io: Io): Promise<number> {
  const directory = workingDirectory(options, io);
  const checks: DoctorCheck[] = [...checkMachine(io)];
  const root = rootOf(directory, checks);
  if (root !== null) {
    const { checks: repository, config } = await checkRepository(root);
    checks.push(...repository, ...(await checkGit(root)));
    checks.push(...(await checkService(config, io)), ...(await checkCi(root, config, io)));
  }
  if (options.json === true) {
    const results = checks.map(({ name, status, message, hint }) => ({ name, status, message, hint: hint ?? null }));
    printJson({ format_version: '1.0', checks: results }, io);
  } else {
    io.stdout.write(doctorText(checks, stdoutStyle(options, io)));
  }
  return checks.some(({ status }) => status === 'error') ? EXIT.error : EXIT.ok;
}

function rootOf(directory: string, checks: DoctorCheck[]): string | null {
  try {
    return findRoot(directory);
  } catch (error) {
    if (!(error instanceof ReelformError)) throw error;
    checks.push({ name: 'Configuration', status: 'error', message: error.message, hint: error.hint });
    return null;
  }
}

/** Checks the machine, independent of the repository. */
function checkMachine(io: Io): DoctorCheck[] {
  const needed = packageJson.engines.node.replace(/^>=/, '');
  const isEnough = compareVersions(io.nodeVersion, needed) >= 0;
  return [
    isEnough
      ? { name: 'Node', status: 'ok', message: io.nodeVersion }
      : { name: 'Node', status: 'error', message: io.nodeVersion, hint: `Install Node ${needed} or later` },
  ];
}

/** Returns a negative number if the first version is older. Compares major, minor and patch. */
function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split('.').map((part) => Number.parseInt(part, 10) || 0));
  for (let index = 0; index < 3; index++) {
    const difference = (left?.[index] ?? 0) - (right?.[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
