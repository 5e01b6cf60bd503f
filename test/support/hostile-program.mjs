// A program that tries to reach everything outside its sandbox, and prints what came of each attempt as JSON.
// Arguments: the process id, data folder, control socket and port of a server of the same user; a folder of its own; the root of
// the package.
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
import { createRequire } from 'node:module';
import { createConnection, createServer } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import { Worker } from 'node:worker_threads';

const [pid, data, socket, port, own, root] = process.argv.slice(2);
const secret = join(data, 'secret.txt');

const koffi = createRequire(join(root, 'package.json'))('koffi');
const syscall = koffi.load(null).func('long syscall(long number, ...)');
/** Makes a system call that no module wraps. @param numbers on x64 and arm64 @param values pairs of type and value */
const call = (numbers, ...values) => {
  if (syscall(numbers[process.arch === 'x64' ? 0 : 1], ...values) >= 0) return;
  const errno = koffi.errno();
  throw new Error(Object.keys(koffi.os.errno).find((name) => koffi.os.errno[name] === errno) ?? String(errno));
};
const AT_FDCWD = -100;
const FILE_ATTRIBUTES = Buffer.alloc(24);
/** FS_XFLAG_NODUMP: as harmless as an attribute can be. */
FILE_ATTRIBUTES.writeUInt32LE(0x80, 0);
const FS_IOC_GETFLAGS = 0x80086601;
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
  // An address that is no text is refused only by a kernel that would run the program.
  'own process: become another program': () => {
    try {
      call([59, 221], 'void *', null, 'void *', null, 'void *', null);
    } catch (error) {
      if (error.message !== 'EFAULT') throw error;
    }
  },
  'own process: lead a session': () => call([112, 157]),
  'own process: leave its group': () => call([109, 154], 'int', 0, 'int', 0),
  'own process: list mounts': () => readFileSync('/proc/self/mountinfo'),
  'own process: list connections': () => readFileSync('/proc/self/net/tcp'),
  'own process: list descriptors': () => readdirSync('/proc/self/fd'),
  'own process: capabilities': () => {
    const [, mask] = /^CapEff:\s+(\w+)$/m.exec(readFileSync('/proc/self/status', 'latin1'));
    // CAP_DAC_READ_SEARCH
    if ((BigInt(`0x${mask}`) & ~4n) === 0n) throw new Error('none');
  },
  'own folder: make a device': () => {
    call([133, null], 'str', join(own, 'null'), 'uint', 0o20600, 'ulong', (1 << 8) | 3);
  },
  'system calls: unknown': () => call([470, 470]),
  'system calls: list mounts': () => call([458, 458], 'void *', null, 'void *', null, 'size_t', 0, 'uint', 0),
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
  'data folder: change attributes': () => {
    const attributes = ['void *', FILE_ATTRIBUTES, 'size_t', FILE_ATTRIBUTES.length, 'uint', 0];
    call([469, 469], 'int', AT_FDCWD, 'str', secret, ...attributes);
  },
  'package: read attributes': () => {
    const file = openSync(join(root, 'package.json'), 'r');
    call([16, 29], 'int', file, 'uint', FS_IOC_GETFLAGS, 'void *', Buffer.alloc(8));
  },
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
