import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { requirePackage } from '../../kernel/optional-packages.ts';
import type { Config } from '../../reconciler/project/config.ts';
import type { CommandVoice, Voice } from '../../reconciler/speech/voice.ts';
import type { DoctorCheck } from '../../report/terminal/repository-text.ts';
import type { Io } from '../io.ts';
import { check, ok, warning } from './doctor-check.ts';

/**
 * Checks that the commands of voices and their variables exist, without running them, because speech may cost. Returns nothing without
 * voices. Speech that is made needs no voice, so that a missing one is a warning.
 */
export async function checkVoices(root: string, { voices }: Config, { env }: Pick<Io, 'env'>): Promise<DoctorCheck[]> {
  const results: DoctorCheck[] = [];
  for (const voice of voices.values()) {
    const version = voice.version === 1 ? '' : `, version ${voice.version}`;
    const result = await check(`Voice ${voice.name}`, async () => {
      const problem = voice.kind === 'command' ? await problemOf(voice, root, env) : null;
      if (problem !== null) return warning(problem, 'reelform speak needs it for texts that are not spoken yet');
      return ok(`${sourceOf(voice)}${version}`);
    });
    results.push(result);
  }
  return results;
}

/** @throws ReelformError if the package of the built-in voices is missing */
function sourceOf(voice: Voice): string {
  if (voice.kind === 'command') return voice.command[0];
  requirePackage('engine');
  return `built in, ${voice.builtin}`;
}

async function problemOf({ command, env: named }: CommandVoice, root: string, env: Io['env']): Promise<string | null> {
  const missing = named.filter((variable) => env[variable] === undefined);
  if (missing.length > 0) return `the environment variable ${missing.join(' and ')} is not set`;
  const [program] = command;
  const isPath = /[\\/]/.test(program);
  const candidates = isPath ? [resolve(root, program)] : pathsOf(program, env);
  for (const candidate of candidates) if (await isExecutable(candidate)) return null;
  return `${program} is not ${isPath ? 'an executable file' : 'on the PATH'}`;
}

function pathsOf(program: string, { PATH = '', PATHEXT = '' }: Io['env']): string[] {
  const endings = ['', ...PATHEXT.split(';').filter((ending) => ending !== '')];
  return PATH.split(delimiter).flatMap((folder) => endings.map((ending) => join(folder, `${program}${ending}`)));
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
