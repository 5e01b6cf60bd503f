// A program that tries to reach everything outside its sandbox, and prints what came of each attempt as JSON.
// Arguments: the process id, data folder, control socket and port of a server of the same user; a folder of its own.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  constants,
  existsSync,
  lutimesSync,
  openSync,
  readdirSync,
  readFileSync,
  truncateSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import { Worker } from 'node:worker_threads';

const [pid, data, socket, port, own] = process.argv.slice(2);
const secret = join(data, 'secret.txt');
const attempts = {
  'own folder: write': () => writeFileSync(join(own, 'x'), 'x'),
  'own folder: read': () => readFileSync(join(own, 'x')),
  'own process: read': () => readFileSync('/proc/self/status'),
  'own thread: start': () => new Worker(new URL('data:text/javascript,'), {}).terminate(),
  'own program: run': () => {
    const { status, error } = spawnSync(process.execPath, ['-e', '0']);
    if (error) throw error;
    if (status !== 0) throw new Error(`it ended with ${status}`);
  },
  'environment: own secrets': () => {
    if (process.env.SECRET_OF_THE_SERVER === undefined) throw new Error('ENOENT');
  },
  'environment: of the server': () => readFileSync(`/proc/${pid}/environ`),
  'memory: of the server': () => openSync(`/proc/${pid}/mem`, 'r'),
  'descriptors: of the server': () => readdirSync(`/proc/${pid}/fd`),
  'data folder: list': () => readdirSync(data),
  'data folder: read': () => readFileSync(secret),
  'data folder: write': () => writeFileSync(join(data, 'evil.txt'), 'evil'),
  'data folder: append': () => openSync(secret, constants.O_WRONLY | constants.O_APPEND),
  'data folder: empty a file': () => truncateSync(secret),
  'data folder: empty by opening': () => openSync(secret, constants.O_RDONLY | constants.O_TRUNC),
  'data folder: change rights': () => chmodSync(secret, 0o777),
  'data folder: change times': () => lutimesSync(secret, 1, 1),
  'data folder: watch': () => watch(data).close(),
  'system: users': () => readFileSync('/etc/passwd'),
  'system: temporary files': () => readdirSync('/tmp'),
  'system: home': () => readdirSync(process.env.HOME_OF_THE_SERVER),
  'system: shell': () => {
    const { error } = spawnSync('/bin/sh', ['-c', 'true']);
    if (error) throw error;
  },
  'signal: probe the server': () => process.kill(Number(pid), 0),
  'signal: the group of the server': () => process.kill(-Number(pid), 0),
};
const results = {};
for (const [name, attempt] of Object.entries(attempts)) {
  try {
    await attempt();
    results[name] = 'allowed';
  } catch (error) {
    results[name] = error.code ?? error.message;
  }
}
const outcome = (emitter, success) =>
  new Promise((resolve) => {
    emitter.once(success, () => resolve('allowed')).once('error', (error) => resolve(error.code));
  });
const connect = (...to) => {
  try {
    return outcome(createConnection(...to), 'connect');
  } catch (error) {
    return error.code;
  }
};
results['network: connect'] = await connect(Number(port), '127.0.0.1');
results['network: listen'] = await outcome(createServer().listen(0, '127.0.0.1'), 'listening');
results['socket: of the server'] = await connect(socket);
results['socket: abstract'] = await connect('\0reelform-abstract');
results['folder of the server exists'] = existsSync(secret) ? 'known' : 'unknown';
process.stdout.write(JSON.stringify(results), () => process.exit(0));
