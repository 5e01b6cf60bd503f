import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

export async function openDataFolder(directory: string, names: readonly string[]): Promise<void> {
  for (const name of names) await mkdir(join(directory, name), { recursive: true, mode: 0o700 });
}
