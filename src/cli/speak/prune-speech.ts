import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { EXIT } from '../../kernel/diagnostic.ts';
import { nullIfMissing } from '../../kernel/file-system-error.ts';
import type { Project } from '../../reconciler/project/load-project.ts';
import { SPEECH_FILE, SPEECH_FOLDER } from '../../reconciler/speech/spoken-text.ts';
import { type PrunableFiles, pruneText } from '../../report/terminal/list-text.ts';
import type { JsonOptions } from '../global-options.ts';
import type { Io } from '../io.ts';
import { printResult } from '../output.ts';

/** Lists the files of speech that no definition needs, and removes them on request. @param project without errors */
export async function pruneSpeech(
  { root, spoken }: Pick<Project, 'root' | 'spoken'>,
  options: JsonOptions & { readonly yes?: boolean },
  io: Io,
): Promise<number> {
  const needed = new Set(spoken.map(({ text }) => text.name));
  const names = (await nullIfMissing(readdir(join(root, SPEECH_FOLDER)))) ?? [];
  const unneeded = names.filter((name) => !needed.has(SPEECH_FILE.exec(name)?.[1] ?? '') && SPEECH_FILE.test(name));
  const paths = unneeded.sort().map((name) => `${SPEECH_FOLDER}/${name}`);
  const files = await Promise.all(
    paths.map(async (path): Promise<PrunableFiles> => {
      return { kind: 'speech', path, bytes: (await stat(join(root, path))).size };
    }),
  );
  const isRemoved = options.yes === true;
  if (isRemoved) for (const { path } of files) await rm(join(root, path), { force: true });
  const command = 'reelform speak --prune --yes';
  printResult(
    { format_version: '1.0', removed: isRemoved, files },
    () => pruneText(files, { isRemoved, command }),
    options,
    io,
  );
  return EXIT.ok;
}
