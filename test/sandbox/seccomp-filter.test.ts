import { describe, expect, it } from 'vitest';
import { REFUSED_CALLS, type SeccompArchitecture, seccompFilter } from '../../src/sandbox/seccomp-filter.ts';

const ALLOW = 0x7fff0000;
const EPERM = 0x00050001;
const ENOSYS = 0x00050026;
const KILL_PROCESS = 0x80000000;
const ARCHITECTURES = { x64: 0xc000003e, arm64: 0xc00000b7 } as const;

interface Call {
  readonly number: number;
  readonly argument?: number;
  readonly audit?: number;
}

/** Evaluates a filter as the kernel does. @see Documentation/networking/filter.rst of Linux */
function answer(filter: Uint8Array, { number, argument = 0, audit = 0 }: Call): number {
  const program = Buffer.from(filter);
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number, 0);
  data.writeUInt32LE(audit, 4);
  data.writeUInt32LE(argument, 16);
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
  const filter = seccompFilter({ architecture, areSignalsScoped: true });
  const strict = seccompFilter({ architecture, areSignalsScoped: false });
  const of = (number: number, argument = 0) => answer(filter, { number, argument, audit });

  it('refuses each listed call and lists no number twice', () => {
    const numbers = Object.values(REFUSED_CALLS).flatMap((pair) => pair[column] ?? []);
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(numbers.map((number) => of(number))).toEqual(numbers.map(() => EPERM));
  });

  it('allows the calls that Node needs', () => {
    const needed = {
      x64: [0, 1, 9, 20, 47, 53, 57, 59, 202, 234, 257],
      arm64: [63, 64, 222, 66, 212, 199, 221, 98, 131, 56],
    };
    expect(needed[architecture].map((number) => of(number))).toEqual(needed[architecture].map(() => ALLOW));
  });

  it('allows new threads and processes, and refuses new namespaces', () => {
    const [clone, clone3] = [[56, 220][column]!, 435];
    const [thread, user] = [0x3d0f00, 0x10000000];
    expect([of(clone, thread), of(clone, user), of(clone3)]).toEqual([ALLOW, EPERM, ENOSYS]);
  });

  it('allows a process to change its own limits only', () => {
    const prlimit64 = [302, 261][column]!;
    expect([of(prlimit64, 0), of(prlimit64, 1234)]).toEqual([ALLOW, EPERM]);
  });

  it('refuses signals where the kernel does not scope them', () => {
    const kill = [62, 129][column]!;
    expect([of(kill), answer(strict, { number: kill, audit })]).toEqual([ALLOW, EPERM]);
  });

  it('kills a process that uses the system call convention of another architecture', () => {
    expect(answer(filter, { number: 0, audit: 0x40000003 })).toBe(KILL_PROCESS);
  });

  it("fits within the kernel's size limit", () => {
    expect(strict.length / 8).toBeLessThan(4096);
  });
});

it('seccompFilter() refuses the x32 calls of x64', () => {
  const filter = seccompFilter({ architecture: 'x64', areSignalsScoped: true });
  expect(answer(filter, { number: 0x40000000 + 41, audit: ARCHITECTURES.x64 })).toBe(EPERM);
});
