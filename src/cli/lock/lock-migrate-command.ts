import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EXIT } from '../../diagnostic.ts';
import { nullIfMissing } from '../../file-system-error.ts';
import { emptyLock } from '../../lock/lock.ts';
import { normaliseLock, serialiseLock } from '../../lock/serialise-lock.ts';
import { findRoot, LOCK_FILE } from '../../project/repository-layout.ts';
import { writeLinkedFile } from '../../project/write-file.ts';
import { migratedText } from '../../report/terminal/lock-text.ts';
import { directoryOf, tellDiagnostics } from '../diagnose.ts';
import type { GlobalOptions } from '../global-options.ts';
import { type Io, wantsColor } from '../io.ts';
import { withRunLock } from './with-run-lock.ts';

/** `reelform lock migrate`: a lockfile that can be read, written in today's form. */
export async function lockMigrateCommand(options: GlobalOptions, io: Io): Promise<number> {
  const root = findRoot(directoryOf(options, io));
  const path = join(root, LOCK_FILE);
  return withRunLock(root, io, async () => {
    const text = (await nullIfMissing(readFile(path, 'utf8'))) ?? serialiseLock(emptyLock);
    const normalised = normaliseLock(text, LOCK_FILE);
    if (!normalised.ok) {
      tellDiagnostics(normalised.diagnostics, () => text, options, io);
      return EXIT.error;
    }
    if (normalised.value.differsAt !== null) await writeLinkedFile(path, normalised.value.text);
    const color = wantsColor(io.stdout, io.env, options.color);
    io.stdout.write(migratedText(LOCK_FILE, normalised.value, { color }));
    return EXIT.ok;
  });
}
