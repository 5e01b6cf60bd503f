import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { planMarkdown, SUMMARY } from '../../report/markdown/plan-markdown.ts';
import { githubAnnotations, githubOutputs, withoutCommands } from '../../report/terminal/github-commands.ts';
import { planText } from '../../report/terminal/plan-text.ts';
import type { GlobalOptions } from '../global-options.ts';
import type { Io } from '../io.ts';
import { appendToJobFile } from '../job-file.ts';
import { folderWithin } from './folder-within.ts';
import type { PrintedPlan } from './printed-plan.ts';

/**
 * A plan for a step of GitHub Actions: in words for its log, where none of them is taken for a command; its problems as
 * annotations; all of it in the summary of the job; and the outputs of the step. What the environment names no file for is
 * not written, and a file that cannot be written is told, and no failure.
 */
export async function printForGithub(
  { document, preview, root }: PrintedPlan,
  options: GlobalOptions & { readonly verbose?: boolean },
  io: Io,
): Promise<void> {
  const { GITHUB_WORKSPACE: workspace } = io.env;
  const text = planText(document, { color: false, trueColor: false, columns: 100, verbose: options.verbose === true });
  io.stdout.write(withoutCommands(text, randomUUID()));
  io.stdout.write(githubAnnotations(document, folderWithin(workspace, root)));
  await appendToJobFile('GITHUB_STEP_SUMMARY', io, async (file) => {
    const budget = await summaryRoom(file);
    return planMarkdown(document, { preview, verbose: true, unit: 'bytes', budget });
  });
  await appendToJobFile('GITHUB_OUTPUT', io, () => githubOutputs(document, `reelform_${randomUUID()}`));
}

/** How many bytes the summary of a step may still have. */
export async function summaryRoom(file: string): Promise<number> {
  const there = (await stat(file).catch(() => ({ size: 0 }))).size;
  return Math.max(2000, SUMMARY - there);
}
