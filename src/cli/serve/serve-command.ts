import { join } from 'node:path';
import { loadProject } from '../../reconciler/project/load-project.ts';
import { serveText, workerText } from '../../report/terminal/serve-text.ts';
import { SETTING_ROWS } from '../../service/server/settings/settings-table.ts';
import { startServer } from '../../service/server/start-server.ts';
import { startWorker } from '../../service/server/start-worker.ts';
import { VERSION } from '../global-options.ts';
import type { Io } from '../io.ts';
import { areTemplatesUsable } from '../template/template-problems.ts';
import { runServer, type SettingsFlags } from './server-process.ts';

/** `reelform serve`: runs the rendering service until it is stopped. */
export async function serveCommand(
  options: SettingsFlags,
  flags: ReadonlyMap<string, readonly string[]>,
  io: Io,
): Promise<number> {
  return runServer({ options, flags, io }, async ({ settings, root, log }) => {
    const packages = root === null ? [] : await readPackages(root, options, io);
    if (packages === null) return null;
    const server = await startServer({ settings, packages, version: VERSION, log, now: () => io.now() });
    const hasTokens = (await server.tokens.list()).some(({ revokedAt }) => revokedAt === null);
    // The data folder that `reelform token` uses in this directory without options.
    const usualDataDirectory = options.directory === undefined ? join(root ?? io.cwd, '.reelform/server') : '';
    const { url, metricsUrl } = server;
    io.stderr.write(serveText({ url, metricsUrl, settings, templates: packages, hasTokens, usualDataDirectory }));
    return server;
  });
}

/** Loads the templates of the repository; null if a template cannot be used, with the errors printed. */
async function readPackages(root: string, options: SettingsFlags, io: Io) {
  const project = await loadProject({ cwd: root });
  if (!areTemplatesUsable(project, [], options, io)) return null;
  return [...project.templates.values()].flatMap(({ name, package: template, files }) =>
    template === null || files === null ? [] : [{ name, package: template, files }],
  );
}

/** `reelform worker`: renders sessions of its database until it is stopped. */
export async function workerCommand(
  options: SettingsFlags,
  flags: ReadonlyMap<string, readonly string[]>,
  io: Io,
): Promise<number> {
  // The settings file is shared with `serve` and contains the port of that.
  const [, { flag, environment }] = SETTING_ROWS.find(([key]) => key === 'port')!;
  const listens = flags.has(flag!) || (io.env[environment]?.trim() ?? '') !== '';
  return runServer({ options, flags, io }, async ({ settings, log }) => {
    const worker = await startWorker({ settings, listens, version: VERSION, log, now: () => io.now() });
    io.stderr.write(workerText({ ...worker, settings }));
    return worker;
  });
}
