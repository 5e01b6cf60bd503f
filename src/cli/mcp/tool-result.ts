import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { ReelformError } from '../../kernel/diagnostic.ts';

/** Exit code and output of a command that ran in this process. */
export interface CapturedRun {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Context that every tool receives. */
export interface ToolContext {
  /** Root of the repository, absolute. */
  readonly root: string;
  /** Runs a reelform command in the repository, or in another folder. */
  reelform(
    argv: readonly string[],
    options?: { readonly cwd?: string; readonly onStdout?: (text: string) => void },
  ): Promise<CapturedRun>;
  /** Runs a task after all earlier tasks. */
  serialize<T>(task: () => Promise<T>): Promise<T>;
}

type Content = CallToolResult['content'][number];

/** Longest text of a result. Longer texts would fill the context of an agent. */
const MAX_CHARACTERS = 100_000;

/** Runs a tool in its turn. Returns errors that the agent can act on as results. */
export function runTool(context: ToolContext, task: () => Promise<CallToolResult>): Promise<CallToolResult> {
  return context.serialize(async () => {
    try {
      return await task();
    } catch (error) {
      if (error instanceof ReelformError) return failed(errorText(error));
      throw error;
    }
  });
}

/** Returns the output of a command: its stdout, then its messages. */
export function commandResult(ran: CapturedRun, isError = ran.exitCode === 1): CallToolResult {
  const content = [ran.stdout, ran.stderr].filter((text) => text.trim() !== '').map(textContent);
  return { content, isError };
}

export function failed(text: string): CallToolResult {
  return { content: [textContent(text)], isError: true };
}

export function textContent(text: string): Content {
  if (text.length <= MAX_CHARACTERS) return { type: 'text', text };
  const note = `\n… ${text.length - MAX_CHARACTERS} more characters. Select fewer videos.`;
  return { type: 'text', text: `${text.slice(0, MAX_CHARACTERS)}${note}` };
}

export function imageContent(bytes: Uint8Array, mimeType: string): Content {
  return { type: 'image', data: Buffer.from(bytes).toString('base64'), mimeType };
}

function errorText({ code, message, hint }: ReelformError): string {
  return `error ${code}: ${message}${hint === undefined ? '' : `\nhint: ${hint}`}`;
}
