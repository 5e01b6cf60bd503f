import type { ServeSettings } from './setting-row.ts';
import { SETTING_ROWS } from './settings-table.ts';

/** A setting on a command line. */
export interface SettingFlag {
  /** `--port`; `--no-metrics` for a switch that is on without it. */
  readonly flag: string;
  /** Null for a switch. */
  readonly placeholder: string | null;
  readonly sentence: string;
}

/** What is of no use to a process that answers nobody. */
const SERVED: readonly (keyof ServeSettings)[] = [
  'downloadMinutes',
  'accessTokenMinutes',
  'rateLimit',
  'tenantRateLimits',
  'maxQueued',
  'tenantMaxQueued',
  'maxQueuedTotal',
  'trustProxy',
  'maxConnections',
  'metricsPort',
  'corsOrigins',
];

/** The flags of `reelform serve`, in the order of the documentation. */
export const SETTING_FLAGS: readonly SettingFlag[] = flagsOf(SETTING_ROWS, false);

/** Those of `reelform worker`. */
export const WORKER_FLAGS: readonly SettingFlag[] = flagsOf(
  SETTING_ROWS.filter(([key]) => !SERVED.includes(key)),
  true,
);

function flagsOf(rows: typeof SETTING_ROWS, isWorker: boolean): SettingFlag[] {
  return rows.flatMap(([, { flag, kind, sentence, flagSentence = sentence, workerSentence = flagSentence }]) =>
    flag === null ? [] : [{ flag, placeholder: kind.placeholder, sentence: isWorker ? workerSentence : flagSentence }],
  );
}
