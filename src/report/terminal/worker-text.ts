import { escapeControls } from '../wording/escape-controls.ts';
import { describeDatabase } from './describe-database.ts';

/** What a worker that has started is known by. */
export interface WorkerFacts {
  readonly id: string;
  /** Null where it does not listen. */
  readonly url: string | null;
  readonly publicUrl: string;
  readonly settings: {
    readonly databaseUrl: string | null;
    readonly dataDirectory: string;
    /** A bucket; null: the data folder. */
    readonly storage: string | null;
    readonly concurrency: number;
  };
}

/** Tells whoever started a worker what it works for. */
export function workerText({ id, url, publicUrl, settings }: WorkerFacts): string {
  const { databaseUrl, dataDirectory, storage, concurrency } = settings;
  const lines = [
    `Worker ${id} renders for ${escapeControls(publicUrl)}`,
    `  at once      ${concurrency === 1 ? '1 video' : `${concurrency} videos`}`,
    ...(databaseUrl === null ? [] : [`  database     ${describeDatabase(databaseUrl)}`]),
    ...(storage === null ? [] : [`  storage      ${escapeControls(storage)}`]),
    `  data folder  ${escapeControls(dataDirectory)}`,
    ...(url === null ? [] : [`  health       ${url}/readyz`]),
  ];
  return lines.map((line) => `${line}\n`).join('');
}
