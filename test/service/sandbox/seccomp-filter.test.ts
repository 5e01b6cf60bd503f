import { describe, expect, it } from 'vitest';
import {
  LAST_REVIEWED_CALL,
  REFUSED_CALLS,
  type SeccompArchitecture,
  seccompFilter,
  singleProcessFilter,
} from '../../../src/service/sandbox/seccomp-filter.ts';

const ALLOW = 0x7fff0000;
const EPERM = 0x00050001;
const ENOSYS = 0x00050026;
const ENOTTY = 0x00050019;
const KILL_PROCESS = 0x80000000;
const OWN = 4_321;
const ARCHITECTURES = { x64: 0xc000003e, arm64: 0xc00000b7 } as const;

interface Call {
  readonly number: number;
  /** The first and second argument. */
  readonly argument?: number;
  readonly second?: number;
  readonly audit?: number;
}

/** Evaluates a filter as the kernel does. @see Documentation/networking/filter.rst of Linux */
function answer(filter: Uint8Array, { number, argument = 0, second = 0, audit = 0 }: Call): number {
  const program = Buffer.from(filter);
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number, 0);
  data.writeUInt32LE(audit, 4);
  data.writeUInt32LE(argument, 16);
  data.writeUInt32LE(second, 24);
  let accumulator = 0;
  for (let at = 0; at < program.length / 8; at++) {
    const code = program.readUInt16LE(at * 8);
    const jumps = [program.readUInt8(at * 8 + 3), program.readUInt8(at * 8 + 2)];
    const operand = program.readUInt32LE(at * 8 + 4);
    if (code === 0x06) return operand;
    if (code === 0x20) accumulator = data.readUInt32LE(operand);
    else if (code === 0x15) at += jumps[Number(accumulator === operand)]!;
    else if (code === 0x35) at += jumps[Number(accumulator >= operand)]!;
    else if (code === 0x45) at += jumps[Number((accumulator & operand) !== 0)]!;
    else throw new Error(`The kernel refuses the code ${code}`);
  }
  throw new Error('The kernel refuses a program without an end');
}

describe.each(['x64', 'arm64'] as const)('seccompFilter() on %s', (architecture: SeccompArchitecture) => {
  const audit = ARCHITECTURES[architecture];
  const column = architecture === 'x64' ? 0 : 1;
  const options = { architecture, processId: OWN };
  const filter = seccompFilter({ ...options, areSignalsScoped: true });
  const strict = seccompFilter({ ...options, areSignalsScoped: false });
  const single = singleProcessFilter(architecture);
  const of = (number: number, argument = 0) => answer(filter, { number, argument, audit });

  it('refuses each listed call and lists no number twice', () => {
    const numbers = Object.values(REFUSED_CALLS).flatMap((pair) => pair[column] ?? []);
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(numbers.map((number) => of(number))).toEqual(numbers.map(() => EPERM));
  });

  it('allows the calls that Node needs', () => {
    const needed = {
      x64: [0, 1, 9, 20, 47, 53, 59, 202, 234, 257],
      arm64: [63, 64, 222, 66, 212, 199, 221, 98, 131, 56],
    };
    expect(needed[architecture].map((number) => of(number))).toEqual(needed[architecture].map(() => ALLOW));
  });

  it('treats calls after the last reviewed one as missing', () => {
    const later = [LAST_REVIEWED_CALL + 1, 500, 512, 4_000];
    expect(later.map((number) => of(number))).toEqual(later.map(() => ENOSYS));
    // file_setattr
    expect([of(469), answer(singleProcessFilter(architecture), { number: 470, audit })]).toEqual([EPERM, ENOSYS]);
  });

  it('allows new threads and processes, and refuses new namespaces, sessions and process groups', () => {
    const [clone, clone3, setsid, setpgid] = [[56, 220][column]!, 435, [112, 157][column]!, [109, 154][column]!];
    const [thread, child, user] = [0x3d0f00, 0x1200011, 0x10000000];
    expect([of(clone, thread), of(clone, child), of(clone, user), of(clone3)]).toEqual([ALLOW, ALLOW, EPERM, ENOSYS]);
    expect([of(setsid), of(setpgid)]).toEqual([EPERM, EPERM]);
  });

  it('singleProcessFilter() allows new threads only', () => {
    const clone = [56, 220][column]!;
    const calls = [0x3d0f00, 0x1200011, 0].map((argument) => ({ number: clone, argument }));
    expect(calls.map((call) => answer(single, { ...call, audit }))).toEqual([ALLOW, EPERM, EPERM]);
    // clone3, fork, vfork, execve, execveat, setsid, setpgid, read
    const numbers = { x64: [435, 57, 58, 59, 322, 112, 109, 0], arm64: [435, 221, 281, 157, 154, 63] }[architecture];
    const answers = numbers.map((number) => answer(single, { number, audit }));
    expect(answers).toEqual([ENOSYS, ...numbers.slice(2).map(() => EPERM), ALLOW]);
  });

  it('allows the requests of Node and libc on descriptors only', () => {
    const ioctl = [16, 29][column]!;
    const request = (second: number): number => answer(filter, { number: ioctl, second, audit });
    const [TCGETS, FIONBIO, FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR, FIFREEZE, TIOCSTI] = [
      0x5401, 0x5421, 0x40086602, 0x401c5820, 0xc0045877, 0x5412,
    ];
    expect([TCGETS, FIONBIO].map(request)).toEqual([ALLOW, ALLOW]);
    expect([FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR, FIFREEZE, TIOCSTI].map(request)).toEqual(Array(4).fill(ENOTTY));
  });

  it('allows a process to change its own limits only', () => {
    const prlimit64 = [302, 261][column]!;
    expect([of(prlimit64, 0), of(prlimit64, 1234)]).toEqual([ALLOW, EPERM]);
  });

  it('refuses signals where the kernel does not scope them', () => {
    const kill = [62, 129][column]!;
    expect([of(kill), answer(strict, { number: kill, audit })]).toEqual([ALLOW, EPERM]);
    const tgkill = [234, 131][column]!;
    const signals = [OWN, 1].map((argument) => answer(strict, { number: tgkill, argument, audit }));
    expect([of(tgkill, 1), ...signals]).toEqual([ALLOW, ALLOW, EPERM]);
  });

  it('kills a process that uses the system call convention of another architecture', () => {
    expect(answer(filter, { number: 0, audit: 0x40000003 })).toBe(KILL_PROCESS);
  });

  it("fits within the kernel's size limit", () => {
    expect(strict.length / 8).toBeLessThan(4096);
  });
});

it('seccompFilter() refuses the x32 calls of x64', () => {
  const options = { architecture: 'x64', areSignalsScoped: true, processId: OWN } as const;
  for (const filter of [seccompFilter(options), singleProcessFilter('x64')]) {
    expect(answer(filter, { number: 0x40000000 + 41, audit: ARCHITECTURES.x64 })).toBe(EPERM);
  }
});
