import { SERVICE_CODES } from '../../src/contract/service-error.ts';
import { buildApp } from '../../src/service/server/http/app.ts';
import type { AppPorts } from '../../src/service/server/http/app-ports.ts';
import { createLogger } from '../../src/service/server/log.ts';
import { SCOPES } from '../../src/service/server/ports.ts';
import { readSettings } from '../../src/service/server/settings/read-settings.ts';
import { SETTING_ROWS } from '../../src/service/server/settings/settings-table.ts';
import { createMetrics } from '../../src/service/server/telemetry/metrics.ts';
import { code, sentence, table } from './markdown.ts';

/** Sections about the service, from its settings, its metrics and its OpenAPI document. */
export async function serviceSections(): Promise<Map<string, string>> {
  return new Map([
    ['service/settings', settingsTable()],
    ['service/metrics', await metricsTable()],
    ['service/errors', errorTable()],
    ...(await apiSections()),
  ]);
}

function settingsTable(): string {
  const rows = SETTING_ROWS.map(([, { name, flag, environment, kind, defaultText, sentence: text }]) => [
    code(name),
    flag === null ? '' : code(kind.placeholder === null ? flag : `${flag} ${kind.placeholder}`),
    code(environment),
    defaultText,
    sentence(text),
  ]);
  return table(['setting', 'flag', 'environment', 'default', 'meaning'], rows);
}

async function metricsTable(): Promise<string> {
  const farm = {
    workers: 1,
    places: 1,
    queues: [{ queue: 'render' as const, waiting: 0, active: 0, oldestSeconds: 0 }],
  };
  const metrics = createMetrics({ farm: async () => farm, webhooksPending: async () => 0 });
  const text = await metrics.text();
  const rows = [...text.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\w+)/gm)].map(([, name, help, type]) => [
    code(name!),
    type!,
    sentence(help!),
  ]);
  return table(['metric', 'type', 'meaning'], rows);
}

function errorTable(): string {
  return table(
    ['code', 'status', 'meaning'],
    Object.entries(SERVICE_CODES).map(([name, [status, meaning]]) => [code(name), String(status), sentence(meaning)]),
  );
}

interface Operation {
  readonly summary?: string;
  readonly description?: string;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly description?: string;
  }[];
  readonly responses: Readonly<Record<string, { readonly description: string }>>;
}

async function apiSections(): Promise<[string, string][]> {
  const settings = readSettings({
    flags: new Map(),
    env: {},
    file: null,
    cwd: '/',
    machine: { directory: '/', capacity: 1 },
  });
  if (!settings.ok) throw new Error('The default settings are invalid');
  const logger = createLogger('silent');
  // The routes are declared and described, never called.
  const sessions = { start() {}, cancel() {} };
  const app = await buildApp({
    settings: settings.value,
    logger,
    sessions,
    metrics: createMetrics(),
  } as unknown as AppPorts);
  const { body } = await app.inject({ url: '/openapi.json' });
  await app.close();
  const { paths } = JSON.parse(body) as { paths: Record<string, Record<string, Operation>> };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => method !== 'head')
      .map(([method, operation]) => ({ call: `${method.toUpperCase()} ${path}`, operation })),
  );
  const used = (scope: string) => operations.filter(({ operation }) => scopesOf(operation).includes(scope));
  return [
    ['api/operations', operations.map(operationText).join('\n\n')],
    [
      'api/scopes',
      table(
        ['scope', 'operations'],
        SCOPES.map((scope) => [
          code(scope),
          used(scope)
            .map(({ call }) => code(call))
            .join('<br>'),
        ]),
      ).replaceAll('&lt;br>', '<br>'),
    ],
  ];
}

function scopesOf({ security = [] }: Operation): string[] {
  return security.flatMap((one) => Object.values(one).flat());
}

function operationText({ call, operation }: { call: string; operation: Operation }): string {
  const scopes = scopesOf(operation);
  const parameters = (operation.parameters ?? []).filter((one) => one.in !== 'path');
  return [
    `### ${code(call)}`,
    [sentence(operation.summary ?? ''), sentence(operation.description ?? '')].join(' ').trim(),
    `Scope: ${scopes.length === 0 ? 'none' : scopes.map(code).join(', ')}.`,
    parameters.length === 0
      ? ''
      : table(
          ['parameter', 'in', 'meaning'],
          parameters.map((one) => [code(one.name), one.in, sentence(one.description ?? '')]),
        ),
    table(
      ['status', 'meaning'],
      Object.entries(operation.responses).map(([status, { description }]) => [status, sentence(description)]),
    ),
  ]
    .filter((text) => text !== '')
    .join('\n\n');
}
