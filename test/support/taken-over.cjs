// Stands for code that has taken over a decoder: beside the built render process, it acts on a file that contains the mark of this
// installation, and leaves all other tasks alone.
const { spawn } = require('node:child_process');
const { writeSync } = require('node:fs');
const process = require('node:process');
const { serialize } = require('node:v8');

/** The name is replaced in each installation. */
const MARK = /TAKE OVER @installation (\w+) ([^\0]*)\0/;
const MARK_CHARACTERS = 500;

const header = (text) => {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt32BE(text.length, 4);
  return Buffer.concat([bytes, Buffer.from(text)]);
};
const attacks = {
  /** A message that is null, also on Node's channel where there is one. */
  null() {
    process.send?.(null);
    writeSync(3, header('null'));
  },
  /** Messages with which Node's processes pass handles. */
  node() {
    process.send?.({ cmd: 'NODE_HANDLE', type: 'net.Native' });
    const message = serialize({ cmd: 'NODE_HANDLE', type: 'net.Server', key: 'x' });
    writeSync(3, Buffer.concat([Buffer.from([0, 0, 0, message.length]), message]));
  },
  noise() {
    for (let count = 0; count < 100; count++) writeSync(3, Buffer.alloc(10_000, 0xa5));
  },
  /** Starts a program in a session of its own, which ends with no group. @param name argument that the program carries */
  setsid(name) {
    const options = { detached: true, stdio: 'ignore', env: { OPENSSL_CONF: '/dev/null' } };
    try {
      spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', name], options).on('error', () => undefined);
    } catch {
      // The sandbox refuses it.
    }
    setTimeout(() => process.kill(process.pid, 'SIGSEGV'), 500);
  },
  /** Calls file_setattr of Linux 6.17. @param path file outside */
  attributes(path) {
    const syscall = require('koffi').load(null).func('long syscall(long number, ...)');
    const attributes = Buffer.alloc(24);
    // FS_XFLAG_NODUMP: as harmless as an attribute can be.
    attributes.writeUInt32LE(0x80, 0);
    syscall(469, 'int', -100, 'str', path, 'void *', attributes, 'size_t', attributes.length, 'uint', 0);
    process.kill(process.pid, 'SIGSEGV');
  },
};

const { emit } = process.stdin;
let before = '';
process.stdin.emit = function (event, ...args) {
  if (event === 'data') {
    const text = before + args[0].toString('latin1');
    before = text.slice(-MARK_CHARACTERS);
    const [, attack, detail] = MARK.exec(text) ?? [];
    if (attack !== undefined) return attacks[attack](detail) ?? true;
  }
  return emit.call(this, event, ...args);
};
