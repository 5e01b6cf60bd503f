import { isMainThread } from 'node:worker_threads';
import { givenKoffi } from './given-koffi.ts';
import { parentEndSwitch, refuseProcesses } from './landlock.ts';
import { offerParentEnd } from './parent-end.ts';

// Preloaded by a program that starts no other processes, before it runs. Threads load it too, and are restricted already.

if (isMainThread) {
  const koffi = givenKoffi();
  refuseProcesses(koffi);
  offerParentEnd(parentEndSwitch(koffi));
}
