import { planJson } from '../../report/json/command-json.ts';
import type { GlobalOptions } from '../global-options.ts';
import type { Io } from '../io.ts';
import type { PlanFormat } from './plan-format.ts';
import type { PrintedPlan } from './printed-plan.ts';
import { showPlan } from './show-plan.ts';

/** Writes a plan as it was asked for: to stdout, and for a forge to where its jobs look for it. */
export async function printPlan(
  printed: PrintedPlan,
  format: PlanFormat,
  options: GlobalOptions & { readonly verbose?: boolean },
  io: Io,
): Promise<void> {
  const { document, preview } = printed;
  const verbose = options.verbose === true;
  switch (format) {
    case 'text': {
      showPlan(document, io.stdout, options, io);
      if (preview === null) return;
      const { previewText } = await import('../../report/terminal/preview-text.ts');
      return io.stdout.write(previewText(preview));
    }
    case 'json':
      return io.stdout.write(planJson(document));
    case 'markdown': {
      const { planMarkdown } = await import('../../report/markdown/plan-markdown.ts');
      return io.stdout.write(planMarkdown(document, { preview, verbose }));
    }
    case 'html': {
      const { planHtml } = await import('../../report/html/plan-html.ts');
      return io.stdout.write(planHtml(document, { preview }));
    }
    case 'github': {
      const { printForGithub } = await import('./print-for-github.ts');
      return printForGithub(printed, options, io);
    }
    case 'gitlab': {
      const { printForGitlab } = await import('./print-for-gitlab.ts');
      return printForGitlab(printed, options, io);
    }
  }
}
