import type { NamedOutput, OutputRequest } from '../../contract/wire/output.ts';
import { defined } from '../../kernel/defined.ts';
import {
  type Check,
  type Diagnostic,
  errorAt,
  failure,
  type Locate,
  type Result,
  type Span,
  startOf,
} from '../../kernel/diagnostic.ts';
import { parseYaml } from '../../kernel/yaml/parse-yaml.ts';
import { child, locateIn, textOf, toJson } from '../../kernel/yaml/tree.ts';
import type { LintSettings } from '../../template/lint-severities.ts';
import { isStyleText, readCaptionStyles, type WrittenStyle } from '../definition/caption-styles.ts';
import { resolvePath } from '../definition/definition-file.ts';
import { foldWords } from '../policy/check-policies.ts';
import { POLICY_RULES, type Policy, type PolicyLevel, type PolicyRule } from '../policy/policy.ts';
import {
  type Config,
  DEFAULT_CONFIG,
  isPrivateUrl,
  type JournalConfig,
  type ServiceConfig,
  type TemplateConfig,
} from './config.ts';
import { withConfigHint } from './config-hints.ts';
import { type ConfigList, readLists } from './config-lists.ts';
import { readDeliveries, type WrittenDeliveries } from './deliveries.ts';
import { readLocales, type WrittenLocales } from './locales-config.ts';
import { CONFIG_FILE } from './repository-layout.ts';
import { readVoices, type WrittenVoice } from './voices.ts';

export interface ParsedConfig {
  /** If there is any problem, all defaults except the lists that can be read. */
  readonly config: Config;
  /** Lists of names that cannot be read; definitions cannot be checked against them. */
  readonly unknownLists: readonly ConfigList[];
  /** Names under `templates`, including those with an invalid value; `null` if the text cannot be parsed. */
  readonly templateNames: readonly string[] | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** reelform.yaml as written, after validation. */
interface WrittenConfig extends WrittenDeliveries {
  readonly service?: 'embedded' | WrittenService;
  readonly templates: Readonly<Record<string, string>>;
  readonly videos?: string;
  readonly concurrency?: number;
  readonly max_renders?: number;
  readonly journal?: { readonly git: string; readonly remote?: string };
  readonly lint?: LintSettings;
  readonly fonts?: string;
  readonly output?: OutputRequest;
  readonly outputs?: readonly NamedOutput[];
  readonly caption_styles?: Readonly<Record<string, WrittenStyle>>;
  readonly encoder?: Partial<Config['encoder']>;
  readonly policies?: WrittenPolicies;
  readonly locales?: WrittenLocales;
  readonly cost?: { readonly currency: string; readonly per_render?: number; readonly per_second?: number };
  readonly voices?: Readonly<Record<string, WrittenVoice>>;
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

/** A configuration of which nothing is known. */
export const UNREAD_CONFIG: Omit<ParsedConfig, 'diagnostics'> = {
  config: DEFAULT_CONFIG,
  unknownLists: ['locales', 'voices', 'caption_styles'],
  templateNames: null,
};

/**
 * Parses and checks reelform.yaml. Reports all problems and never throws.
 *
 * @param directory of the file, absolute
 */
export function parseConfig(file: string, text: string, check: Check, directory: string): ParsedConfig {
  const parsed = parseYaml(file, text);
  if (!parsed.ok) return { ...UNREAD_CONFIG, diagnostics: parsed.diagnostics };
  const root = parsed.value ?? { kind: 'map', entries: new Map(), span: startOf(file) };
  const locate = locateIn(root);
  const json = toJson(root, ([section, , field]) => {
    return section === 'templates' || (section === 'caption_styles' && field !== undefined && isStyleText(field));
  });
  const diagnostics = [...check(json, locate)].map((diagnostic) => withConfigHint(diagnostic, json));
  const named = child(root, 'templates');
  const templateNames = named?.kind === 'map' ? [...named.entries.keys()] : [];
  // Definitions are checked even if another setting is invalid.
  const videos = textOf(child(root, 'videos')) ?? DEFAULT_CONFIG.videos;
  const glob = globProblem(videos, locate(['videos'], 'value').span);
  if (glob !== null) diagnostics.push(glob);
  const partial = (): ParsedConfig => {
    const lists = readLists(json, check, locate);
    const config = { ...DEFAULT_CONFIG, ...lists.config, ...(glob === null && { videos }) };
    return { config, unknownLists: lists.unknown, templateNames, diagnostics };
  };
  if (diagnostics.length > 0) return partial();
  const written = json as unknown as WrittenConfig;
  const service = readService(written.service);
  const templates = readTemplates(written, locate);
  const fonts =
    written.fonts === undefined ? null : readFolder(written.fonts, './fonts', locate(['fonts'], 'value').span);
  const deliveries = readDeliveries(written, service, directory, locate);
  const policies = readPolicies(written, locate);
  const locales = written.locales === undefined ? null : readLocales(written.locales, locate);
  const styles = readCaptionStyles(written.caption_styles, locate);
  const voices = readVoices(written.voices, written.cost?.currency, locate);
  diagnostics.push(
    ...serviceProblems(written.service, locate),
    ...templates.diagnostics,
    ...(fonts?.ok === false ? fonts.diagnostics : []),
    ...deliveries.diagnostics,
    ...policies.diagnostics,
    ...(locales?.ok === false ? locales.diagnostics : []),
    ...voices.diagnostics,
    ...outputsProblems(written, locate),
    ...styles.diagnostics,
  );
  if (diagnostics.length > 0) return partial();
  return {
    config: {
      service,
      templates: templates.templates,
      videos,
      concurrency: written.concurrency ?? DEFAULT_CONFIG.concurrency,
      maxRenders: written.max_renders ?? DEFAULT_CONFIG.maxRenders,
      journal: readJournal(written.journal),
      lint: written.lint ?? {},
      fonts: fonts?.ok === true ? fonts.value : null,
      output: written.output ?? null,
      outputs: written.outputs ?? null,
      captionStyles: styles.styles,
      encoder: { ...DEFAULT_CONFIG.encoder, ...written.encoder },
      policies: policies.policies,
      locales: locales?.ok === true ? locales.value : null,
      cost: readCost(written.cost),
      voices: voices.voices,
      credentials: deliveries.credentials,
      deliver: deliveries.deliver,
      assets: deliveries.assets,
      cache: deliveries.cache,
    },
    unknownLists: [],
    templateNames,
    diagnostics,
  };
}

function readService(service: WrittenConfig['service']): ServiceConfig {
  if (typeof service !== 'object') return 'embedded';
  const { idempotency_hours: hours, list, external_uploads: externalUploads } = service.capabilities ?? {};
  return {
    url: service.url.replace(/\/+$/, ''),
    tokenEnv: service.token_env ?? 'REELFORM_TOKEN',
    capabilities: {
      ...(hours === undefined ? {} : { keyLifetimeMs: hours * 3_600_000 }),
      ...defined({ list, externalUploads }),
    },
  };
}

function outputsProblems({ output, outputs = [] }: WrittenConfig, locate: Locate): Diagnostic[] {
  if (output !== undefined && outputs.length > 0) {
    const { span } = locate(['outputs'], 'key');
    return [errorAt('config_invalid', span, 'reelform.yaml has both "output" and "outputs"', 'Remove one of them')];
  }
  const names = outputs.map(({ name }) => name.toLowerCase());
  return names.flatMap((name, at) => {
    if (names.indexOf(name) === at) return [];
    const { span } = locate(['outputs', String(at), 'name'], 'value');
    return [errorAt('config_invalid', span, `Two outputs have the name ${outputs[at]!.name}`, 'Rename one of them')];
  });
}

function readCost(cost: WrittenConfig['cost']): Config['cost'] {
  // A currency alone is that of voices.
  if (cost?.per_render === undefined && cost?.per_second === undefined) return null;
  return { currency: cost.currency, perRender: cost.per_render ?? 0, perSecond: cost.per_second ?? 0 };
}

function readJournal(journal: WrittenConfig['journal']): JournalConfig {
  return journal === undefined ? 'file' : { branch: journal.git, remote: journal.remote ?? 'origin' };
}

/** Rejects an http URL, which would expose the token on the network, except on this machine. */
function serviceProblems(service: WrittenConfig['service'], locate: Locate): Diagnostic[] {
  if (typeof service !== 'object') return [];
  const problem = (message: string, hint: string): Diagnostic[] => {
    return [errorAt('config_invalid', locate(['service', 'url'], 'value').span, message, hint)];
  };
  if (!URL.canParse(service.url)) return problem('service.url is not a URL', 'Write it like https://api.example.com');
  if (service.allow_http === true || isPrivateUrl(service.url)) return [];
  const { hostname } = new URL(service.url);
  return problem(
    `The access token would be sent to ${hostname} unencrypted`,
    'Use https://, or set "allow_http: true" next to the URL if the network is trusted',
  );
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

/** @param example for the hint */
function readFolder(written: string, example: string, at: Span): Result<{ readonly path: string; readonly at: Span }> {
  const folder = resolvePath(written.replace(/\/+$/, ''), CONFIG_FILE);
  if (folder.ok) return { ok: true, value: { path: folder.path, at } };
  const { code, message } = folder;
  return failure(code, at, message, `Write ${example}`);
}

function notEmbedded(name: string, id: string, at: Span): Diagnostic {
  const message = `The embedded service has no style version ${JSON.stringify(id)} for the template ${name}`;
  const hint = 'Write the path of a template package, like ./templates/launch, or configure a service that has it';
  return errorAt('config_invalid', at, message, hint);
}

/** Rejects globs that leave the repository, or whose braces expand to too many patterns. */
function globProblem(pattern: string, at: Span): Diagnostic | null {
  if (pattern.startsWith('/') || /^[a-z]:/i.test(pattern) || /(?:^|[/{,(|!])\.\.(?:[/},)|]|$)/.test(pattern)) {
    const hint = 'Write it relative to the root of the repository, like videos/**/*.yaml';
    return errorAt('path_outside', at, 'The glob of videos leads out of the repository', hint);
  }
  if (pattern.includes('\\'))
    return errorAt('config_invalid', at, 'The glob of videos contains a backslash', 'Separate folders with /');
  if (pattern.split('{').length > 4 || /\{[^{},]*\.\.[^{}]*\}/.test(pattern)) {
    const hint = 'Use at most three {a,b} and no ranges';
    return errorAt('config_invalid', at, 'The glob of videos has too many alternatives', hint);
  }
  return null;
}

/** `policies` of reelform.yaml as written. */
type WrittenPolicies = {
  readonly [R in PolicyRule]?: Omit<Extract<Policy, { rule: R }>, 'rule' | 'level'> & { readonly level?: PolicyLevel };
};

/** Reads `policies` in the order of the rules, with the default level `deny`. */
function readPolicies(
  { policies: written, cost }: { readonly policies?: WrittenPolicies; readonly cost?: WrittenConfig['cost'] },
  locate: Locate,
): { readonly policies: readonly Policy[]; readonly diagnostics: readonly Diagnostic[] } {
  const policies = POLICY_RULES.flatMap((rule) => {
    const settings = written?.[rule];
    return settings === undefined ? [] : [{ level: 'deny', rule, ...settings } as Policy];
  });
  const words = written?.forbid_words?.words ?? [];
  const diagnostics = words.flatMap((word, index): Diagnostic[] => {
    if (foldWords(word) !== '') return [];
    const { span: at } = locate(['policies', 'forbid_words', 'words', String(index)], 'value');
    const message = 'policies.forbid_words contains a word without visible characters';
    return [errorAt('config_invalid', at, message, 'Remove it')];
  });
  if (written?.max_cost !== undefined && readCost(cost) === null) {
    const { span: at } = locate(['policies', 'max_cost'], 'key');
    const message = 'policies.max_cost needs the cost of a render';
    const hint = 'Add "cost: {currency: EUR, per_render: 0.5}"';
    diagnostics.push(errorAt('config_invalid', at, message, hint));
  }
  return { policies, diagnostics };
}
