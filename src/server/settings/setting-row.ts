import { parseTarget } from '../../delivery/destination-address.ts';
import { parseAllowList } from '../../session/sources/allow-list.ts';
import type { Settings } from './settings.ts';

/** What `reelform serve` can be told. */
export interface ServeSettings extends Settings {
  /** `auto`: for people on a terminal, JSON lines everywhere else. */
  readonly logFormat: 'auto' | 'json' | 'pretty';
}

/** What defaults depend on. */
export interface Machine {
  /** Of the repository, or where the command was started; absolute. */
  readonly directory: string;
  /** Renders at once that the machine can bear. */
  readonly capacity: number;
}

/** One setting, wherever it is said. */
export interface SettingRow<T> {
  /** In the file. */
  readonly name: string;
  /** Null: not on a command line, which every user of the machine can read. */
  readonly flag: string | null;
  readonly environment: string;
  readonly kind: SettingKind<NonNullable<T>>;
  defaultOn(machine: Machine): T;
  /** For people. */
  readonly defaultText: string;
  /** What it does: one sentence, no full stop. */
  readonly sentence: string;
  /** What its flag does, where that is the contrary. */
  readonly flagSentence?: string;
  /** What its flag does of `reelform worker`, where that is something else. */
  readonly workerSentence?: string;
}

/** Defaults of settings that are not set. */
export const NOTHING = { defaultOn: () => null, defaultText: 'none' } as const;
export const NO_NUMBERS = { defaultOn: () => new Map<string, number>(), defaultText: 'none' } as const;

/** Names of a setting: in the file, on the command line and in the environment. */
export function named(
  name: string,
  flag: string | null,
  environment: string,
): Pick<SettingRow<unknown>, 'name' | 'flag' | 'environment'> {
  return { name, flag, environment };
}

/** A default that is the same on every machine. */
export function always<const T>(value: T): { readonly defaultOn: () => T; readonly defaultText: string } {
  return { defaultOn: () => value, defaultText: `\`${value}\`` };
}

/** How a setting is written. */
interface SettingKind<T> {
  /** What stands behind its flag; null for a switch. */
  readonly placeholder: string | null;
  /** `list`: given several times, or separated by commas in the environment. `map`: the same, of `name=value`. */
  readonly shape: 'one' | 'list' | 'map';
  /** Ends the sentence `port takes …`. */
  readonly expected: string;
  /** @returns what is wrong, as `{ problem }`; its text replaces `expected` */
  read(texts: readonly string[]): { readonly value: T } | { readonly problem: string | null };
}

function one<T>(placeholder: string | null, expected: string, read: (text: string) => T | undefined): SettingKind<T> {
  return {
    placeholder,
    shape: 'one',
    expected,
    read(texts) {
      const value = read(texts.at(-1) ?? '');
      return value === undefined ? { problem: null } : { value };
    },
  };
}

export function text(placeholder: string, expected: string, pattern: RegExp): SettingKind<string> {
  return one(placeholder, expected, (written) => (pattern.test(written) ? written : undefined));
}

export function wholeNumber(placeholder: string, minimum: number, maximum: number): SettingKind<number> {
  return one(placeholder, `a whole number from ${minimum} to ${maximum}`, (written) =>
    numberWithin(written, minimum, maximum),
  );
}

export function choice<const T extends string>(placeholder: string, values: readonly T[]): SettingKind<T> {
  return one(placeholder, `one of ${values.join(', ')}`, (written) => values.find((value) => value === written));
}

export const onOff: SettingKind<boolean> = one(null, 'true or false', (written) => {
  if (written === 'true' || written === '1') return true;
  return written === 'false' || written === '0' ? false : undefined;
});

/** Without a slash at its end. */
export const baseUrl: SettingKind<string> = one(
  '<url>',
  'an http(s) URL without user, query or fragment',
  (written) => {
    if (!/^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/i.test(written) || !URL.canParse(written)) return undefined;
    return written.replace(/\/+$/, '');
  },
);

/** Without a slash at its end. */
export const bucketPrefix: SettingKind<string> = one('<url>', 's3://bucket/prefix or gs://bucket/prefix', (written) => {
  const prefix = written.replace(/\/$/, '');
  const parsed = parseTarget(`${prefix}/-`);
  return parsed.ok && ['s3', 'gs'].includes(parsed.target.kind) ? prefix : undefined;
});

/** Never shown: it holds a password. */
export const connectionString: SettingKind<string> = one(
  '<url>',
  'a URL that begins with postgres:// or postgresql://',
  (written) => (/^postgres(?:ql)?:\/\/\S+$/.test(written) && URL.canParse(written) ? written : undefined),
);

export const allowedHosts: SettingKind<readonly string[]> = {
  placeholder: '<host>',
  shape: 'list',
  expected: 'hosts',
  read(texts) {
    const parsed = parseAllowList(texts);
    return parsed.ok ? { value: [...texts] } : { problem: parsed.diagnostics.map(({ message }) => message).join('; ') };
  },
};

/** As browsers send them: scheme, host and port in lower case, no default port. */
export const origins: SettingKind<readonly string[]> = {
  placeholder: '<origin>',
  shape: 'list',
  expected: 'origins such as https://app.example.com, or * alone',
  read(texts) {
    if (texts.includes('*')) return texts.length === 1 ? { value: ['*'] } : { problem: null };
    const value = texts.map((written) => (URL.canParse(written) ? new URL(written).origin : 'null'));
    const areOrigins = texts.every(
      (written, index) => /^https?:\/\/[^/?#@*\s]+$/i.test(written) && value[index] !== 'null',
    );
    return areOrigins ? { value } : { problem: null };
  },
};

export function numbersByName(
  placeholder: string,
  minimum: number,
  maximum: number,
): SettingKind<ReadonlyMap<string, number>> {
  return {
    placeholder,
    shape: 'map',
    expected: `names with whole numbers from ${minimum} to ${maximum}`,
    read(texts) {
      const value = new Map<string, number>();
      for (const written of texts) {
        const [, name, digits] = /^([^=\s]+)=(.*)$/s.exec(written) ?? [];
        const number = numberWithin(digits ?? '', minimum, maximum);
        if (name === undefined || number === undefined) return { problem: null };
        value.set(name, number);
      }
      return { value };
    },
  };
}

function numberWithin(written: string, minimum: number, maximum: number): number | undefined {
  const value = /^\d{1,12}$/.test(written) ? Number(written) : Number.NaN;
  return value >= minimum && value <= maximum ? value : undefined;
}
