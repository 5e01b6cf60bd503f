import type { SettingKind } from './setting-kinds.ts';
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
