import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { build } from 'esbuild';
import { execa } from 'execa';
import type { TreeAnswer, TreeTask } from './tree-tasks.ts';

const TASKS = 'bench/trees/tree-tasks.ts';

/** The code of a checkout in a process of its own, which does one task at a time. */
export class TreeProgram {
  /** Of the checkout, with `-dirty` if its files differ from the commit. */
  readonly commit: string;
  readonly #child: ChildProcess;

  private constructor(commit: string, child: ChildProcess) {
    this.commit = commit;
    this.#child = child;
  }

  /** @param tree a checkout that is built */
  static async start(tree: string): Promise<TreeProgram> {
    // Below dist/, where the engine finds the files that its threads start from.
    const folder = join(tree, 'dist/trees');
    mkdirSync(folder, { recursive: true });
    const outfile = join(folder, `${process.pid}.mjs`);
    await build({
      entryPoints: [TASKS],
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20.19',
      packages: 'external',
      logLevel: 'warning',
      plugins: [
        {
          name: 'code-of-tree',
          setup({ onResolve }) {
            onResolve({ filter: /\/src\// }, ({ path, resolveDir }) => ({
              path: join(tree, relative('.', resolve(resolveDir, path))),
            }));
          },
        },
      ],
    });
    const { stdout } = await execa('git', ['describe', '--always', '--dirty', '--exclude=*'], { cwd: tree });
    // As the render processes run.
    return new TreeProgram(stdout, fork(outfile, { cwd: tree, execArgv: ['--expose-gc'] }));
  }

  async run(task: TreeTask): Promise<TreeAnswer> {
    const controller = new AbortController();
    const { signal } = controller;
    const ended = once(this.#child, 'exit', { signal }).then(([code]) => {
      throw new Error(`The process of a checkout ended: ${code}`);
    });
    const answered = once(this.#child, 'message', { signal });
    this.#child.send(task);
    const [answer] = (await Promise.race([answered, ended])) as [TreeAnswer];
    ended.catch(() => undefined);
    controller.abort();
    return answer;
  }

  stop(): void {
    this.#child.disconnect();
  }
}
