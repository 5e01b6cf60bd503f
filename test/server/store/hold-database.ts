import { openDatabase } from '../../../src/server/store/open-database.ts';
import { SILENT_LOG } from '../../../src/server/telemetry/log.ts';

// A process of its own: holds the database of a data folder until it is killed.
await openDatabase({ url: null, directory: process.argv[2]!, log: SILENT_LOG });
process.stdout.write('open\n');
setInterval(() => {}, 60_000);
