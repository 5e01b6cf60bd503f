import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { EXIT } from '../../kernel/diagnostic.ts';
import { logLine } from '../../report/terminal/serve-text.ts';
import { readSettings, redactSettings } from '../../service/server/settings/read-settings.ts';
import type { Settings } from '../../service/server/settings/settings-table.ts';
import { renderCapacity } from '../../service/sessions/processes/render-pool.ts';
import { type GlobalOptions, repositoryRoot, workingDirectory } from '../global-options.ts';
import { type Io, wantsColor } from '../io.ts';
import { printDiagnostics } from '../output.ts';

const SETTINGS_FILE = 'reelform-server.yaml';
/** Time to return jobs to the queue after a fault. Their leases expire by themselves if it does not suffice. */
const FAULT_MS = 15_000;

/** Options that name settings. */
export interface SettingsFlags extends GlobalOptions {
  readonly config?: string;
}

/**
 * Loads the settings of the server for a folder.
 *
 * @param flags flag → its values
 * @returns the settings, and the root of the repository around the folder, if any; null if the settings are
 *   invalid, with the errors printed
 */
export async function openSettings(
  options: SettingsFlags,
  flags: ReadonlyMap<string, readonly string[]>,
  io: Io,
): Promise<{ readonly settings: Settings; readonly root: string | null } | null> {
  const cwd = workingDirectory(options, io);
  const root = repositoryRoot(options, io);
  const directory = root ?? cwd;
  const file = await openFile(options.config === undefined ? null : resolve(cwd, options.config), directory, cwd);
  const machine = { directory, capacity: renderCapacity() };
  const settings = readSettings({ flags, env: io.env, file, cwd, machine });
  if (settings.ok) return { settings: settings.value, root };
  printDiagnostics(
    settings.diagnostics,
    (name) => (name === file?.name ? redactSettings(name, file.text) : undefined),
    options,
    io,
  );
  return null;
}

async function openFile(
  named: string | null,
  directory: string,
  cwd: string,
): Promise<{ name: string; text: string; directory: string } | null> {
  const path = named ?? join(directory, SETTINGS_FILE);
  // Only an explicit file has to exist.
  if (named === null && !existsSync(path)) return null;
  return { name: relative(cwd, path), text: await readFile(path, 'utf8'), directory: dirname(path) };
}

/** A started server or worker. */
interface RunningServer {
  /** Waits for running renders, or ends them if `now` is set. May be called again to hurry. */
  close(options?: { readonly now: boolean }): Promise<void>;
}

/** Input of the commands `serve` and `worker`. */
interface ServerCommand {
  readonly options: SettingsFlags;
  /** Flag → its values. */
  readonly flags: ReadonlyMap<string, readonly string[]>;
  readonly io: Io;
}

/** The environment of a server or worker that is about to start. */
interface ServerOpening {
  readonly settings: Settings;
  /** Root of the repository around the working directory, if any. */
  readonly root: string | null;
  readonly log: { write(line: string): void };
}

/**
 * Reads the settings, starts a server or a worker, and closes it at the first signal. The second signal ends running
 * renders, and the third signal ends the process. A signal during the start ends the process at once.
 *
 * An error that no code handles may leave the process in any state, so it ends as after two signals, with another exit status:
 * its jobs return to the queue without using up an attempt.
 *
 * @param start returns null if it cannot start, with the errors printed
 * @returns the exit status
 */
export async function runServer(
  { options, flags, io }: ServerCommand,
  start: (opening: ServerOpening) => Promise<RunningServer | null>,
): Promise<number> {
  const opened = await openSettings(options, flags, io);
  if (opened === null) return EXIT.error;
  const log = openLog(io, opened.settings.logFormat, options.color);
  let isStarting = true;
  let signalCount = 0;
  const resolvers: (() => void)[] = [];
  const nextSignal = (): Promise<void> => new Promise((resolve) => resolvers.push(resolve));
  const [firstSignal, secondSignal] = [nextSignal(), nextSignal()];
  let hasFault = false;
  const stopWatching = io.onFault((error) => {
    const description = error instanceof Error ? (error.stack ?? error.message) : String(error);
    io.stderr.write(`Internal error, please report it: ${description}\n`);
    if (isStarting) io.leave(EXIT.error);
    if (hasFault) return;
    hasFault = true;
    io.after(FAULT_MS, () => io.leave(EXIT.error));
    for (const resolve of resolvers) resolve();
  });
  const stopListening = io.onInterrupt(() => {
    if (isStarting) io.leave(EXIT.ok);
    resolvers[signalCount]?.();
    signalCount += 1;
    if (signalCount > 2) io.leave(EXIT.interrupted);
  });
  try {
    const server = await start({ ...opened, log });
    isStarting = false;
    if (server === null) return EXIT.error;
    await firstSignal;
    if (hasFault) io.stderr.write('Stopping. Running renders return to the queue.\n');
    else io.stderr.write('Stopping after running renders have finished. Interrupt again to stop them too.\n');
    void secondSignal.then(() => server.close({ now: true }));
    await server.close();
  } finally {
    stopListening();
    stopWatching();
  }
  if (hasFault) io.leave(EXIT.error);
  return signalCount > 1 ? EXIT.interrupted : EXIT.ok;
}

/**
 * Opens the log of a server on stdout, as JSON lines or as text. Lines that cannot be written, for example on a full
 * disk, are dropped: the server continues, reports it once on stderr, and writes again when it can.
 *
 * @param color false after `--no-color`
 */
function openLog(io: Io, format: Settings['logFormat'], color: boolean): { write(line: string): void } {
  let isReported = false;
  io.onWriteError((code) => {
    if (isReported) return;
    isReported = true;
    io.stderr.write(`The log cannot be written (${code}); messages are lost until it can\n`);
  });
  const output = io.stdout;
  const isPretty = format === 'pretty' || (format === 'auto' && output.isTTY);
  if (!isPretty) return output;
  const options = { color: wantsColor(output, io.env, color) };
  return { write: (line) => output.write(logLine(line, options)) };
}
