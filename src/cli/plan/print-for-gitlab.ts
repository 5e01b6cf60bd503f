import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../../project/write-file.ts';
import { gitlabCodeQuality, gitlabTerraform } from '../../report/json/gitlab-reports.ts';
import { planMarkdown } from '../../report/markdown/plan-markdown.ts';
import type { GlobalOptions } from '../global-options.ts';
import type { Io } from '../io.ts';
import { folderWithin } from './folder-within.ts';
import type { PrintedPlan } from './printed-plan.ts';
import { showPlan } from './show-plan.ts';

/** Below the repository. */
const FOLDER = '.reelform/gitlab';

/**
 * A plan for a job of GitLab CI: in words for its log, and in `.reelform/gitlab/` the files of its reports,
 * `terraform.json` and `codequality.json`, and `note.md`, the text of a note.
 */
export async function printForGitlab(
  { document, preview, root }: PrintedPlan,
  options: GlobalOptions & { readonly verbose?: boolean },
  io: Io,
): Promise<void> {
  showPlan(document, io.stdout, options, io);
  const folder = join(root, FOLDER);
  await mkdir(folder, { recursive: true });
  const files = {
    'terraform.json': gitlabTerraform(document),
    'codequality.json': gitlabCodeQuality(document, folderWithin(io.env.CI_PROJECT_DIR, root)),
    'note.md': planMarkdown(document, { preview }),
  };
  for (const [name, text] of Object.entries(files)) await writeFileAtomic(join(folder, name), text);
}
