import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';
import { EXIT } from '../../kernel/diagnostic.ts';
import { targetFlags } from './read-tools.ts';
import { commandResult, failed, runTool, type ToolContext } from './tool-result.ts';

/** Asks the user for approval; `unsupported` if the client cannot ask. */
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
