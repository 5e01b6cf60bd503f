import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import pLimit from 'p-limit';
import { EXIT } from '../../diagnostic.ts';
import { findRoot } from '../../project/repository-layout.ts';
import { type GlobalOptions, VERSION, workingDirectory } from '../global-options.ts';
import type { Io } from '../io.ts';
import { registerApplyTool } from './apply-tool.ts';
import { captureRun, type RunCommand } from './captured-run.ts';
import { registerProposeTool } from './propose-tool.ts';
import { registerReadTools } from './read-tools.ts';
import type { ToolContext } from './tool-result.ts';

const INSTRUCTIONS = `A repository of videos as code. YAML definitions in git describe videos; a plan shows which of them would be rendered.
Start with list_videos and template_info. Read a definition with read_definition and view frames with look.
To change videos, call propose: it checks the edited files, commits them to a new branch and returns the plan with stills before and after. It never changes the working tree and never pushes.
apply renders videos and may cost money. It needs the plan_id of a plan, and asks the user for approval.`;

/**
 * `reelform mcp`: serves the repository to AI agents over stdio until the client disconnects. Tools run one after the
 * other, because they share caches and locks of the repository.
 */
export async function mcpCommand(run: RunCommand, options: GlobalOptions, io: Io): Promise<number> {
  const root = findRoot(workingDirectory(options, io));
  const server = new McpServer({ name: 'reelform', version: VERSION }, { instructions: INSTRUCTIONS });
  const limit = pLimit(1);
  const context: ToolContext = {
    root,
    serialize: (task) => limit(task),
    reelform: (argv, { cwd = root, onStdout } = {}) =>
      captureRun(argv, run, io, { cwd, ...(onStdout === undefined ? {} : { onStdout }) }),
  };
  registerReadTools(server, context);
  registerProposeTool(server, context);
  registerApplyTool(server, context);
  const closed = new Promise<void>((resolve) => {
    server.server.onclose = resolve;
  });
  const stopListening = io.onInterrupt(() => void server.close());
  await server.connect(new StdioServerTransport());
  await closed;
  stopListening();
  return EXIT.ok;
}
