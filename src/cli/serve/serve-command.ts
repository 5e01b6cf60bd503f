import { join } from 'node:path';
import { EXIT, hasErrors } from '../../diagnostic.ts';
import { loadProject } from '../../project/load-project.ts';
import { serveText } from '../../report/terminal/serve-text.ts';
import { type ServedPackage, startServer } from '../../server/start-server.ts';
import { tellDiagnostics } from '../diagnose.ts';
import { VERSION } from '../global-options.ts';
import type { Io } from '../io.ts';
import { isAboutTemplates } from '../template/is-about-templates.ts';
import { listenForStop } from './listen-for-stop.ts';
import { openLog } from './open-log.ts';
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

  const log = openLog(io, settings.logFormat, options.color);
  const stop = listenForStop(io);
  try {
    const server = await startServer({ settings, packages, version: VERSION, log, now: () => io.now() });
    const hasTokens = (await server.tokens.list()).some(({ revokedAt }) => revokedAt === null);
    // Where a command in this folder looks that is told nothing.
    const usualDataDirectory = options.directory === undefined ? join(root ?? io.cwd, '.reelform/server') : '';
    io.stderr.write(
      serveText({
        url: server.url,
        metricsUrl: server.metricsUrl,
        settings,
        templates: packages,
        hasTokens,
        usualDataDirectory,
      }),
    );
    await stop.asked;
    await stop.close((closing) => server.close(closing));
  } finally {
    stop.forget();
  }
  return stop.exitCode();
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
