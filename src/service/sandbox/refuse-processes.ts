import { createRequire } from 'node:module';
import { isMainThread } from 'node:worker_threads';
import { type Koffi, refuseProcesses } from './landlock.ts';

// Preloaded by a program that starts no other processes, before it runs. Threads load it too, and are restricted already.

if (isMainThread) refuseProcesses(createRequire(import.meta.url)('#engine/koffi') as Koffi);
