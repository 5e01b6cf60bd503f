import { always, named, onOff, origins, type ServeSettings, type SettingRow, wholeNumber } from './setting-row.ts';

type OperationSetting =
  | 'startSeconds'
  | 'drainSeconds'
  | 'trustProxy'
  | 'metrics'
  | 'metricsPort'
  | 'corsOrigins'
  | 'maxConnections';

/** Settings of the process itself and of its sockets, the last ones of `SETTINGS_TABLE`. */
export const OPERATION_SETTINGS: { readonly [K in OperationSetting]: SettingRow<ServeSettings[K]> } = {
  startSeconds: {
    ...named('start_seconds', '--start-seconds', 'REELFORM_START_SECONDS'),
    kind: wholeNumber('<n>', 0, 86_400),
    ...always(0),
    sentence: 'seconds to wait at the start for a database or a storage that does not answer',
  },
  drainSeconds: {
    ...named('drain_seconds', '--drain-seconds', 'REELFORM_DRAIN_SECONDS'),
    kind: wholeNumber('<n>', 1, 86_400),
    ...always(30),
    sentence: 'seconds that renders at work may go on after the first signal to stop',
  },
  trustProxy: {
    ...named('trust_proxy', '--trust-proxy', 'REELFORM_TRUST_PROXY'),
    kind: onOff,
    ...always(false),
    sentence: 'believe X-Forwarded-* headers; only behind a proxy that sets them',
  },
  metrics: {
    ...named('metrics', '--no-metrics', 'REELFORM_METRICS'),
    kind: onOff,
    ...always(true),
    sentence: 'whether /metrics is served',
    flagSentence: 'do not serve /metrics',
  },
  metricsPort: {
    ...named('metrics_port', '--metrics-port', 'REELFORM_METRICS_PORT'),
    kind: wholeNumber('<n>', 0, 65_535),
    defaultOn: () => null,
    defaultText: 'the port of the service',
    sentence: 'port of its own for /metrics, which the port of the service then does not serve; 0 for any that is free',
  },
  corsOrigins: {
    ...named('cors_origins', '--cors-origin', 'REELFORM_CORS_ORIGINS'),
    kind: origins,
    defaultOn: () => [],
    defaultText: 'none',
    sentence:
      'origin whose web pages may call the service from a browser, or * for every origin; can be said for several',
  },
  maxConnections: {
    ...named('max_connections', '--max-connections', 'REELFORM_MAX_CONNECTIONS'),
    kind: wholeNumber('<n>', 1, 1_000_000),
    ...always(2000),
    sentence: 'connections at once',
  },
};
