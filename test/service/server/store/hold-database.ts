import { openDatabase } from '../../../../src/service/server/store/open-database.ts';
import { SILENT_LOG } from '../../../../src/service/server/telemetry/log.ts';

// A separate process that holds the database of a data directory until it is killed.
await openDatabase({ url: null, directory: process.argv[2]!, log: SILENT_LOG });
process.stdout.write('open\n');
setInterval(() => {}, 60_000);
