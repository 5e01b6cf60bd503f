import { createRequire } from 'node:module';
import { hideProcess } from '../../../src/service/sandbox/landlock.ts';

// A server with secrets in its environment that another process of the same user tries to read.
if (process.argv[2] === 'hidden') hideProcess(createRequire(import.meta.url)('koffi'));
process.stdout.write('ready\n');
setInterval(() => undefined, 60_000);
