import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  createMessageConnection,
  type MessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-jsonrpc/node.js';

export interface EditorPosition {
  /** Counted from 0. */
  readonly line: number;
  readonly character: number;
}

export interface EditorProblem {
  readonly message: string;
  readonly range: { readonly start: EditorPosition; readonly end: EditorPosition };
}

export interface EditorProposal {
  readonly label: string;
  readonly documentation?: string | { readonly value: string };
  readonly insertText?: string;
}

/** An editor with the YAML extension: the YAML language server, driven over LSP. */
export class YamlEditor {
  readonly #server: ChildProcess;
  readonly #connection: MessageConnection;
  readonly #problems = new Map<string, (problems: EditorProblem[]) => void>();
  readonly #root: string;

  private constructor(root: string, server: ChildProcess) {
    this.#root = root;
    this.#server = server;
    this.#connection = createMessageConnection(
      new StreamMessageReader(server.stdout!),
      new StreamMessageWriter(server.stdin!),
    );
  }

  static async open(root: string): Promise<YamlEditor> {
    const bin = join(dirname(createRequire(import.meta.url).resolve('yaml-language-server/package.json')), 'bin');
    const server = spawn(process.execPath, [join(bin, 'yaml-language-server'), '--stdio'], { stdio: 'pipe' });
    const editor = new YamlEditor(root, server);
    const connection = editor.#connection;
    connection.onRequest('workspace/configuration', ({ items }: { items: { section: string }[] }) =>
      items.map(({ section }) =>
        section === 'yaml' ? { validate: true, hover: true, completion: true, schemaStore: { enable: false } } : null,
      ),
    );
    connection.onRequest('client/registerCapability', () => null);
    connection.onNotification(
      'textDocument/publishDiagnostics',
      (sent: { uri: string; diagnostics: EditorProblem[] }) => editor.#problems.get(sent.uri)?.(sent.diagnostics),
    );
    connection.listen();
    await connection.sendRequest('initialize', {
      processId: process.pid,
      rootUri: pathToFileURL(root).href,
      capabilities: {
        workspace: { configuration: true },
        textDocument: {
          completion: { completionItem: { snippetSupport: true, documentationFormat: ['markdown', 'plaintext'] } },
          hover: { contentFormat: ['markdown', 'plaintext'] },
          publishDiagnostics: {},
        },
      },
    });
    await connection.sendNotification('initialized', {});
    return editor;
  }

  /** Opens a document and waits for the diagnostics of the server. */
  async problems(path: string, text: string): Promise<EditorProblem[]> {
    const uri = pathToFileURL(join(this.#root, path)).href;
    const said = new Promise<EditorProblem[]>((resolve) => this.#problems.set(uri, resolve));
    await this.#connection.sendNotification('textDocument/didOpen', {
      textDocument: { uri, languageId: 'yaml', version: 1, text },
    });
    return said;
  }

  async proposals(path: string, position: EditorPosition): Promise<EditorProposal[]> {
    const textDocument = { uri: pathToFileURL(join(this.#root, path)).href };
    const list = await this.#connection.sendRequest<{ items: EditorProposal[] }>('textDocument/completion', {
      textDocument,
      position,
    });
    return list.items;
  }

  async hover(path: string, position: EditorPosition): Promise<string> {
    const textDocument = { uri: pathToFileURL(join(this.#root, path)).href };
    const hover = await this.#connection.sendRequest<{ contents: { value: string } } | null>('textDocument/hover', {
      textDocument,
      position,
    });
    return hover?.contents.value ?? '';
  }

  async close(): Promise<void> {
    await this.#connection.sendRequest('shutdown');
    await this.#connection.sendNotification('exit');
    this.#connection.dispose();
    this.#server.kill();
  }
}
