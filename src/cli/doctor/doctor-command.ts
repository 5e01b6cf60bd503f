import { EXIT, ReelformError } from '../../diagnostic.ts';
import { findRoot } from '../../project/repository-layout.ts';
import { type DoctorCheck, doctorText } from '../../report/terminal/doctor-text.ts';
import { directoryOf } from '../diagnose.ts';
import type { GlobalOptions } from '../global-options.ts';
import { type Io, wantsColor } from '../io.ts';
import { checkCi } from './check-ci.ts';
import { checkGit } from './check-git.ts';
import { checkMachine } from './check-machine.ts';
import { checkRepository } from './check-repository.ts';
import { checkService } from './check-service.ts';

/** `reelform doctor`: looks at everything that the other commands need, and changes nothing. */
export async function doctorCommand(options: GlobalOptions & { readonly json?: boolean }, io: Io): Promise<number> {
  const directory = directoryOf(options, io);
  const checks: DoctorCheck[] = [...checkMachine(io)];
  const root = rootOf(directory, checks);
  if (root !== null) {
    const { checks: repository, config } = await checkRepository(root);
    checks.push(...repository, ...(await checkGit(root)));
    checks.push(...(await checkService(config, io)), ...(await checkCi(root, config, io)));
  }
  if (options.json === true) {
    const told = checks.map(({ name, status, message, hint }) => ({ name, status, message, hint: hint ?? null }));
    io.stdout.write(`${JSON.stringify({ format_version: '1.0', checks: told }, null, 2)}\n`);
  } else {
    io.stdout.write(doctorText(checks, { color: wantsColor(io.stdout, io.env, options.color) }));
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
