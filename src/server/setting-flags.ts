import { SETTING_ROWS } from './settings-table.ts';

/** A setting on a command line. */
export interface SettingFlag {
  /** `--port`; `--no-metrics` for a switch that is on without it. */
  readonly flag: string;
  /** Null for a switch. */
  readonly placeholder: string | null;
  readonly sentence: string;
}

/** The flags of `reelform serve`, in the order of the documentation. */
export const SETTING_FLAGS: readonly SettingFlag[] = SETTING_ROWS.flatMap(
  ([, { flag, kind, sentence, flagSentence }]) =>
    flag === null ? [] : [{ flag, placeholder: kind.placeholder, sentence: flagSentence ?? sentence }],
);
