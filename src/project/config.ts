import { resolvePath } from '../definition/repository-path.ts';
import type { Credential, SecretPlace } from '../delivery/credential.ts';
import type { Check, Diagnostic, Locate, Result, Span } from '../diagnostic.ts';
import { foldWords } from '../policy/match-text.ts';
import { POLICY_RULES, type Policy, type PolicyLevel, type PolicyRule } from '../policy/policy.ts';
import type { LintSeverities } from '../template/lint-severities.ts';
import type { OutputRequest } from '../wire/output.ts';
import { parseYaml } from '../yaml/parse-yaml.ts';
import { child, locateIn, textOf, toJson } from '../yaml/tree.ts';
import { type DeliveriesConfig, readDeliveries, type WrittenDeliveries } from './deliveries.ts';
import { CONFIG_FILE } from './repository-layout.ts';

/** This machine, or a service that has the interface; `tokenEnv` names the environment variable with its token. */
type ServiceConfig =
  | 'embedded'
  | { readonly url: string; readonly tokenEnv: string; readonly capabilities: ServiceCapabilities };

/** What somebody says that the service has beyond the interface document; absent: it is found out. */
export interface ServiceCapabilities {
  /** For how long it keeps an Idempotency-Key; 0: not at all. */
  readonly keyLifetimeMs?: number;
  /** Whether it lists sessions. */
  readonly list?: boolean;
  /** Whether it delivers finished videos. */
  readonly externalUploads?: boolean;
}

/** A file of this machine, or one on a branch of a remote of git. */
export type JournalConfig = 'file' | { readonly branch: string; readonly remote: string };

export type TemplateConfig =
  /** `path`: a folder or a `.lottie` file, repository-relative. */
  | { readonly kind: 'package'; readonly path: string; readonly at: Span }
  | { readonly kind: 'style_version'; readonly id: string; readonly at: Span };

/** What reelform.yaml says, with its defaults filled in. */
export interface Config extends DeliveriesConfig {
  readonly service: ServiceConfig;
  readonly templates: ReadonlyMap<string, TemplateConfig>;
  /** A glob from the root. */
  readonly videos: string;
  /** Videos at once, 1..1000. */
  readonly concurrency: number;
  /** A plan that renders more is refused; null: any number. */
  readonly maxRenders: number | null;
  /** Where is kept what is in flight. */
  readonly journal: JournalConfig;
  /** How bad it is what a viewer would notice; a code that is not here is a warning. */
  readonly lint: LintSeverities;
  /** A folder, repository-relative, whose fonts every template package has too; null: there is none. */
  readonly fonts: { readonly path: string; readonly at: Span } | null;
  /** How finished files are made where a definition does not say it. */
  readonly output: OutputRequest | null;
  /** What the videos that a plan changes have to keep to. */
  readonly policies: readonly Policy[];
  /** What makes H.264 where this machine renders. */
  readonly encoder: { readonly h264: 'x264' | 'videotoolbox' | 'nvenc' };
  /** Bytes of finished segments that are kept on this machine; 0 for none. */
  readonly cacheBytes: number;
  /** What the service takes for a video, and for a second of it; null: nobody says. */
  readonly cost: { readonly currency: string; readonly perRender: number; readonly perSecond: number } | null;
}

export interface ParsedConfig {
  /** Defaults stand for everything when anything is wrong. */
  readonly config: Config;
  /** All names under `templates`, those with a wrong value among them; `null` when the text cannot be read. */
  readonly templateNames: readonly string[] | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** reelform.yaml as its schema has it. */
interface WrittenConfig extends WrittenDeliveries {
  readonly service?: 'embedded' | WrittenService;
  readonly templates: Readonly<Record<string, string>>;
  readonly videos?: string;
  readonly concurrency?: number;
  readonly max_renders?: number;
  readonly journal?: { readonly git: string; readonly remote?: string };
  readonly lint?: LintSeverities;
  readonly fonts?: string;
  readonly output?: OutputRequest;
  readonly encoder?: Partial<Config['encoder']>;
  readonly cache?: { readonly max_gb?: number };
  readonly policies?: WrittenPolicies;
  readonly cost?: { readonly currency: string; readonly per_render?: number; readonly per_second?: number };
}

interface WrittenService {
  readonly url: string;
  readonly token_env?: string;
  readonly allow_http?: boolean;
  readonly capabilities?: {
    readonly idempotency_hours?: number;
    readonly list?: boolean;
    readonly external_uploads?: boolean;
  };
}

const GB = 2 ** 30;

/** What a configuration without any property would say. */
export const DEFAULT_CONFIG: Config = {
  service: 'embedded',
  templates: new Map(),
  videos: 'videos/**/*.yaml',
  concurrency: 4,
  maxRenders: null,
  journal: 'file',
  lint: {},
  fonts: null,
  output: null,
  encoder: { h264: 'x264' },
  cacheBytes: 2 * GB,
  policies: [],
  cost: null,
  credentials: new Map(),
  deliver: [],
  assets: null,
};

/**
 * The text of reelform.yaml → the configuration, and all that is wrong with it. Never throws on the text.
 *
 * @param directory of the file, absolute
 */
export function parseConfig(file: string, text: string, check: Check, directory: string): ParsedConfig {
  const parsed = parseYaml(file, text);
  if (!parsed.ok) return { config: DEFAULT_CONFIG, templateNames: null, diagnostics: parsed.diagnostics };
  const root = parsed.value ?? { kind: 'map', entries: new Map(), span: { file, start: 0, end: 0 } };
  const locate = locateIn(root);
  const json = toJson(root, (path) => path[0] === 'templates');
  const diagnostics = [...check(json, locate)].map((one) => withEncoderHint(one, json));
  const named = child(root, 'templates');
  const templateNames = named?.kind === 'map' ? [...named.entries.keys()] : [];
  // Definitions are looked for, and checked as far as that goes, even when something else is wrong here.
  const videos = textOf(child(root, 'videos')) ?? DEFAULT_CONFIG.videos;
  const glob = globProblem(videos, locate(['videos'], 'value').span);
  if (glob !== null) diagnostics.push(glob);
  const written = json as unknown as WrittenConfig;
  const templates = diagnostics.length > 0 ? null : readTemplates(written, locate);
  const fonts =
    diagnostics.length > 0 || written.fonts === undefined
      ? null
      : readFolder(written.fonts, './fonts', locate(['fonts'], 'value').span);
  diagnostics.push(...(templates === null ? [] : serviceProblems(written.service, locate)));
  const deliveries =
    templates === null ? null : readDeliveries(written, readService(written.service), directory, locate);
  diagnostics.push(...(templates?.diagnostics ?? []), ...(fonts?.ok === false ? fonts.diagnostics : []));
  const policies = templates === null ? null : readPolicies(written, locate);
  diagnostics.push(...(deliveries?.diagnostics ?? []), ...(policies?.diagnostics ?? []));
  if (diagnostics.length > 0 || templates === null || deliveries === null || policies === null) {
    return { config: { ...DEFAULT_CONFIG, ...(glob === null ? { videos } : {}) }, templateNames, diagnostics };
  }
  const concurrency = written.concurrency ?? DEFAULT_CONFIG.concurrency;
  const maxRenders = written.max_renders ?? DEFAULT_CONFIG.maxRenders;
  return {
    config: {
      service: readService(written.service),
      templates: templates.templates,
      videos,
      concurrency,
      maxRenders,
      journal: readJournal(written.journal),
      lint: written.lint ?? {},
      fonts: fonts?.ok === true ? fonts.value : null,
      output: written.output ?? null,
      encoder: { ...DEFAULT_CONFIG.encoder, ...written.encoder },
      cacheBytes: written.cache?.max_gb === undefined ? DEFAULT_CONFIG.cacheBytes : written.cache.max_gb * GB,
      policies: policies.policies,
      cost: readCost(written.cost),
      credentials: deliveries.credentials,
      deliver: deliveries.deliver,
      assets: deliveries.assets,
    },
    templateNames,
    diagnostics,
  };
}

/** Says of a former value of `encoder` what to do instead. */
function withEncoderHint(diagnostic: Diagnostic, json: unknown): Diagnostic {
  const { encoder } = json as { readonly encoder?: unknown };
  const isRetired = encoder === 'embedded' || encoder === 'ffmpeg';
  if (!isRetired || !diagnostic.message.startsWith('encoder ')) return diagnostic;
  return { ...diagnostic, hint: 'Leave it out: the default makes files as small as ffmpeg did, without ffmpeg' };
}

function readService(service: WrittenConfig['service']): ServiceConfig {
  if (typeof service !== 'object') return 'embedded';
  const { idempotency_hours: hours, list, external_uploads: externalUploads } = service.capabilities ?? {};
  return {
    url: service.url.replace(/\/+$/, ''),
    tokenEnv: service.token_env ?? 'REELFORM_TOKEN',
    capabilities: {
      ...(hours === undefined ? {} : { keyLifetimeMs: hours * 3_600_000 }),
      ...(list === undefined ? {} : { list }),
      ...(externalUploads === undefined ? {} : { externalUploads }),
    },
  };
}

function readCost(cost: WrittenConfig['cost']): Config['cost'] {
  if (cost === undefined) return null;
  return { currency: cost.currency, perRender: cost.per_render ?? 0, perSecond: cost.per_second ?? 0 };
}

function readJournal(journal: WrittenConfig['journal']): JournalConfig {
  return journal === undefined ? 'file' : { branch: journal.git, remote: journal.remote ?? 'origin' };
}

/** A token that is sent over http can be read by everybody on the way; on this machine there is no way. */
function serviceProblems(service: WrittenConfig['service'], locate: Locate): Diagnostic[] {
  if (typeof service !== 'object') return [];
  const problem = (message: string, hint: string): Diagnostic[] => {
    return [{ code: 'config_invalid', severity: 'error', message, hint, at: locate(['service', 'url'], 'value').span }];
  };
  if (!URL.canParse(service.url)) return problem('service.url is no URL', 'Write it like https://api.example.com');
  const { protocol, hostname } = new URL(service.url);
  if (protocol === 'https:' || service.allow_http === true || isLoopback(hostname)) return [];
  return problem(
    `The access token would be sent to ${hostname} in clear`,
    'Write https://, or "allow_http: true" beside the URL where the network between is safe',
  );
}

/** @param hostname as the WHATWG URL parser writes it */
function isLoopback(hostname: string): boolean {
  return /^(?:localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

function readTemplates(
  written: WrittenConfig,
  locate: Locate,
): { templates: Map<string, TemplateConfig>; diagnostics: Diagnostic[] } {
  const templates = new Map<string, TemplateConfig>();
  const diagnostics: Diagnostic[] = [];
  for (const [name, value] of Object.entries(written.templates)) {
    const at = locate(['templates', name], 'value').span;
    if (!value.startsWith('./')) {
      templates.set(name, { kind: 'style_version', id: value, at });
      if (typeof written.service !== 'object') diagnostics.push(notEmbedded(name, value, at));
      continue;
    }
    const folder = readFolder(value, './templates/<name>', at);
    if (folder.ok) templates.set(name, { kind: 'package', ...folder.value });
    else diagnostics.push(...folder.diagnostics);
  }
  return { templates, diagnostics };
}

/** @param example of what one writes */
function readFolder(written: string, example: string, at: Span): Result<{ readonly path: string; readonly at: Span }> {
  const folder = resolvePath(written.replace(/\/+$/, ''), CONFIG_FILE);
  if (folder.ok) return { ok: true, value: { path: folder.path, at } };
  const { code, message } = folder;
  return { ok: false, diagnostics: [{ code, severity: 'error', message, hint: `Write ${example}`, at }] };
}

function notEmbedded(name: string, id: string, at: Span): Diagnostic {
  return {
    code: 'config_invalid',
    severity: 'error',
    message: `The embedded service has no style version ${JSON.stringify(id)} for the template ${name}`,
    hint: 'Write the path of a template package, like ./templates/launch, or name a service that has it',
    at,
  };
}

/** A glob stays inside the repository, and its braces do not stand for more patterns than a search can bear. */
function globProblem(pattern: string, at: Span): Diagnostic | null {
  const problem = (code: 'path_outside' | 'config_invalid', message: string, hint: string): Diagnostic => ({
    code,
    severity: 'error',
    message,
    hint,
    at,
  });
  if (pattern.startsWith('/') || /^[a-z]:/i.test(pattern) || /(?:^|[/{,(|!])\.\.(?:[/},)|]|$)/.test(pattern)) {
    return problem(
      'path_outside',
      'The glob of videos leads out of the repository',
      'Write it from the root, like videos/**/*.yaml',
    );
  }
  if (pattern.includes('\\'))
    return problem('config_invalid', 'The glob of videos holds a backslash', 'Separate folders with /');
  if (pattern.split('{').length > 4 || /\{[^{},]*\.\.[^{}]*\}/.test(pattern)) {
    return problem(
      'config_invalid',
      'The glob of videos has too many alternatives',
      'Use at most three {a,b} and no ranges',
    );
  }
  return null;
}

/** `policies` of reelform.yaml, as its schema has it. */
type WrittenPolicies = {
  readonly [R in PolicyRule]?: Omit<Extract<Policy, { rule: R }>, 'rule' | 'level'> & { readonly level?: PolicyLevel };
};

/** Reads `policies`: in the order of the rules, denying where nothing else is said. @param written reelform.yaml */
function readPolicies(
  { policies: written, cost }: { readonly policies?: WrittenPolicies; readonly cost?: unknown },
  locate: Locate,
): { readonly policies: readonly Policy[]; readonly diagnostics: readonly Diagnostic[] } {
  const policies = POLICY_RULES.flatMap((rule) => {
    const own = written?.[rule];
    return own === undefined ? [] : [{ level: 'deny', rule, ...own } as Policy];
  });
  const words = written?.forbid_words?.words ?? [];
  const diagnostics = words.flatMap((word, index): Diagnostic[] => {
    if (foldWords(word) !== '') return [];
    const { span: at } = locate(['policies', 'forbid_words', 'words', String(index)], 'value');
    const message = 'policies.forbid_words has a word without any character that can be seen';
    return [{ code: 'config_invalid', severity: 'error', message, hint: 'Leave it out', at }];
  });
  if (written?.max_cost !== undefined && cost === undefined) {
    const { span: at } = locate(['policies', 'max_cost'], 'key');
    const message = 'policies.max_cost allows an amount, and nothing says what a render costs';
    const hint = 'Say it with "cost: {currency: EUR, per_render: 0.5}"';
    diagnostics.push({ code: 'config_invalid', severity: 'error', message, hint, at });
  }
  return { policies, diagnostics };
}

/** The environment variables that a configuration says hold a token or a key. */
export function secretNames({ service, credentials }: Pick<Config, 'service' | 'credentials'>): string[] {
  const places = [...credentials.values()].flatMap(placesOf);
  const named = places.flatMap((place) => (place?.kind === 'env' ? [place.name] : []));
  return service === 'embedded' ? named : [service.tokenEnv, ...named];
}

function placesOf(credential: Credential): (SecretPlace | null)[] {
  switch (credential.kind) {
    case 's3':
    case 'gs': {
      const { keys } = credential;
      return keys === null ? [] : [keys.accessKeyId, keys.secretAccessKey, keys.sessionToken];
    }
    case 'azblob':
      return [credential.accountKey];
    case 'file':
      return [];
  }
}
