import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pLimit from 'p-limit';
import type { RenderService } from '../../../contract/render-service.ts';
import { ServiceError } from '../../../contract/service-error.ts';
import { type Diagnostic, warningAt } from '../../../kernel/diagnostic.ts';
import { byCodeUnit } from '../../../kernel/digest.ts';
import {
  type Finding,
  PAUSES_MS,
  type Refreshed,
  refreshVideos,
  type Unclear,
} from '../../../reconciler/apply/refresh-videos.ts';
import { type SpecDrift, specChanges } from '../../../reconciler/apply/spec-changes.ts';
import { remoteUrls, templatesOf } from '../../../reconciler/definition/video.ts';
import type { Lock } from '../../../reconciler/lock/lock.ts';
import type { Config } from '../../../reconciler/project/config.ts';
import { outdatedFiles, schemaFiles } from '../../../reconciler/project/schema-files.ts';
import { parseSpec } from '../../../reconciler/schema/parse-spec.ts';
import { displayUrl } from '../../../report/wording/display-text.ts';
import { specDriftWords } from '../../../report/wording/drift-words.ts';
import { countNoun } from '../../../report/wording/quantities.ts';
import type { Io } from '../../io.ts';
import { openRemoteService, openUrlProbe } from '../../service/open-remote-service.ts';
import { type DesiredState, serviceName } from '../../state/load-desired-state.ts';
import { fetchSpec } from '../../template/pull-command.ts';

/** Number of videos that are checked in parallel. */
const CONCURRENCY = 8;
/** Number of ids or URLs that a warning names. */
const NAMED = 3;

/** Results of a refresh and the diagnostics for them. */
interface RefreshReport {
  readonly refreshed: Refreshed;
  readonly specs: readonly SpecDrift[];
  /** Warns about the token and the service if the service has none of the sessions. */
  readonly question: readonly Diagnostic[];
  /** Warnings: for each changed specification, and for each reason that something could not be verified. */
  readonly warnings: readonly Diagnostic[];
}

/**
 * Checks the selected videos that the configured service rendered, and the specifications of their templates.
 *
 * @throws ReelformError `token_missing`, `service_unauthorized`
 */
export async function runRefresh(
  repository: DesiredState,
  lock: Lock,
  isAsked: (id: string) => boolean,
  io: Io,
): Promise<RefreshReport> {
  const { root, config } = repository;
  const name = serviceName(config);
  const entries = new Map([...lock.videos].filter(([id, entry]) => entry.service === name && isAsked(id)));
  const upToDate = repository.desired.filter(({ id, fingerprint }) => entries.get(id)?.fingerprint === fingerprint);
  const templates = config.service === 'embedded' ? new Map() : templatesAsked(repository, lock, isAsked);
  const isNeeded = config.service !== 'embedded' && entries.size + templates.size > 0;
  const service = isNeeded ? openRemoteService({ config }, io) : null;
  const common = { wait: io.wait, concurrency: CONCURRENCY };
  const [refreshed, compared] = await Promise.all([
    refreshVideos({
      ...common,
      entries,
      sources: new Map(upToDate.map((video) => [video.id, remoteUrls(video)])),
      getSession: service === null ? null : (id) => service.getRenderSession(id),
      probeUrl: openUrlProbe(config, io),
      signal: new AbortController().signal,
    }),
    service === null ? [] : compareSpecs({ ...common, root, templates, service }),
  ]);
  // If no session was found, the service or the token is probably wrong, so missing style versions prove nothing.
  const specs = refreshed.sessions === 'nothing' ? compared.map(unverified) : compared;
  return {
    refreshed,
    specs,
    question: question(refreshed, config),
    warnings: [
      ...specs.map((spec) => specWarning(spec, config)),
      ...refreshed.resized.map(sizeWarning),
      ...expiredWarning(refreshed.findings),
      ...warningsOf(refreshed.unclear),
      ...unversionedWarning(refreshed.notes),
    ],
  };
}

function expiredWarning(findings: readonly Finding[]): Diagnostic[] {
  const ids = findings.flatMap(({ id, what }) => (what === 'link_expired' ? [id] : []));
  if (ids.length === 0) return [];
  const message = `The recorded URL of ${listSome(ids)} has expired, and the session has a new URL`;
  const hint = 'reelform apply --refresh-only records the new URL without rendering, as apply --refresh does';
  return [warningAt('link_expired', undefined, message, hint)];
}

function unversionedWarning(notes: Refreshed['notes']): Diagnostic[] {
  const unversioned = notes.filter(({ what }) => what === 'source_unversioned');
  if (unversioned.length === 0) return [];
  const urls = [...new Set(unversioned.map(({ url }) => displayUrl(url)))];
  const ids = [...new Set(unversioned.map(({ id }) => id))];
  const message = `No version of ${countNoun(urls.length, 'source')} of ${listSome(ids)} is recorded: ${listSome(urls)}`;
  const hint =
    'A change of them cannot be detected. If their server sends an ETag or Last-Modified, the next render records it';
  return [warningAt('refresh_unclear', undefined, message, hint)];
}

/** Lists ids or URLs, at most `NAMED`. */
function listSome(names: readonly string[]): string {
  const more = names.length > NAMED ? `, and ${names.length - NAMED} more` : '';
  return names.slice(0, NAMED).join(', ') + more;
}

function sizeWarning({ id }: Refreshed['resized'][number]): Diagnostic {
  const message = `The size of the video "${id}" at its URL differs from the lockfile`;
  const hint = `This alone renders nothing. Check the video; reelform apply --replace ${id} renders it again`;
  return warningAt('output_damaged', undefined, message, hint);
}

/** Returns the service's templates, except those that only unselected videos use. */
function templatesAsked(
  { config, desired }: DesiredState,
  { videos }: Lock,
  isAsked: (id: string) => boolean,
): Config['templates'] {
  const used = new Map<string, boolean>();
  const use = (id: string, template: string): unknown => used.set(template, used.get(template) === true || isAsked(id));
  for (const [id, { template }] of videos) use(id, template);
  for (const video of desired) for (const template of templatesOf(video)) use(video.id, template);
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
  const isNothing = sessions === 'nothing';
  const message = `${service.url} has none of the ${checked} recorded sessions${isNothing ? ', and none of their videos was found' : ''}`;
  const again = isNothing ? '; if the videos are gone, reelform apply --replace "**" renders them again' : '';
  const hint = `Check that the service is right and that the token in ${service.tokenEnv} belongs to the account that rendered them. This alone renders nothing${again}`;
  return [warningAt('session_gone', undefined, message, hint)];
}

function specWarning(spec: SpecDrift, { templates }: Config): Diagnostic {
  const { template, kind } = spec;
  const at = templates.get(template)?.at;
  const words = specDriftWords(spec);
  switch (kind) {
    case 'changed': {
      const message = `The specification of the template ${template} changed on the service: ${words}`;
      return warningAt('schema_outdated', at, message, `Run reelform pull ${template}, and commit`);
    }
    case 'gone': {
      const hint =
        'Check the token and the service, or name another style version in reelform.yaml and run reelform pull';
      return warningAt('schema_outdated', at, `Template ${template}: ${words}`, hint);
    }
    case 'unclear': {
      const message = `The specification of the template ${template} could not be compared: ${words}`;
      return warningAt('refresh_unclear', at, message, 'Try again later');
    }
  }
}

/** Returns one warning per reason, because an unreachable server affects all of its videos. */
function warningsOf(unclear: readonly Unclear[]): Diagnostic[] {
  const byReason = new Map<string, Set<string>>();
  for (const { id, why } of unclear) byReason.set(why, (byReason.get(why) ?? new Set()).add(id));
  return [...byReason].map(([why, ids]) => {
    const hint = 'This alone renders nothing. Try again later; add non-public hosts to REELFORM_ALLOW_SOURCES';
    return warningAt('refresh_unclear', undefined, `Could not verify ${listSome([...ids])}: ${why}`, hint);
  });
}

interface CompareSpecsInput {
  /** Absolute. */
  readonly root: string;
  readonly templates: Config['templates'];
  readonly service: RenderService;
  readonly wait: (milliseconds: number) => Promise<unknown>;
  /** Maximum number of parallel requests, ≥ 1. */
  readonly concurrency: number;
}

/**
 * Compares the committed specification of each of the service's templates with the current specification, like `pull --check`.
 *
 * @returns differences and failed comparisons, sorted by template
 * @throws ReelformError `service_unauthorized`
 */
async function compareSpecs({ templates, ...input }: CompareSpecsInput): Promise<SpecDrift[]> {
  const limit = pLimit(input.concurrency);
  const compared = await Promise.all(
    [...templates].map(async ([name, template]) => {
      return template.kind === 'package' ? null : limit(() => compareSpec(name, template.id, input));
    }),
  );
  return compared.filter((drift) => drift !== null).sort((a, b) => byCodeUnit(a.template, b.template));
}

async function compareSpec(
  template: string,
  styleVersion: string,
  { root, service, wait }: Omit<CompareSpecsInput, 'templates'>,
): Promise<SpecDrift | null> {
  for (let misses = 0; ; misses += 1) {
    try {
      const spec = await fetchSpec(styleVersion, service);
      const [file] = schemaFiles(template, spec);
      if (outdatedFiles(root, [file]).length === 0) return null;
      const committed = parseSpec(file.path, readFileSync(join(root, file.path), 'utf8'));
      const changes = committed.ok ? specChanges(committed.value, spec) : [];
      return { kind: 'changed', template, styleVersion, changes };
    } catch (error) {
      const { code, message } = error as { readonly code?: unknown; readonly message: string };
      if (code === 'service_unauthorized') throw error;
      const isMissing = error instanceof ServiceError && (error.status === 404 || error.status === 410);
      if (!isMissing) return { kind: 'unclear', template, styleVersion, why: message };
      const pauseMs = PAUSES_MS[misses];
      if (pauseMs === undefined) return { kind: 'gone', template, styleVersion };
      await wait(pauseMs);
    }
  }
}
