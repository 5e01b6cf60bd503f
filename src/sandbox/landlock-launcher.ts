import { argv, connected, env as environment, execPath } from 'node:process';
import koffi from 'koffi';
import { execRestricted, type LandlockPolicy } from './landlock.ts';

// Entry of the process that puts itself under Landlock and seccomp and then becomes the program that it was asked for: rules
// are inherited through exec, whereas a thread that is running already would escape them. CommonJS, so that it runs before
// the event loop and no message of the parent is read here.

/** The descriptor at which a parent's `ipc` stands, after stdin, stdout and stderr. */
const IPC_DESCRIPTOR = 3;

const [policy, ...args] = argv.slice(2);
const env = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
// Node removes these from the environment when it opens the channel.
if (connected) env.push(`NODE_CHANNEL_FD=${IPC_DESCRIPTOR}`, 'NODE_CHANNEL_SERIALIZATION_MODE=advanced');
const kept = connected ? [0, 1, 2, IPC_DESCRIPTOR] : [0, 1, 2];
execRestricted(koffi, JSON.parse(policy!) as LandlockPolicy, { file: execPath, args, env }, kept);
