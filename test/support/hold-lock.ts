import { acquireProcessLock } from '../../src/kernel/process-lock.ts';

// Runs as a separate process: holds a lock until it is killed.
await acquireProcessLock(process.argv[2]!, (holder) => new Error(`held by ${holder}`));
process.stdout.write('held\n');
setInterval(() => {}, 60_000);
