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
import { targetFlags } from './read-tools.ts';
import { commandResult, failed, imageContent, runTool, type ToolContext, textContent } from './tool-result.ts';

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
        : [textContent(`${id} ${side}, at ${still.timeSeconds} s:`), imageContent(image.bytes, image.contentType)],
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

/** Asks the user; false if the client cannot ask. */
type AskUser = (question: string) => Promise<'approved' | 'declined' | 'unsupported'>;

/** Registers `apply`. The client asks its user for approval of the plan: an agent cannot approve it. */
export function registerApplyTool(server: McpServer, context: ToolContext): void {
  server.registerTool(
    'apply',
    {
      description:
        'Renders the videos of a plan and records them in the lockfile. May cost money. Fails unless the current plan has this plan_id and the user approves it.',
      inputSchema: {
        plan_id: z
          .string()
          .regex(/^sha256:[0-9a-f]{64}$/)
          .describe('plan_id of the plan tool'),
        target: z.array(z.string().min(1)).max(100).optional().describe('The same globs as for the plan tool'),
      },
      annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
    },
    ({ plan_id, target = [] }, extra) => {
      const token = extra._meta?.progressToken;
      let progress = 0;
      const onProgress = (): void => {
        if (token === undefined) return;
        progress += 1;
        const params = { progressToken: token, progress };
        void extra.sendNotification({ method: 'notifications/progress', params }).catch(() => {});
      };
      return runTool(context, () => apply({ planId: plan_id, target }, askUser(server), context, onProgress));
    },
  );
}

async function apply(
  { planId, target }: { readonly planId: string; readonly target: readonly string[] },
  ask: AskUser,
  { reelform }: ToolContext,
  onProgress: () => void,
): Promise<CallToolResult> {
  const flags = targetFlags(target);
  const plan = await reelform(['plan', ...flags]);
  const document = await reelform(['plan', '--json', ...flags]);
  if (document.exitCode !== EXIT.ok) return commandResult(document, true);
  const { plan_id: current } = JSON.parse(document.stdout) as { plan_id: string };
  if (current !== planId) {
    return failed(
      `error plan_stale: The current plan is ${current}, not ${planId}\nhint: Call plan and show it to the user`,
    );
  }
  const answer = await ask(`Apply the plan ${planId.slice(0, 19)}?\n\n${plan.stdout}`);
  if (answer === 'declined') return failed('error not_approved: The user did not approve the plan');
  if (answer === 'unsupported') {
    const command = ['reelform', 'apply', '--expect-plan', planId, ...flags].join(' ');
    return failed(`error not_approved: This client cannot ask its user\nhint: Ask the user to run: ${command}`);
  }
  const argv = ['apply', '--json', '--auto-approve', '--expect-plan', planId, ...flags];
  const ran = await reelform(argv, { onStdout: onProgress });
  return commandResult(ran, ran.exitCode !== EXIT.ok);
}

function askUser({ server }: McpServer): AskUser {
  return async (message) => {
    if (server.getClientCapabilities()?.elicitation === undefined) return 'unsupported';
    const approve = { type: 'boolean', title: 'Render and record these videos', default: false } as const;
    const { action, content } = await server.elicitInput({
      message,
      requestedSchema: { type: 'object', properties: { approve }, required: ['approve'] },
    });
    return action === 'accept' && content?.approve === true ? 'approved' : 'declined';
  };
}
