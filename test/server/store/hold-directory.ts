import { SILENT_LOG } from '../../../src/server/silent-log.ts';
import { lockDirectory } from '../../../src/server/store/directory-lock.ts';

// A process of its own: holds a data folder until it is killed.
await lockDirectory(process.argv[2]!, SILENT_LOG);
process.stdout.write('held\n');
setInterval(() => {}, 60_000);
