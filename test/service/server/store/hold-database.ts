import { SILENT_LOG } from '../../../../src/service/server/log.ts';
import { openDatabase } from '../../../../src/service/server/store/open-database.ts';

// A separate process that holds the database of a data directory until it is killed.
await openDatabase({ url: null, directory: process.argv[2]!, log: SILENT_LOG });
process.stdout.write('open\n');
setInterval(() => {}, 60_000);
