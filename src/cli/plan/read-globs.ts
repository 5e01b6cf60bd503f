import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ReelformError } from '../../diagnostic.ts';
import type { Globs } from '../../plan/select-changes.ts';
import type { Io } from '../io.ts';
import type { PlanFlags } from './plan-flags.ts';

/**
 * The globs of a command line and of the files that it names: one per line, without the spaces around it; empty lines and
 * lines that begin with `#` say nothing.
 *
 * @param directory where the paths of the files start
 * @throws ReelformError `file_system`, `options_conflict` when stdin is to be read twice
 */
export async function readGlobs(flags: PlanFlags, directory: string, io: Io): Promise<Globs> {
  const { target, targetFile = [], exclude = [], excludeFile = [] } = flags;
  if ([...targetFile, ...excludeFile].filter((file) => file === '-').length > 1) {
    throw new ReelformError('options_conflict', 'Standard input can be read once, and two options ask for it', {
      hint: 'Write one of the lists into a file',
    });
  }
  const read = async (files: readonly string[]): Promise<string[]> => {
    const texts = await Promise.all(files.map((file) => (file === '-' ? io.readInput() : readText(file, directory))));
    return texts.flatMap(globsOf);
  };
  const isLimited = target !== undefined || targetFile.length > 0;
  return {
    targets: isLimited ? [...(target ?? []), ...(await read(targetFile))] : null,
    excludes: [...exclude, ...(await read(excludeFile))],
  };
}

function globsOf(text: string): string[] {
  const lines = text.replace(/^\uFEFF/, '').split('\n');
  return lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
}

async function readText(file: string, directory: string): Promise<string> {
  try {
    return await readFile(resolve(directory, file), 'utf8');
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new ReelformError('file_system', `The list of globs ${file} cannot be read: ${why}`, {
      hint: 'Look at its path, which starts where the command works',
      cause: error,
    });
  }
}
