import { escapeControls } from '../wording/escape-controls.ts';
import { describeDatabase } from './describe-database.ts';

/** What a server that has started is known by. */
export interface ServeFacts {
  readonly url: string;
  /** Where `/metrics` has a port of its own; null elsewhere. */
  readonly metricsUrl: string | null;
  readonly settings: {
    readonly databaseUrl: string | null;
    readonly dataDirectory: string;
    /** A bucket; null: the data folder. */
    readonly storage: string | null;
    readonly host: string;
    readonly publicUrl: string | null;
  };
  /** Of the repository. */
  readonly templates: readonly { readonly name: string }[];
  readonly hasTokens: boolean;
  /** Where a command finds the database by itself; another data folder has to be said to it. */
  readonly usualDataDirectory: string;
}

/** Tells whoever started a server where everything is, and how to get in. */
export function serveText({ url, metricsUrl, settings, templates, hasTokens, usualDataDirectory }: ServeFacts): string {
  const { databaseUrl, dataDirectory, storage, host, publicUrl } = settings;
  const names = templates.map(({ name }) => name).join(', ');
  const lines = [
    `Reelform serves at ${publicUrl ?? url}`,
    `  the API      ${url}/docs`,
    `  database     ${databaseUrl === null ? 'PGlite, in the data folder' : describeDatabase(databaseUrl)}`,
    ...(metricsUrl === null ? [] : [`  metrics      ${metricsUrl}/metrics`]),
    ...(storage === null ? [] : [`  storage      ${escapeControls(storage)}`]),
    `  data folder  ${escapeControls(dataDirectory)}`,
    ...(templates.length === 0 ? [] : [`  templates    ${names}, of reelform.yaml`]),
  ];
  if (publicUrl === null && /^(?:0\.0\.0\.0|::)$/.test(host)) {
    lines.push('Clients on other machines need --public-url: the URLs of finished videos begin with it.');
  }
  if (!hasTokens) {
    const where = databaseUrl === null ? '' : ' with the same settings';
    const isUsual = databaseUrl !== null || dataDirectory === usualDataDirectory;
    const flag = isUsual ? '' : ` --data ${quoted(escapeControls(dataDirectory))}`;
    lines.push(
      `There is no token yet. Make one, in another terminal${where}:`,
      `  export REELFORM_TOKEN=$(reelform token create${flag})`,
    );
  }
  return lines.map((line) => `${line}\n`).join('');
}

/** One word of a shell. */
function quoted(text: string): string {
  return /^[\w./@:+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
