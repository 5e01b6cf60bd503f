import { EXIT, hasErrors, ReelformError } from '../../kernel/diagnostic.ts';
import type { Lock } from '../../reconciler/lock/lock.ts';
import { type Config, isPrivateUrl } from '../../reconciler/project/config.ts';
import { findRoot } from '../../reconciler/project/repository-layout.ts';
import { serviceMovedText } from '../../report/terminal/lock-text.ts';
import { type GlobalOptions, workingDirectory } from '../global-options.ts';
import type { Io } from '../io.ts';
import { printDiagnostics, stdoutStyle } from '../output.ts';
import { openRemoteService } from '../service/open-remote-service.ts';
import { loadDesiredState, serviceName } from '../state/load-desired-state.ts';
import { openJournal } from '../state/open-journal.ts';
import { loadLock, updateLock, withRunLock } from '../state/open-lock.ts';
import { moveRenderings } from './move-renderings.ts';

/**
 * `reelform lock service OLD NEW`: records the renderings of a service under its new address, as far as it has their
 * sessions there. Renders nothing.
 *
 * @param from earlier URL @param to present URL, without slashes at its end
 */
export async function lockServiceCommand(from: string, to: string, options: GlobalOptions, io: Io): Promise<number> {
  const [old, next] = [new URL(from).origin, new URL(to).origin];
  if (old === next) throw new ReelformError('options_conflict', `Both URLs have the origin ${old}`);
  const root = findRoot(workingDirectory(options, io));
  return withRunLock(root, io, async () => {
    const lock = await loadLock(options, io);
    if (lock === null) return EXIT.error;
    const repository = await loadDesiredState(root, { cache: false });
    const { config, diagnostics, source } = repository;
    if (hasErrors(diagnostics)) {
      printDiagnostics(diagnostics, source, options, io);
      return EXIT.error;
    }
    const service = openRemoteService({ config: configAt(to, config) }, io);
    const journal = await openJournal(root, config);
    try {
      const moved = await moveRenderings({ from, to, repository, lock, journal, service, nowMs: io.now() });
      const { entries, attempts, left } = moved;
      const change = (present: Lock): Lock => ({ ...present, videos: new Map([...present.videos, ...entries]) });
      if (entries.length > 0 && (await updateLock(root, change, options, io)) === null) return EXIT.error;
      const configured = serviceName(config);
      const result = {
        from: old,
        to: next,
        moved: { videos: entries.length, attempts },
        left,
        staleUrls: entries.filter(([, entry]) => URL.parse(entry.video_url)?.origin === old).length,
        configured: configured === next ? null : configured,
      };
      io.stdout.write(serviceMovedText(result, stdoutStyle(options, io)));
      return left.length === 0 ? EXIT.ok : EXIT.error;
    } finally {
      await journal.close();
    }
  });
}

/** @throws ReelformError `config_invalid` */
function configAt(url: string, config: Config): Config {
  const { service } = config;
  const present = service === 'embedded' ? null : service;
  // reelform.yaml may allow http for its own service.
  if (!isPrivateUrl(url) && present?.url !== url) {
    throw new ReelformError('config_invalid', `The access token would be sent to ${new URL(url).host} unencrypted`, {
      hint: 'Use https://, or first set service.url to this URL in reelform.yaml, with "allow_http: true" if the network is trusted',
    });
  }
  return { ...config, service: { tokenEnv: 'REELFORM_TOKEN', capabilities: {}, ...present, url } };
}
