import { execa } from 'execa';
import { PROGRAM, type SpawnedProgram, type SpawnOptions, spawnProgram } from './spawned-program.ts';

/** A `reelform serve` of the built program, in a separate process. */
export type SpawnedService = SpawnedProgram;

/** Starts the service in a folder and waits until it is ready. */
export function spawnService(cwd: string, options: SpawnOptions): Promise<SpawnedService> {
  return spawnProgram('serve', cwd, options);
}

/** Runs `reelform token create` in a folder. */
export async function createToken(cwd: string, args: readonly string[] = []): Promise<string> {
  const { stdout } = await execa(process.execPath, [PROGRAM, 'token', 'create', ...args], {
    cwd,
    env: { CI: 'true', NO_COLOR: '1' },
  });
  return stdout.trim();
}
