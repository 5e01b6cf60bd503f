import { join } from 'node:path';
import { EXIT, hasErrors } from '../../diagnostic.ts';
import { loadProject } from '../../project/load-project.ts';
import { logLine } from '../../report/log-line.ts';
import { serveText } from '../../report/serve-text.ts';
import type { ServeSettings } from '../../server/settings-table.ts';
import { type ServedPackage, startServer } from '../../server/start-server.ts';
import { tellDiagnostics } from '../diagnose.ts';
import { type Io, type Output, wantsColor } from '../io.ts';
import { isAboutTemplates } from '../template/is-about-templates.ts';
import { openSettings, type SettingsFlags } from './open-settings.ts';

/** `reelform serve`: the service of the interface document, until it is asked to stop. */
export async function serveCommand(
  options: SettingsFlags,
  flags: ReadonlyMap<string, readonly string[]>,
  io: Io,
): Promise<number> {
  const opened = await openSettings(options, flags, io);
  if (opened === null) return EXIT.error;
  const { settings, root } = opened;
  const packages = root === null ? [] : await readPackages(root, options, io);
  if (packages === null) return EXIT.error;

  const log = logTo(io.stdout, settings.logFormat, wantsColor(io.stdout, io.env, options.color));
  const stop = listenForStop(io);
  try {
    const server = await startServer({ settings, packages, log, now: () => io.now() });
    const hasTokens = (await server.tokens.list()).some(({ revokedAt }) => revokedAt === null);
    // Where a command in this folder looks that is told nothing.
    const usualDataDirectory = options.directory === undefined ? join(root ?? io.cwd, '.reelform/server') : '';
    io.stderr.write(serveText({ url: server.url, settings, templates: packages, hasTokens, usualDataDirectory }));
    await stop.asked;
    io.stderr.write('Stopping: renders at work may finish. Interrupt again to stop them, too.\n');
    void stop.hurried.then(() => server.close({ now: true }));
    await server.close();
  } finally {
    stop.close();
  }
  return stop.count() > 1 ? EXIT.interrupted : EXIT.ok;
}

/** The templates of the repository; null when one of them cannot be used, which has been told. */
async function readPackages(root: string, options: SettingsFlags, io: Io): Promise<ServedPackage[] | null> {
  const project = await loadProject({ cwd: root });
  const problems = project.diagnostics.filter(isAboutTemplates);
  tellDiagnostics(problems, project.source, options, io);
  if (hasErrors(problems)) return null;
  return [...project.templates.values()].flatMap(({ name, package: template, files }) =>
    template === null || files === null ? [] : [{ name, package: template, files }],
  );
}

/** The first signal asks to stop, the second to hurry; the third does not ask. */
function listenForStop(io: Io): {
  asked: Promise<void>;
  hurried: Promise<void>;
  count(): number;
  close(): void;
} {
  const resolvers: (() => void)[] = [];
  const next = (): Promise<void> => new Promise((resolve) => resolvers.push(resolve));
  const [asked, hurried] = [next(), next()];
  let count = 0;
  const close = io.onInterrupt(() => {
    resolvers[count]?.();
    count += 1;
    if (count > 2) io.leave(EXIT.interrupted);
  });
  return { asked, hurried, count: () => count, close };
}

/** Lines of JSON, or lines for people. */
function logTo(output: Output, format: ServeSettings['logFormat'], color: boolean): { write(line: string): void } {
  const isPretty = format === 'pretty' || (format === 'auto' && output.isTTY);
  return isPretty ? { write: (line) => output.write(logLine(line, { color })) } : output;
}
