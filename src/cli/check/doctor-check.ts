import { ServiceError } from '../../contract/service-error.ts';
import { ReelformError } from '../../kernel/diagnostic.ts';
import { ProxyFailure } from '../../kernel/http/proxy.ts';
import type { DoctorCheck } from '../../report/terminal/repository-text.ts';

/** Result of a check of `reelform doctor`. */
export type CheckResult = Omit<DoctorCheck, 'name'>;

/** Creates the result of a check that found no problem. */
export function ok(message: string): CheckResult {
  return { status: 'ok', message };
}

/** Creates the result of a check that found a problem which stops no command. */
export function warning(message: string, hint?: string): CheckResult {
  return { status: 'warning', message, hint };
}

/** Creates the result of a check that found a problem which stops commands. */
export function error(message: string, hint?: string): CheckResult {
  return { status: 'error', message, hint };
}

/** Runs a check, and turns a known error into its result. */
export async function check(name: string, run: () => CheckResult | Promise<CheckResult>): Promise<DoctorCheck> {
  try {
    return { name, ...(await run()) };
  } catch (thrown) {
    if (thrown instanceof ReelformError) return { name, ...error(thrown.message, thrown.hint) };
    if (thrown instanceof ProxyFailure) {
      return { name, ...error(thrown.message, 'Write HTTP_PROXY and HTTPS_PROXY as http://host:port') };
    }
    if (thrown instanceof ServiceError) return { name, ...error(thrown.message) };
    throw thrown;
  }
}
