import type { Credential, SecretSource } from '../../contract/destinations/credential.ts';
import type { NamedOutput, OutputRequest } from '../../contract/wire/output.ts';
import type { Span } from '../../kernel/diagnostic.ts';
import type { LintSettings } from '../../template/lint-severities.ts';
import type { CaptionStyles } from '../definition/caption-styles.ts';
import type { VideoDestination } from '../definition/video.ts';
import type { LocaleSettings } from '../locales/locale-settings.ts';
import type { Policy } from '../policy/policy.ts';
import type { Voice } from '../speech/voice.ts';

/** The embedded service, or a service behind a URL; `tokenEnv` names the environment variable with its token. */
export type ServiceConfig =
  | 'embedded'
  | { readonly url: string; readonly tokenEnv: string; readonly capabilities: ServiceCapabilities };

/** Optional features of a service that the user declares. Absent features are detected. */
interface ServiceCapabilities {
  /** How long it keeps an Idempotency-Key; 0 if it ignores them. */
  readonly keyLifetimeMs?: number;
  readonly list?: boolean;
  readonly externalUploads?: boolean;
}

/** A local file, or a file on a branch of a git remote. */
export type JournalConfig = 'file' | { readonly branch: string; readonly remote: string };

export type TemplateConfig =
  /** `path` of a folder or a `.lottie` file, repository-relative. */
  | { readonly kind: 'package'; readonly path: string; readonly at: Span }
  | { readonly kind: 'style_version'; readonly id: string; readonly at: Span };

/** Settings of reelform.yaml, with defaults. */
export interface Config extends DeliveriesConfig {
  readonly service: ServiceConfig;
  readonly templates: ReadonlyMap<string, TemplateConfig>;
  /** Glob of the definitions, relative to the root. */
  readonly videos: string;
  /** Maximum number of concurrent renders, 1..1000. */
  readonly concurrency: number;
  /** Plans that render more videos are refused; null for no limit. */
  readonly maxRenders: number | null;
  /** Location of the journal of pending renders. */
  readonly journal: JournalConfig;
  /** Severities of visual checks; a code that is absent is a warning. */
  readonly lint: LintSettings;
  /** Repository-relative folder of fonts that are added to every template package. */
  readonly fonts: { readonly path: string; readonly at: Span } | null;
  /** Named styles of captions, beside the built-in ones. */
  readonly captionStyles: CaptionStyles;
  /** Default output of all videos. */
  readonly output: OutputRequest | null;
  /** Default outputs of all videos, instead of `output`. */
  readonly outputs: readonly NamedOutput[] | null;
  /** Rules for the videos that a plan changes. */
  readonly policies: readonly Policy[];
  /** Languages of the videos; null for one language. */
  readonly locales: LocaleSettings | null;
  /** H.264 encoder of the embedded service. */
  readonly encoder: { readonly h264: 'x264' | 'videotoolbox' | 'nvenc' };
  /** Price of a video and of each second; null if unknown. */
  readonly cost: { readonly currency: string; readonly perRender: number; readonly perSecond: number } | null;
  /** Voices of spoken tracks by name. */
  readonly voices: ReadonlyMap<string, Voice>;
}

/** Delivery settings of reelform.yaml. */
export interface DeliveriesConfig {
  /** Keyed by name, without secrets. */
  readonly credentials: ReadonlyMap<string, Credential>;
  /** Destinations of videos whose definition has no `deliver`. */
  readonly deliver: readonly VideoDestination[];
  /** Location to which local files are published for a service without uploads; null for none. */
  readonly assets: AssetsConfig | null;
  readonly cache: CacheConfig;
}

/** Location of the cache of finished segments. */
export interface CacheConfig {
  /** Maximum size of the folder, in bytes; 0 to keep none in it. */
  readonly maxBytes: number;
  /** Folder of a bucket that machines share, ending with a slash, and its credential; null if there is none. */
  readonly bucket: { readonly url: string; readonly credential: string | null } | null;
}

export interface AssetsConfig {
  /** Ends with a slash; files below it are named by their digest. */
  readonly publish: string;
  /** Public base URL of `publish`; ends with a slash. */
  readonly publicUrl: string;
  readonly credential: string | null;
}

export const DEFAULT_CACHE_BYTES = 2 * 2 ** 30;

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
  outputs: null,
  captionStyles: new Map(),
  encoder: { h264: 'x264' },
  policies: [],
  locales: null,
  cost: null,
  voices: new Map(),
  credentials: new Map(),
  deliver: [],
  assets: null,
  cache: { maxBytes: DEFAULT_CACHE_BYTES, bucket: null },
};

/** Returns whether a token sent to a URL is encrypted or stays on this machine. */
export function isPrivateUrl(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || isLoopback(hostname);
}

/** @param hostname as normalized by the WHATWG URL parser */
function isLoopback(hostname: string): boolean {
  return /^(?:localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

/** Returns the names of the environment variables that contain tokens and keys. */
export function secretNames({ service, credentials }: Pick<Config, 'service' | 'credentials'>): string[] {
  const named = [...credentials.values()].flatMap(secretVariables);
  return service === 'embedded' ? named : [service.tokenEnv, ...named];
}

/** Returns the names of the environment variables with the secrets of a credential. */
export function secretVariables(credential: Credential): string[] {
  return secretsOf(credential).flatMap((secret) => (secret?.kind === 'env' ? [secret.name] : []));
}

function secretsOf(credential: Credential): (SecretSource | null)[] {
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
