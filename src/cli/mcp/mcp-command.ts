import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import pLimit from 'p-limit';
import { defined } from '../../kernel/defined.ts';
import { EXIT } from '../../kernel/diagnostic.ts';
import { findRoot } from '../../reconciler/project/repository-layout.ts';
import { type GlobalOptions, VERSION, workingDirectory } from '../global-options.ts';
import type { Io, OutputStream } from '../io.ts';
import { registerApplyTool } from './apply-tool.ts';
import { registerProposeTool } from './propose-tool.ts';
import { registerReadTools } from './read-tools.ts';
import type { CapturedRun, ToolContext } from './tool-result.ts';

/** Runs a command line of reelform and resolves to its exit code. */
export type RunCommand = (argv: readonly string[], io: Io) => Promise<number>;

const INSTRUCTIONS = `A repository of videos as code. YAML definitions in git describe videos; a plan shows which of them would be rendered.
Start with list_videos and template_info. Read a definition with read_definition and view frames with look.
To change videos, call propose: it checks the edited files, commits them to a new branch and returns the plan with stills before and after. It never changes the working tree and never pushes.
apply renders videos and may cost money. It needs the plan_id of a plan, and asks the user for approval.`;

/**
 * `reelform mcp`: serves the repository to AI agents over stdio until the client disconnects. Tools run in sequence,
 * because they share caches and locks of the repository.
 */
export async function mcpCommand(run: RunCommand, options: GlobalOptions, io: Io): Promise<number> {
  const root = findRoot(workingDirectory(options, io));
  const server = new McpServer({ name: 'reelform', version: VERSION }, { instructions: INSTRUCTIONS });
  const limit = pLimit(1);
  const context: ToolContext = {
    root,
    serialize: (task) => limit(task),
    reelform: (argv, { cwd = root, onStdout } = {}) => captureRun(argv, run, io, { cwd, ...defined({ onStdout }) }),
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

/** Runs a command in this process and captures its output, because stdout carries the protocol. */
async function captureRun(
  argv: readonly string[],
  run: RunCommand,
  io: Io,
  options: { readonly cwd: string; readonly onStdout?: (text: string) => void },
): Promise<CapturedRun> {
  const [stdout, stderr] = [collector(options.onStdout), collector()];
  const exitCode = await run(argv, {
    ...io,
    cwd: options.cwd,
    env: { ...io.env, NO_COLOR: '1' },
    stdout: stdout.stream,
    stderr: stderr.stream,
    interactive: false,
    readInput: async () => '',
    onWriteError: () => {},
    onResize: () => () => {},
    leave: () => {},
  });
  return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
}

function collector(onText?: (text: string) => void): { readonly stream: OutputStream; text(): string } {
  const chunks: string[] = [];
  const write = (text: string): void => {
    chunks.push(text);
    onText?.(text);
  };
  return { stream: { write, isTTY: false, columns: 120, rows: 40 }, text: () => chunks.join('') };
}
