import { argv, env as environment, execPath } from 'node:process';
import { givenKoffi } from './given-koffi.ts';
import { execRestricted, type LandlockPolicy } from './landlock.ts';

// Entry of the process that puts itself under Landlock and seccomp and then becomes the program that it was asked for: rules
// are inherited through exec, whereas a thread that is running already would escape them. CommonJS, so that it runs before
// the event loop and nothing that the parent sends is read here.

/** Standard streams, and the descriptor of a program's answers. */
const KEPT_DESCRIPTORS = [0, 1, 2, 3];

const [policy, ...args] = argv.slice(2);
const env = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
execRestricted(givenKoffi(), JSON.parse(policy!) as LandlockPolicy, { file: execPath, args, env }, KEPT_DESCRIPTORS);
