import { readSettings } from '../../src/service/server/settings/read-settings.ts';
import type { Settings } from '../../src/service/server/settings/settings-table.ts';

const defaults = readSettings({
  flags: new Map(),
  env: {},
  file: null,
  cwd: '/',
  machine: { directory: '/nowhere', capacity: 2 },
});
if (!defaults.ok) throw new Error('The defaults are settings');

/** Settings of a service under test unless the test gives others: the defaults, and any free port. */
export const TEST_SETTINGS: Settings = { ...defaults.value, port: 0 };
