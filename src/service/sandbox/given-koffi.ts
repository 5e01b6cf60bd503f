import { createRequire } from 'node:module';
import { dlopen, env } from 'node:process';
import type { Koffi } from './landlock.ts';

/** The variable with the path of koffi's native code. */
export const KOFFI_VARIABLE = 'SANDBOX_KOFFI';

/**
 * Loads koffi in a program that is started in a sandbox, from the file that its parent has loaded. The search for it, and koffi's own
 * JavaScript, take three quarters of the time.
 */
export function givenKoffi(): Koffi {
  const file = env[KOFFI_VARIABLE];
  if (file === undefined) return createRequire(import.meta.url)('#engine/koffi') as Koffi;
  const loaded = { exports: {} };
  dlopen(loaded, file);
  return loaded.exports as Koffi;
}
