import { constants } from 'node:os';
import { arch, pid, platform } from 'node:process';
import { FAIL, type SeccompArchitecture, seccompFilter, singleProcessFilter } from './seccomp-filter.ts';

/** The library that calls libc. It is an optional dependency, so callers load it. */
export type Koffi = typeof import('koffi')['default'];

/** Access of a sandboxed process to a file, or to everything below a folder. */
export type PathAccess = 'read' | 'write';

/** The access that Landlock allows; everything else is refused. */
export interface LandlockPolicy {
  /** Existing paths, absolute. `read` includes running programs, `write` includes reading and making files. */
  readonly paths: readonly (readonly [path: string, access: PathAccess])[];
}

interface Kernel {
  /** `LANDLOCK_CREATE_RULESET_VERSION`. */
  landlockVersion(): number;
  createRuleset(attributes: Uint8Array): number;
  addRule(ruleset: number, rule: Uint8Array): number;
  restrictSelf(ruleset: number): number;
  setNoNewPrivileges(): number;
  setUndumpable(): number;
  /** @param signal sent to this process when its parent ends; 0 for none */
  signalParentEnd(signal: number): number;
  parentId(): number;
  /** @param flags `SECCOMP_FILTER_FLAG_*` */
  setFilter(filter: Uint8Array, flags: number): number;
  /** Returns 0 if the kernel filters calls and can answer them with an error. */
  canFilter(): number;
  /** Gives up all capabilities except these bits. */
  limitCapabilities(kept: number): number;
  openPath(path: string): number;
  close(descriptor: number): void;
  keepOnExec(descriptor: number): void;
  exec(program: string, args: readonly string[], env: readonly string[]): void;
  errno(): number;
}

// @see linux/landlock.h
const EXECUTE = 1n;
const WRITE_FILE = 1n << 1n;
const READ_FILE = 1n << 2n;
const READ_DIRECTORY = 1n << 3n;
const TRUNCATE = 1n << 14n;
const IOCTL_DEVICE = 1n << 15n;
const FILE_RIGHTS = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEVICE;
/** Rights on files that a version of Landlock knows; each version adds some, none is taken away. */
const HANDLED_FILE_RIGHTS = [
  0n,
  (1n << 13n) - 1n,
  (1n << 14n) - 1n,
  (1n << 15n) - 1n,
  (1n << 15n) - 1n,
  (1n << 16n) - 1n,
];
/** `LANDLOCK_ACCESS_NET_BIND_TCP | CONNECT_TCP`, from version 4 on. */
const NETWORK_RIGHTS = 3n;
/** `LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | SIGNAL`, from version 6 on. */
const SCOPES = 3n;
const SIGNALS_SCOPED_FROM = 6;
const TRUNCATION_FROM = 3;

/** Numbers of the calls that libc does not wrap; those of Landlock are the same on every architecture. */
const SECCOMP: Readonly<Record<SeccompArchitecture, number>> = { x64: 317, arm64: 277 };
const CAPABILITY_CALLS: Readonly<Record<SeccompArchitecture, readonly [get: number, set: number]>> = {
  x64: [125, 126],
  arm64: [90, 91],
};
/** `_LINUX_CAPABILITY_VERSION_3`: two words of 32 capabilities. @see capset(2) */
const CAPABILITY_VERSION = 0x20080522;
/** `CAP_DAC_READ_SEARCH`: root reads libraries that belong to other users. Landlock still limits the paths. */
const READ_SEARCH = 1 << 2;
/** `SECCOMP_FILTER_FLAG_TSYNC`: the filter applies to all threads of the process. */
const ALL_THREADS = 1;
const LANDLOCK_CREATE_RULESET = 444;
const LANDLOCK_ADD_RULE = 445;
const LANDLOCK_RESTRICT_SELF = 446;

/** @returns the Landlock version of this kernel, or why it cannot be used */
export function landlockVersion(koffi: Koffi | null): number | string {
  if (platform !== 'linux') return 'Landlock is only available on Linux';
  if (architecture() === null) return `no seccomp filter is known for ${arch}`;
  if (koffi === null) return 'the package koffi is not installed';
  const version = openKernel(koffi).landlockVersion();
  return version > 0 ? version : 'the kernel does not enforce Landlock';
}

/** Describes what a Landlock version with the seccomp filter does not cover; null if no gap is known. */
export function landlockGap(version: number): string | null {
  return version >= TRUNCATION_FROM ? null : 'the kernel is older than 6.2: files can be truncated';
}

/**
 * Restricts this process permanently and replaces it by a program that inherits the restrictions. All other threads
 * end. Root loses its capabilities. Returns only by throwing.
 *
 * @param keptDescriptors stay open in the program
 * @throws Error if the kernel refuses a step; the process is then partly restricted and must exit
 */
export function execRestricted(
  koffi: Koffi,
  policy: LandlockPolicy,
  program: { readonly file: string; readonly args: readonly string[]; readonly env: readonly string[] },
  keptDescriptors: readonly number[],
): never {
  const kernel = openKernel(koffi);
  const check = (result: number, step: string): number => {
    if (result < 0) throw new Error(`The sandbox could not be set up: ${step} failed with errno ${kernel.errno()}`);
    return result;
  };
  const version = kernel.landlockVersion();
  const handled = HANDLED_FILE_RIGHTS[Math.min(version, HANDLED_FILE_RIGHTS.length - 1)]!;
  const ruleset = check(kernel.createRuleset(rulesetAttributes(version, handled)), 'landlock_create_ruleset');
  for (const [path, access] of policy.paths) {
    const descriptor = kernel.openPath(path);
    // A path that this system lacks needs no rule.
    if (descriptor < 0) continue;
    const rights = access === 'write' ? handled & ~EXECUTE : EXECUTE | READ_FILE | READ_DIRECTORY;
    // The kernel refuses rights of folders for a file, and there is no cheaper way to know which of them a path is.
    const isFolderRule = kernel.addRule(ruleset, pathRule(rights & handled, descriptor)) >= 0;
    if (!isFolderRule) check(kernel.addRule(ruleset, pathRule(rights & handled & FILE_RIGHTS, descriptor)), path);
    kernel.close(descriptor);
  }
  check(kernel.setNoNewPrivileges(), 'no_new_privs');
  check(kernel.restrictSelf(ruleset), 'landlock_restrict_self');
  kernel.close(ruleset);
  check(kernel.limitCapabilities(READ_SEARCH), 'capset');
  for (const descriptor of keptDescriptors) kernel.keepOnExec(descriptor);
  const filter = seccompFilter({
    architecture: architecture()!,
    areSignalsScoped: version >= SIGNALS_SCOPED_FROM,
    processId: pid,
  });
  check(kernel.setFilter(filter, 0), 'seccomp');
  kernel.exec(program.file, program.args, program.env);
  throw new Error(`The sandbox could not start ${program.file}: errno ${kernel.errno()}`);
}

/**
 * Prevents this process from starting others, from becoming another program and from leaving its process group. All its
 * threads are restricted. For a program whose launcher cannot refuse this beforehand, or that has none.
 *
 * @throws Error if the kernel refuses it
 */
export function refuseProcesses(koffi: Koffi): void {
  const kernel = openKernel(koffi);
  const filter = singleProcessFilter(architecture()!);
  if (kernel.setNoNewPrivileges() !== 0 || kernel.setFilter(filter, ALL_THREADS) !== 0) {
    throw new Error(`The sandbox could not be set up: seccomp failed with errno ${kernel.errno()}`);
  }
}

let canFilter: boolean | undefined;

/** Returns whether `refuseProcesses` is available. The kernel is asked once: a pool starts many processes. */
export function canRefuseProcesses(koffi: Koffi | null): boolean {
  if (platform !== 'linux' || koffi === null || architecture() === null) return false;
  canFilter ??= openKernel(koffi).canFilter() === 0;
  return canFilter;
}

/**
 * Hides the memory and environment of this process from other processes of the user, where supported.
 *
 * @returns whether it succeeded
 * @see PR_SET_DUMPABLE in prctl(2)
 */
export function hideProcess(koffi: Koffi | null): boolean {
  return platform === 'linux' && koffi !== null && openKernel(koffi).setUndumpable() === 0;
}

/**
 * Returns a function that makes the kernel kill this process when its parent ends, or undoes that. It returns false if the parent of
 * this moment has ended already.
 *
 * @see PR_SET_PDEATHSIG in prctl(2)
 */
export function parentEndSwitch(koffi: Koffi): (kills: boolean) => boolean {
  const kernel = openKernel(koffi);
  const parent = kernel.parentId();
  return (kills) => {
    kernel.signalParentEnd(kills ? constants.signals.SIGKILL : 0);
    return kernel.parentId() === parent;
  };
}

function architecture(): SeccompArchitecture | null {
  return arch === 'x64' || arch === 'arm64' ? arch : null;
}

/** @see struct landlock_ruleset_attr; a kernel takes the fields that its version knows */
function rulesetAttributes(version: number, handledFileRights: bigint): Uint8Array {
  const attributes = Buffer.alloc(24);
  attributes.writeBigUInt64LE(handledFileRights, 0);
  if (version >= 4) attributes.writeBigUInt64LE(NETWORK_RIGHTS, 8);
  if (version >= 6) attributes.writeBigUInt64LE(SCOPES, 16);
  return attributes.subarray(0, version >= 6 ? 24 : version >= 4 ? 16 : 8);
}

/** @see struct landlock_path_beneath_attr, which is packed */
function pathRule(rights: bigint, descriptor: number): Uint8Array {
  const rule = Buffer.alloc(12);
  rule.writeBigUInt64LE(rights, 0);
  rule.writeInt32LE(descriptor, 8);
  return rule;
}

/** The system calls of this kernel, through the libc that Node runs on. */
function openKernel(koffi: Koffi): Kernel {
  const libc = koffi.load(null);
  const syscall = libc.func('long syscall(long number, ...)');
  const prctl = libc.func('int prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)');
  const getppid = libc.func('int getppid()');
  const open = libc.func('int open(const char *path, int flags, ...)');
  const close = libc.func('int close(int fd)');
  const fcntl = libc.func('int fcntl(int fd, int command, ...)');
  const execve = libc.func('int execve(const char *path, const char **argv, const char **envp)');
  const filterProgram = koffi.struct({ length: 'uint16_t', filter: 'uint8_t *' });
  return {
    landlockVersion: () => syscall(LANDLOCK_CREATE_RULESET, 'void *', null, 'size_t', 0, 'uint32_t', 1) as number,
    createRuleset: (attributes) =>
      syscall(LANDLOCK_CREATE_RULESET, 'void *', attributes, 'size_t', attributes.length, 'uint32_t', 0) as number,
    // LANDLOCK_RULE_PATH_BENEATH
    addRule: (ruleset, rule) =>
      syscall(LANDLOCK_ADD_RULE, 'int', ruleset, 'int', 1, 'void *', rule, 'uint32_t', 0) as number,
    restrictSelf: (ruleset) => syscall(LANDLOCK_RESTRICT_SELF, 'int', ruleset, 'uint32_t', 0) as number,
    // PR_SET_NO_NEW_PRIVS, PR_SET_DUMPABLE, PR_SET_PDEATHSIG
    setNoNewPrivileges: () => prctl(38, 1, 0, 0, 0) as number,
    setUndumpable: () => prctl(4, 0, 0, 0, 0) as number,
    signalParentEnd: (signal) => prctl(1, signal, 0, 0, 0) as number,
    parentId: () => getppid() as number,
    // SECCOMP_SET_MODE_FILTER
    setFilter: (filter, flags) => {
      const value = { length: filter.length / 8, filter };
      return syscall(SECCOMP[architecture()!], 'uint', 1, 'uint', flags, koffi.pointer(filterProgram), value) as number;
    },
    canFilter: () => {
      const action = Buffer.alloc(4);
      action.writeUInt32LE(FAIL);
      // SECCOMP_GET_ACTION_AVAIL
      return syscall(SECCOMP[architecture()!], 'uint', 2, 'uint', 0, 'void *', action) as number;
    },
    limitCapabilities: (kept) => {
      const [get, set] = CAPABILITY_CALLS[architecture()!];
      const header = Buffer.alloc(8);
      header.writeUInt32LE(CAPABILITY_VERSION, 0);
      // Effective, permitted and inheritable capabilities, of each word.
      const sets = Buffer.alloc(24);
      const result = syscall(get, 'void *', header, 'void *', sets) as number;
      if (result !== 0) return result;
      const permitted = sets.readUInt32LE(4) & kept;
      sets.fill(0);
      sets.writeUInt32LE(permitted, 0);
      sets.writeUInt32LE(permitted, 4);
      return syscall(set, 'void *', header, 'void *', sets) as number;
    },
    // O_PATH | O_CLOEXEC
    openPath: (path) => open(path, 0o12000000) as number,
    close: (descriptor) => void close(descriptor),
    // F_SETFD, without FD_CLOEXEC
    keepOnExec: (descriptor) => void fcntl(descriptor, 2, 'int', 0),
    exec: (file, args, env) => void execve(file, [file, ...args, null], [...env, null]),
    errno: () => koffi.errno(),
  };
}
