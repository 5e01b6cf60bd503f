import { lstat, mkdir, realpath, rm, writeFile } from 'node:fs/promises';
import { dirname, join, posix, sep } from 'node:path';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';
import { EXIT, ReelformError } from '../../kernel/diagnostic.ts';
import { nullIfMissing } from '../../kernel/file-system-error.ts';
import { temporaryFolder, tryToRemove } from '../../kernel/temporary-folder.ts';
import { headLocation } from '../../reconciler/git/revisions.ts';
import { runGit, tryGit } from '../../reconciler/git/run-git.ts';
import { loadProject } from '../../reconciler/project/load-project.ts';
import { mostChangedStill } from '../../report/preview/plan-preview.ts';
import { readPreview } from '../../report/preview/read-preview.ts';
import { momentWords } from '../../report/wording/preview-words.ts';
import { commandResult, imageContent, runTool, type ToolContext, textContent } from './tool-result.ts';

/** Videos whose stills a result contains. */
const MAX_SHOWN = 4;

const FILE = z.object({
  path: z.string().min(1).describe('Path from the root of the repository, in the folder of videos'),
  content: z.string().max(1_000_000).nullable().describe('New content of the file; null removes it'),
});

interface Proposal {
  readonly branch: string;
  readonly message: string;
  readonly files: readonly z.infer<typeof FILE>[];
}

/** Registers `propose`, which commits edited definitions to a new branch. */
export function registerProposeTool(server: McpServer, context: ToolContext): void {
  server.registerTool(
    'propose',
    {
      description:
        'Commits new, edited or removed definitions to a new branch, based on the current commit, and returns the plan of the branch with stills before and after. Creates no branch if the files have errors. Does not change the working tree and does not push.',
      inputSchema: {
        branch: z.string().min(1).max(200).describe('Name of the new branch, such as agent/berlin-headline'),
        message: z.string().min(1).max(5_000).describe('Commit message'),
        files: z.array(FILE).min(1).max(200),
      },
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    },
    (proposal) => runTool(context, () => propose(proposal, context)),
  );
}

async function propose(proposal: Proposal, context: ToolContext): Promise<CallToolResult> {
  const { root } = context;
  await checkBranch(proposal.branch, root);
  await checkPaths(proposal, root);
  const { commit: base, folder: below } = await headLocation(root);
  const folder = temporaryFolder('reelform-proposal-');
  const tree = join(folder, 'tree');
  try {
    await runGit(root, ['worktree', 'add', '--detach', '--quiet', tree, base]);
    return await proposeIn(join(tree, below), folder, { ...proposal, base }, context);
  } finally {
    await tryGit(root, ['worktree', 'remove', '--force', tree]);
    tryToRemove(folder);
  }
}

/** @param project root of the project in the temporary work tree */
async function proposeIn(
  project: string,
  folder: string,
  { branch, message, files, base }: Proposal & { readonly base: string },
  { root, reelform }: ToolContext,
): Promise<CallToolResult> {
  for (const file of files) await writeIn(project, file);
  const checked = await reelform(['validate', '--json'], { cwd: project });
  if (checked.exitCode !== EXIT.ok) return commandResult(checked, true);
  await runGit(project, ['add', '--all', '--', ...files.map(({ path }) => `:(literal)${path}`)]);
  if ((await tryGit(project, ['diff', '--cached', '--quiet'])) !== null) {
    throw refused('The files are the same as in the current commit', 'Change at least one file');
  }
  await runGit(project, ['commit', '--quiet', '--no-verify', '--message', message]);
  const pictures = join(folder, 'preview');
  const preview = ['--preview', 'stills', '--preview-dir', pictures, '--base', base];
  const plan = await reelform(['plan', '--json', '--ignore-missing-outputs', ...preview], { cwd: project });
  if (plan.exitCode !== EXIT.ok) return commandResult(plan, true);
  const { commit } = await headLocation(project);
  await runGit(root, ['branch', '--no-track', branch, commit]);
  const summary = `Created the branch ${branch} with commit ${commit}. Ask a person to review and push it.\nPlan of the branch:`;
  return { content: [textContent(summary), textContent(plan.stdout), ...(await stillsOf(pictures))] };
}

async function stillsOf(pictures: string): Promise<CallToolResult['content']> {
  const { videos } = await readPreview(pictures);
  return [...videos].slice(0, MAX_SHOWN).flatMap(([id, { stills }]) => {
    const still = mostChangedStill(stills);
    if (still === undefined) return [];
    const sides = [['before', still.before] as const, ['after', still.after] as const];
    return sides.flatMap(([side, image]) =>
      image === null
        ? []
        : [textContent(`${id} ${side}, ${momentWords(still)}:`), imageContent(image.bytes, image.contentType)],
    );
  });
}

async function checkBranch(branch: string, root: string): Promise<void> {
  // git would parse a leading hyphen as an option.
  const isPlain = !/^-|[\0-\x20\x7f]/.test(branch);
  if (!isPlain || (await tryGit(root, ['check-ref-format', '--branch', branch])) === null) {
    throw refused(`${JSON.stringify(branch)} is not a branch name`, 'Write it like agent/berlin-headline');
  }
  if ((await tryGit(root, ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`])) !== null) {
    throw refused(`The branch ${branch} already exists`, 'Choose another name');
  }
}

/** Accepts only paths in the folder of videos: reelform.yaml decides where tokens are sent, and workflows run code. */
async function checkPaths({ files }: Proposal, root: string): Promise<void> {
  const { config } = await loadProject({ cwd: root });
  const folder = config.videos.slice(0, config.videos.search(/[*?{[]|[^/]*$/)).replace(/[^/]*$/, '');
  for (const { path } of files) {
    const isInside = posix.normalize(path) === path && !posix.isAbsolute(path) && path.startsWith(folder);
    const isHidden = path.includes('\\') || path.split('/').some((part) => part === '..' || part.startsWith('.'));
    if (isInside && !isHidden && (folder !== '' || /\.ya?ml$/.test(path)) && path !== 'reelform.yaml') continue;
    throw refused(
      `${JSON.stringify(path)} cannot be proposed`,
      `Write only files in ${folder || 'the root'}, without ".."`,
    );
  }
}

/** Writes a file, unless a link leads out of the project. */
async function writeIn(project: string, { path, content }: z.infer<typeof FILE>): Promise<void> {
  const file = join(project, path);
  await mkdir(dirname(file), { recursive: true });
  const [top, folder] = [await realpath(project), await realpath(dirname(file))];
  if (folder !== top && !folder.startsWith(`${top}${sep}`)) {
    throw refused(`${JSON.stringify(path)} leads out of the repository`, 'Choose another path');
  }
  if (content === null && (await nullIfMissing(lstat(file))) === null) {
    throw refused(`${JSON.stringify(path)} cannot be removed, because the current commit has no such file`, 'Omit it');
  }
  // Also replaces a link by a file.
  await rm(file, { force: true });
  if (content !== null) await writeFile(file, content);
}

function refused(message: string, hint: string): ReelformError {
  return new ReelformError('options_conflict', message, { hint });
}
