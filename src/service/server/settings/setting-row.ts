import { parseDestination } from '../../../contract/destinations/destination-address.ts';
import { parseAllowList } from '../../sessions/sources/allow-list.ts';

/** Facts about the machine that defaults depend on. */
export interface Machine {
  /** Folder of the repository, or else the working directory; absolute. */
  readonly directory: string;
  /** Number of concurrent renders that the machine can handle. */
  readonly capacity: number;
}

/** Names of a setting in its sources. */
export interface SettingNames {
  /** In the settings file. */
  readonly name: string;
  /** Null for a setting that must not appear on a command line, which every user of the machine can read. */
  readonly flag: string | null;
  readonly environment: string;
}

/** Description of one setting for all its sources. */
export interface SettingRow extends SettingNames {
  readonly kind: SettingKind<unknown>;
  defaultOn(machine: Machine): unknown;
  /** Default value in the documentation. */
  readonly defaultText: string;
  /** Description: one sentence without a full stop. */
  readonly sentence: string;
  /** Description of the flag if it inverts the setting. */
  readonly flagSentence?: string;
  /** Description for `reelform worker` if it differs. */
  readonly workerSentence?: string;
}

/** Default of an optional setting. @param defaultText what applies without it */
export function absent(defaultText: string): { readonly defaultOn: () => null; readonly defaultText: string } {
  return { defaultOn: () => null, defaultText };
}

export const NO_NUMBERS = { defaultOn: () => new Map<string, number>(), defaultText: 'none' } as const;

/** Default that is the same on every machine. */
export function always<const T>(value: T): { readonly defaultOn: () => T; readonly defaultText: string } {
  return { defaultOn: () => value, defaultText: `\`${value}\`` };
}

/** Syntax of a setting. */
export interface SettingKind<T> {
  /** Placeholder of the flag's value; null for a switch. */
  readonly placeholder: string | null;
  /** `list`: a repeatable flag, separated by commas in the environment. `map`: the same with `name=value`. */
  readonly shape: 'single' | 'list' | 'map';
  /** Completes the sentence `port takes …`. */
  readonly expected: string;
  /** @returns the value or `{ problem }`, whose text replaces `expected` unless it is null */
  read(texts: readonly string[]): { readonly value: T } | { readonly problem: string | null };
}

function singleValue<T>(
  placeholder: string | null,
  expected: string,
  read: (text: string) => T | undefined,
): SettingKind<T> {
  return {
    placeholder,
    shape: 'single',
    expected,
    read(texts) {
      const value = read(texts.at(-1) ?? '');
      return value === undefined ? { problem: null } : { value };
    },
  };
}

export function text(placeholder: string, expected: string, pattern: RegExp): SettingKind<string> {
  return singleValue(placeholder, expected, (written) => (pattern.test(written) ? written : undefined));
}

export function wholeNumber(minimum: number, maximum: number): SettingKind<number> {
  return singleValue('<n>', `a whole number from ${minimum} to ${maximum}`, (written) =>
    numberWithin(written, minimum, maximum),
  );
}

export function choice<const T extends string>(placeholder: string, values: readonly T[]): SettingKind<T> {
  return singleValue(placeholder, `one of ${values.join(', ')}`, (written) =>
    values.find((value) => value === written),
  );
}

export const onOff: SettingKind<boolean> = singleValue(null, 'true or false', (written) => {
  if (written === 'true' || written === '1') return true;
  return written === 'false' || written === '0' ? false : undefined;
});

/** URL without a trailing slash. */
export const baseUrl: SettingKind<string> = singleValue(
  '<url>',
  'an http(s) URL without user, query or fragment',
  (written) => {
    if (!/^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/i.test(written) || !URL.canParse(written)) return undefined;
    return written.replace(/\/+$/, '');
  },
);

/** URL without a trailing slash. */
export const bucketPrefix: SettingKind<string> = singleValue(
  '<url>',
  's3://bucket/prefix or gs://bucket/prefix, with a bucket name of at least 3 letters and digits',
  (written) => {
    const prefix = written.replace(/\/$/, '');
    const parsed = parseDestination(`${prefix}/-`);
    return parsed.ok && ['s3', 'gs'].includes(parsed.target.kind) ? prefix : undefined;
  },
);

/** Never shown, because it contains a password. */
export const connectionString: SettingKind<string> = singleValue(
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

/** Origins as browsers send them: scheme, host and port in lower case, without a default port. */
export const origins: SettingKind<readonly string[]> = {
  placeholder: '<origin>',
  shape: 'list',
  expected: 'origins such as https://app.example.com, or only *',
  read(texts) {
    if (texts.includes('*')) return texts.length === 1 ? { value: ['*'] } : { problem: null };
    const value = texts.map((written) => (URL.canParse(written) ? new URL(written).origin : 'null'));
    const areOrigins = texts.every(
      (written, index) => /^https?:\/\/[^/?#@*\s]+$/i.test(written) && value[index] !== 'null',
    );
    return areOrigins ? { value } : { problem: null };
  },
};

export function numbersByTenant(maximum: number): SettingKind<ReadonlyMap<string, number>> {
  return {
    placeholder: '<tenant=n>',
    shape: 'map',
    expected: `names with whole numbers from 1 to ${maximum}`,
    read(texts) {
      const value = new Map<string, number>();
      for (const written of texts) {
        const [, name, digits] = /^([^=\s]+)=(.*)$/s.exec(written) ?? [];
        const number = numberWithin(digits ?? '', 1, maximum);
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
