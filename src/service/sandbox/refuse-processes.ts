import { isMainThread } from 'node:worker_threads';
import { givenKoffi } from './given-koffi.ts';
import { refuseProcesses } from './landlock.ts';

// Preloaded by a program that starts no other processes, before it runs. Threads load it too, and are restricted already.

if (isMainThread) refuseProcesses(givenKoffi());
