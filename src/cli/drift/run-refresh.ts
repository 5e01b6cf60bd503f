import { type Refreshed, refreshVideos, type Unclear } from '../../apply/refresh-videos.ts';
import { type Diagnostic, ReelformError } from '../../diagnostic.ts';
import type { Lock } from '../../lock/lock.ts';
import type { Config } from '../../project/config.ts';
import type { LookAtUrl } from '../../service/url-look.ts';
import { type AllowList, parseAllowList } from '../../session/sources/allow-list.ts';
import { createUrlLook } from '../../session/sources/look-at-url.ts';
import type { Io } from '../io.ts';
import { type OpenDesired, serviceName } from '../plan/open-desired.ts';
import { openRemoteService } from '../service/open-remote-service.ts';

/** Videos that are looked at at once. */
const CONCURRENCY = 8;
/** Ids that a warning names. */
const NAMED = 3;

/**
 * Looks at what the present service rendered, as far as it is asked for.
 *
 * @throws ReelformError `token_missing`, `service_unauthorized`
 */
export async function runRefresh(
  repository: OpenDesired,
  lock: Lock,
  isAsked: (id: string) => boolean,
  io: Io,
): Promise<{ refreshed: Refreshed; diagnostics: readonly Diagnostic[] }> {
  const { config } = repository;
  const name = serviceName(config);
  const entries = new Map([...lock.videos].filter(([id, entry]) => entry.service === name && isAsked(id)));
  const service = config.service === 'embedded' || entries.size === 0 ? null : openRemoteService({ config }, io);
  const refreshed = await refreshVideos({
    entries,
    getSession: service === null ? null : (id) => service.getRenderSession(id),
    lookAtUrl: openUrlLook(config, io),
    concurrency: CONCURRENCY,
    signal: new AbortController().signal,
  });
  return { refreshed, diagnostics: warningsOf(refreshed.unclear) };
}

/**
 * A pull request can write any URL into a definition: public hosts alone are asked, beside the service itself and what
 * `REELFORM_ALLOW_SOURCES` names.
 *
 * @throws ReelformError `settings_invalid`
 */
export function openUrlLook(config: Config, io: Io): LookAtUrl {
  return createUrlLook({ allow: allowListOf(config, io.env) });
}

function allowListOf({ service }: Config, env: Io['env']): AllowList {
  const listed = (env.REELFORM_ALLOW_SOURCES ?? '').split(',').map((entry) => entry.trim());
  const own = service === 'embedded' ? [] : [new URL(service.url).host];
  const allowed = parseAllowList([...listed.filter((entry) => entry !== ''), ...own]);
  if (!allowed.ok) {
    const problems = allowed.diagnostics.map(({ message }) => message).join('; ');
    throw new ReelformError('settings_invalid', `In REELFORM_ALLOW_SOURCES: ${problems}`);
  }
  return allowed.value;
}

/** One for each way in which it cannot be told, since a server that is down is that for all of its videos. */
function warningsOf(unclear: readonly Unclear[]): Diagnostic[] {
  const byReason = new Map<string, Set<string>>();
  for (const { id, why } of unclear) byReason.set(why, (byReason.get(why) ?? new Set()).add(id));
  return [...byReason].map(([why, ids]) => {
    const named = [...ids].slice(0, NAMED).join(', ');
    const more = ids.size > NAMED ? `, and ${ids.size - NAMED} more` : '';
    return {
      code: 'refresh_unclear',
      severity: 'warning',
      message: `Whether it still stands cannot be told of ${named}${more}: ${why}`,
      hint: 'Nothing is rendered for that. Try again later; hosts that are not public can be named in REELFORM_ALLOW_SOURCES',
    };
  });
}
