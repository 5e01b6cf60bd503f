import type { UnreadableFont } from '../../report/wording/package-diagnostic.ts';
import { sandboxFromEnvironment } from '../../sandbox/sandbox.ts';
import { createRenderPool } from '../../session/processes/render-pool.ts';
import { TaskKilled } from '../../session/processes/tasks.ts';
import type { PackageFile } from '../../template/template-package.ts';
import type { Io } from '../io.ts';

/**
 * Finds the fonts that no text can be set in because their packed content is damaged. Each is unpacked and opened in a
 * sandboxed process, as a render does; the process is replaced after a font that ends it.
 */
export async function unreadableFonts(fonts: Iterable<PackageFile>, io: Io): Promise<UnreadableFont[]> {
  const processes = createRenderPool({ size: 1, sandbox: sandboxFromEnvironment(io.env) });
  const found: UnreadableFont[] = [];
  try {
    for (const { path, bytes } of fonts) {
      const name = path.replace(/^.*\//, '');
      const problem = await processes.run('font', { name }, { bytes }).catch((error: unknown) => {
        if (error instanceof TaskKilled) return 'The font crashes the program that reads it, or never ends';
        throw error;
      });
      if (problem !== null) found.push({ path, problem });
    }
    return found;
  } finally {
    await processes.close();
  }
}
