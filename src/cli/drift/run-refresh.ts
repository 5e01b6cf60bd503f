import { type Refreshed, refreshVideos, type Unclear } from '../../apply/refresh-videos.ts';
import type { SpecDrift } from '../../apply/spec-changes.ts';
import { type Diagnostic, ReelformError } from '../../diagnostic.ts';
import type { Lock } from '../../lock/lock.ts';
import type { Config } from '../../project/config.ts';
import { specDriftWords } from '../../report/wording/spec-words.ts';
import type { ProbeUrl } from '../../service/urls.ts';
import { type AllowList, parseAllowList } from '../../session/sources/allow-list.ts';
import { createUrlProbe } from '../../session/sources/probe-url.ts';
import { type Io, pause } from '../io.ts';
import { type OpenDesired, serviceName } from '../plan/open-desired.ts';
import { openRemoteService } from '../service/open-remote-service.ts';
import { compareSpecs } from './compare-specs.ts';

/** Videos that are looked at at once. */
const CONCURRENCY = 8;
/** Ids that a warning names. */
const NAMED = 3;

/** What a refresh found out, and what to say about it. */
export interface RanRefresh {
  readonly refreshed: Refreshed;
  readonly specs: readonly SpecDrift[];
  /** Asks about the token and the service where the service has none of the sessions. */
  readonly question: readonly Diagnostic[];
  /** One for each specification, and for each way in which something could not be verified. */
  readonly warnings: readonly Diagnostic[];
}

/**
 * Checks what the present service rendered, and the specifications of its templates, as far as they are asked for.
 *
 * @throws ReelformError `token_missing`, `service_unauthorized`
 */
export async function runRefresh(
  repository: OpenDesired,
  lock: Lock,
  isAsked: (id: string) => boolean,
  io: Io,
): Promise<RanRefresh> {
  const { root, config } = repository;
  const name = serviceName(config);
  const entries = new Map([...lock.videos].filter(([id, entry]) => entry.service === name && isAsked(id)));
  const templates = config.service === 'embedded' ? new Map() : templatesAsked(repository, lock, isAsked);
  const isNeeded = config.service !== 'embedded' && entries.size + templates.size > 0;
  const service = isNeeded ? openRemoteService({ config }, io) : null;
  const common = { wait: (milliseconds: number) => pause(milliseconds, io), concurrency: CONCURRENCY };
  const [refreshed, compared] = await Promise.all([
    refreshVideos({
      ...common,
      entries,
      getSession: service === null ? null : (id) => service.getRenderSession(id),
      lookAtUrl: openUrlLook(config, io),
      signal: new AbortController().signal,
    }),
    service === null ? [] : compareSpecs({ ...common, root, templates, service }),
  ]);
  // A service of which nothing is believed has lost no style version either.
  const specs = refreshed.sessions === 'nothing' ? compared.map(unverified) : compared;
  return {
    refreshed,
    specs,
    question: question(refreshed, config),
    warnings: [
      ...specs.map((spec) => specWarning(spec, config)),
      ...refreshed.resized.map(sizeWarning),
      ...warningsOf(refreshed.unclear),
    ],
  };
}

function sizeWarning({ id }: Refreshed['resized'][number]): Diagnostic {
  return {
    code: 'output_damaged',
    severity: 'warning',
    message: `The video "${id}" does not have the recorded size where it is fetched from`,
    hint: `Nothing is rendered for that. Look at it; reelform apply --replace ${id} renders it again`,
  };
}

/** The templates of the service, without those that only videos have which are not asked for. */
function templatesAsked(
  { config, desired }: OpenDesired,
  { videos }: Lock,
  isAsked: (id: string) => boolean,
): Config['templates'] {
  const used = new Map<string, boolean>();
  const use = (id: string, template: string): unknown => used.set(template, used.get(template) === true || isAsked(id));
  for (const [id, { template }] of videos) use(id, template);
  for (const { id, template } of desired) use(id, template);
  return new Map(
    [...config.templates].filter(([name, { kind }]) => kind === 'style_version' && used.get(name) !== false),
  );
}

function unverified(spec: SpecDrift): SpecDrift {
  const { template, styleVersion } = spec;
  return spec.kind === 'gone' ? { kind: 'unclear', template, styleVersion, why: specDriftWords(spec) } : spec;
}

function question({ sessions, checked }: Refreshed, { service }: Config): Diagnostic[] {
  if (sessions === 'some' || service === 'embedded') return [];
  return [
    {
      code: 'session_gone',
      severity: 'warning',
      message: `${service.url} has none of the ${checked} sessions that are recorded${sessions === 'nothing' ? ', and none of their videos was found' : ''}`,
      hint: `Is the token in ${service.tokenEnv} one of the account that rendered them, and the service the right one? Nothing is rendered for that${
        sessions === 'nothing' ? '; if the videos are gone, reelform apply --replace "**" renders them again' : ''
      }`,
    },
  ];
}

function specWarning(spec: SpecDrift, { templates }: Config): Diagnostic {
  const { template, kind } = spec;
  const at = templates.get(template)?.at;
  const words = specDriftWords(spec);
  const warning = { severity: 'warning' as const, at };
  switch (kind) {
    case 'changed': {
      const message = `The specification of the template ${template} changed at the service: ${words}`;
      return { ...warning, code: 'schema_outdated', message, hint: `Run reelform pull ${template}, and commit` };
    }
    case 'gone': {
      const hint =
        'Check the token and the service, or name another style version in reelform.yaml and run reelform pull';
      return { ...warning, code: 'schema_outdated', message: `Of the template ${template} ${words}`, hint };
    }
    case 'unclear': {
      const message = `The specification of the template ${template} could not be compared: ${words}`;
      return { ...warning, code: 'refresh_unclear', message, hint: 'Try again later' };
    }
  }
}

/**
 * A pull request can write any URL into a definition: public hosts alone are asked, beside the service itself and what
 * `REELFORM_ALLOW_SOURCES` names.
 *
 * @throws ReelformError `settings_invalid`
 */
export function openUrlLook(config: Config, io: Io): ProbeUrl {
  return createUrlProbe({ allow: allowListOf(config, io.env) });
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
