import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { PlanDocument } from '../../reconciler/plan/plan-document.ts';
import { writeFileAtomic } from '../../reconciler/project/write-file.ts';
import { planJson } from '../../report/json/command-json.ts';
import type { PlanPreview } from '../../report/preview/plan-preview.ts';
import { planText } from '../../report/terminal/plan-text.ts';
import type { GlobalOptions } from '../global-options.ts';
import { hasTrueColor, type Io, type OutputStream, wantsColor } from '../io.ts';
import type { PlanFormat } from './plan-options.ts';

export interface PrintablePlan {
  readonly document: PlanDocument;
  /** Images of the changes; null if none were drawn. */
  readonly preview: PlanPreview | null;
  /** Absolute path of the repository, or of the working directory if there is none. */
  readonly root: string;
}

type PrintOptions = GlobalOptions & { readonly verbose?: boolean };

/** Prints a plan in one format on stdout; for a forge also into the files that its jobs read. */
export async function printPlan(
  printed: PrintablePlan,
  format: PlanFormat,
  options: PrintOptions,
  io: Io,
): Promise<void> {
  const { document, preview } = printed;
  // Only the report of the requested format is loaded.
  switch (format) {
    case 'text': {
      printPlanText(document, io.stdout, options, io);
      if (preview === null) return;
      const { previewText } = await import('../../report/terminal/preview-text.ts');
      return io.stdout.write(previewText(preview));
    }
    case 'json':
      return io.stdout.write(planJson(document));
    case 'markdown': {
      const { planMarkdown } = await import('../../report/markdown/plan-markdown.ts');
      return io.stdout.write(planMarkdown(document, { preview, verbose: options.verbose === true }));
    }
    case 'html': {
      const { planHtml } = await import('../../report/html/plan-html.ts');
      return io.stdout.write(planHtml(document, { preview }));
    }
    case 'github':
      return printForGitHub(printed, options, io);
    case 'gitlab':
      return printForGitLab(printed, options, io);
  }
}

/** Prints a plan for people, with the colours and the width of the output. */
export function printPlanText(plan: PlanDocument, output: OutputStream, options: PrintOptions, io: Io): void {
  const color = wantsColor(output, io.env, options.color);
  const trueColor = color && hasTrueColor(io.env);
  output.write(planText(plan, { color, trueColor, columns: output.columns, verbose: options.verbose === true }));
}

/**
 * Prints a plan in a step of GitHub Actions: as text in the log, escaped so that no line is executed as a workflow command;
 * its problems as annotations; the whole plan in the summary of the job; and the outputs of the step.
 */
async function printForGitHub(
  { document, preview, root }: PrintablePlan,
  options: PrintOptions,
  io: Io,
): Promise<void> {
  const { appendToJobFile, relativeFolder, summaryBudget } = await import('../forge/forge-job.ts');
  const { githubAnnotations, githubOutputs, withoutCommands } = await import('../../report/terminal/forge-text.ts');
  const { planMarkdown } = await import('../../report/markdown/plan-markdown.ts');
  const text = planText(document, { color: false, trueColor: false, columns: 100, verbose: options.verbose === true });
  io.stdout.write(withoutCommands(text, randomUUID()));
  io.stdout.write(githubAnnotations(document, relativeFolder(io.env.GITHUB_WORKSPACE, root)));
  await appendToJobFile('GITHUB_STEP_SUMMARY', io, async (file) => {
    const budget = await summaryBudget(file);
    return planMarkdown(document, { preview, verbose: true, unit: 'bytes', budget });
  });
  await appendToJobFile('GITHUB_OUTPUT', io, () => githubOutputs(document, `reelform_${randomUUID()}`));
}

/**
 * Prints a plan in a job of GitLab CI: as text in the log, and in `.reelform/gitlab/` as the files of its reports,
 * `terraform.json` and `codequality.json`, and as `note.md`, the text of a note.
 */
async function printForGitLab(
  { document, preview, root }: PrintablePlan,
  options: PrintOptions,
  io: Io,
): Promise<void> {
  const { relativeFolder } = await import('../forge/forge-job.ts');
  const { gitlabCodeQuality, gitlabTerraform } = await import('../../report/json/gitlab-reports.ts');
  const { planMarkdown } = await import('../../report/markdown/plan-markdown.ts');
  printPlanText(document, io.stdout, options, io);
  const folder = join(root, '.reelform/gitlab');
  await mkdir(folder, { recursive: true });
  const files = {
    'terraform.json': gitlabTerraform(document),
    'codequality.json': gitlabCodeQuality(document, relativeFolder(io.env.CI_PROJECT_DIR, root)),
    'note.md': planMarkdown(document, { preview }),
  };
  for (const [name, text] of Object.entries(files)) await writeFileAtomic(join(folder, name), text);
}
