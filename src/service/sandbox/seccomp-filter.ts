/** Processor architectures for which a filter can be built, as `process.arch` names them. */
export type SeccompArchitecture = 'x64' | 'arm64';

interface SeccompOptions {
  readonly architecture: SeccompArchitecture;
  /**
   * Whether the kernel already scopes signals (Landlock ABI 6). Where it does not, the filter refuses every signal to another
   * process.
   */
  readonly areSignalsScoped: boolean;
  /** The process that the filter restricts. */
  readonly processId: number;
}

/** `AUDIT_ARCH_*`. @see linux/audit.h */
const AUDIT_ARCH: Readonly<Record<SeccompArchitecture, number>> = { x64: 0xc000003e, arm64: 0xc00000b7 };

// Return values of a filter. @see seccomp(2)
const ALLOW = 0x7fff0000;
const KILL_PROCESS = 0x80000000;
/** Action that fails a call with an error, whose number is added. */
export const FAIL = 0x00050000;
const REFUSE = FAIL | 1; // EPERM
const MISSING = FAIL | 38; // ENOSYS
const NOT_SUPPORTED = FAIL | 25; // ENOTTY

/** Numbers of a system call on x64 and arm64; null where the architecture lacks it. */
type Numbers = readonly [x64: number | null, arm64: number | null];

/**
 * The last system call that was reviewed: `file_setattr` of Linux 6.17. All later ones are missing for the process, because
 * nothing is known of what they reach. From 424 on, all architectures have the same numbers.
 */
export const LAST_REVIEWED_CALL = 469;

/**
 * System calls that no renderer needs and that reach outside the process: sockets, other processes, process groups and
 * sessions (a process that left its group would outlive it), mounts, devices, kernel interfaces, metadata of files (which
 * Landlock does not cover), shared memory of other processes.
 *
 * @see arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h of Linux
 */
export const REFUSED_CALLS = {
  socket: [41, 198],
  connect: [42, 203],
  bind: [49, 200],
  listen: [50, 201],
  accept: [43, 202],
  accept4: [288, 242],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  io_setup: [206, 0],
  io_destroy: [207, 1],
  io_submit: [209, 2],
  io_cancel: [210, 3],
  io_getevents: [208, 4],
  io_pgetevents: [333, 292],
  setsid: [112, 157],
  setpgid: [109, 154],
  vhangup: [153, 58],
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  process_madvise: [440, 440],
  process_mrelease: [448, 448],
  kcmp: [312, 272],
  pidfd_open: [434, 434],
  pidfd_getfd: [438, 438],
  sched_setaffinity: [203, 122],
  sched_setparam: [142, 118],
  sched_setscheduler: [144, 119],
  sched_setattr: [314, 274],
  setpriority: [141, 140],
  ioprio_set: [251, 30],
  migrate_pages: [256, 238],
  move_pages: [279, 239],
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  move_mount: [429, 429],
  open_tree: [428, 428],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  open_tree_attr: [467, 467],
  statmount: [457, 457],
  listmount: [458, 458],
  mknod: [133, null],
  mknodat: [259, 33],
  sync: [162, 81],
  syncfs: [306, 267],
  unshare: [272, 97],
  setns: [308, 268],
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  lsm_set_self_attr: [460, 460],
  lookup_dcookie: [212, 18],
  nfsservctl: [180, 42],
  uselib: [134, null],
  sysfs: [139, null],
  modify_ldt: [154, null],
  acct: [163, 89],
  syslog: [103, 116],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  adjtimex: [159, 171],
  clock_adjtime: [305, 266],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  iopl: [172, null],
  ioperm: [173, null],
  personality: [135, 92],
  truncate: [76, 45],
  chmod: [90, null],
  fchmod: [91, 52],
  fchmodat: [268, 53],
  fchmodat2: [452, 452],
  chown: [92, null],
  fchown: [93, 55],
  lchown: [94, null],
  fchownat: [260, 54],
  setxattr: [188, 5],
  lsetxattr: [189, 6],
  fsetxattr: [190, 7],
  setxattrat: [463, 463],
  removexattr: [197, 14],
  lremovexattr: [198, 15],
  fremovexattr: [199, 16],
  removexattrat: [466, 466],
  file_setattr: [469, 469],
  utime: [132, null],
  utimes: [235, null],
  futimesat: [261, null],
  utimensat: [280, 88],
  inotify_add_watch: [254, 27],
  fanotify_init: [300, 262],
  fanotify_mark: [301, 263],
  shmget: [29, 194],
  shmat: [30, 196],
  shmctl: [31, 195],
  semget: [64, 190],
  semop: [65, 193],
  semctl: [66, 191],
  semtimedop: [220, 192],
  msgget: [68, 186],
  msgsnd: [69, 189],
  msgrcv: [70, 188],
  msgctl: [71, 187],
  mq_open: [240, 180],
  mq_unlink: [241, 181],
} as const satisfies Readonly<Record<string, Numbers>>;

/** Refused as well where Landlock does not scope signals: every way to signal another process. */
const SIGNAL_CALLS: readonly Numbers[] = [
  [62, 129], // kill
  [200, 130], // tkill
  [129, 138], // rt_sigqueueinfo
  [297, 240], // rt_tgsigqueueinfo
  [424, 424], // pidfd_send_signal
];

/** Signals a thread of a process, as `abort` does with its own. */
const TGKILL: Numbers = [234, 131];
/** Calls that start another process, replace the program of this process, or take it out of its group. */
const PROCESS_CALLS: readonly Numbers[] = [
  [57, null], // fork
  [58, null], // vfork
  [59, 221], // execve
  [322, 281], // execveat
  REFUSED_CALLS.setsid,
  REFUSED_CALLS.setpgid,
];
/**
 * Requests on descriptors that Node and libc use, for terminals and pipes. Others reach devices, or change flags of files that
 * are open for reading.
 *
 * @see asm-generic/ioctls.h: TCGETS, TCGETS2, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX
 */
const IOCTL: Numbers = [16, 29];
const ALLOWED_REQUESTS = [0x5401, 0x802c542a, 0x5413, 0x541b, 0x5421, 0x5450, 0x5451] as const;

/** Allowed only for the calling process itself, whose id is 0: limits of another process could end it. */
const PRLIMIT64: Numbers = [302, 261];
/** Its flags are in memory, which a filter cannot read; libc falls back to `clone`. */
const CLONE3: Numbers = [435, 435];
const CLONE: Numbers = [56, 220];
/** `CLONE_NEWNS | NEWCGROUP | NEWUTS | NEWIPC | NEWUSER | NEWPID | NEWNET` */
const CLONE_NAMESPACES = 0x7e020000;
const CLONE_THREAD = 0x00010000;
/** The x32 ABI repeats all calls of x86-64 under numbers from here on. */
const X32 = 0x40000000;

// Classic BPF. @see linux/bpf_common.h
const LOAD = 0x20;
const IF_EQUAL = 0x15;
const IF_AT_LEAST = 0x35;
const IF_ANY_BIT = 0x45;
const RETURN = 0x06;

/** Offsets in `struct seccomp_data`; arguments are 64 bits, in little-endian order on both architectures. */
const NUMBER_AT = 0;
const ARCHITECTURE_AT = 4;
const ARGUMENT_0_AT = 16;
const ARGUMENT_1_AT = 24;

/**
 * Builds the seccomp filter of a sandboxed process: an array of `struct sock_filter`, 8 bytes each. It allows every reviewed
 * call that is not refused above: an allow list would break with each version of Node.
 *
 * @see seccomp(2), and Documentation/userspace-api/seccomp_filter.rst of Linux
 */
export function seccompFilter({ architecture, areSignalsScoped, processId }: SeccompOptions): Uint8Array {
  const filter = new FilterProgram(architecture);
  for (const numbers of Object.values(REFUSED_CALLS)) filter.answer(numbers, REFUSE);
  if (!areSignalsScoped) {
    for (const numbers of SIGNAL_CALLS) filter.answer(numbers, REFUSE);
    filter.answerUnless(TGKILL, ARGUMENT_0_AT, [[IF_EQUAL, processId]], REFUSE);
  }
  filter.answer(CLONE3, MISSING);
  filter.answerIf(CLONE, ARGUMENT_0_AT, [IF_ANY_BIT, CLONE_NAMESPACES], REFUSE);
  filter.answerUnless(PRLIMIT64, ARGUMENT_0_AT, [[IF_EQUAL, 0]], REFUSE);
  const allowed = ALLOWED_REQUESTS.map((request): Condition => [IF_EQUAL, request]);
  filter.answerUnless(IOCTL, ARGUMENT_1_AT, allowed, NOT_SUPPORTED);
  return filter.encode();
}

/**
 * Builds the filter that a program adds to itself so that it remains the only process: the limits of a process group then
 * hold for everything that it does. Threads are allowed.
 */
export function singleProcessFilter(architecture: SeccompArchitecture): Uint8Array {
  const filter = new FilterProgram(architecture);
  for (const numbers of PROCESS_CALLS) filter.answer(numbers, REFUSE);
  filter.answer(CLONE3, MISSING);
  filter.answerUnless(CLONE, ARGUMENT_0_AT, [[IF_ANY_BIT, CLONE_THREAD]], REFUSE);
  return filter.encode();
}

/** An instruction that compares the accumulator. */
type Condition = readonly [code: number, operand: number];

/** Builds a filter. The accumulator holds the number of the call between instructions. */
class FilterProgram {
  readonly #column: 0 | 1;
  readonly #program: Instruction[];

  constructor(architecture: SeccompArchitecture) {
    this.#column = architecture === 'x64' ? 0 : 1;
    this.#program = [
      [LOAD, 0, 0, ARCHITECTURE_AT],
      [IF_EQUAL, 1, 0, AUDIT_ARCH[architecture]],
      [RETURN, 0, 0, KILL_PROCESS],
      [LOAD, 0, 0, NUMBER_AT],
    ];
    if (architecture === 'x64') this.#program.push([IF_AT_LEAST, 0, 1, X32], [RETURN, 0, 0, REFUSE]);
    this.#program.push([IF_AT_LEAST, 0, 1, LAST_REVIEWED_CALL + 1], [RETURN, 0, 0, MISSING]);
  }

  answer(numbers: Numbers, value: number): void {
    const number = numbers[this.#column];
    if (number !== null) this.#program.push([IF_EQUAL, 0, 1, number], [RETURN, 0, 0, value]);
  }

  /** Answers a call whose argument meets a condition. */
  answerIf(numbers: Numbers, argumentAt: number, [code, operand]: Condition, value: number): void {
    this.#program.push(
      [IF_EQUAL, 0, 4, numbers[this.#column]!],
      [LOAD, 0, 0, argumentAt],
      [code, 0, 1, operand],
      [RETURN, 0, 0, value],
      [LOAD, 0, 0, NUMBER_AT],
    );
  }

  /** Answers a call whose argument meets none of the conditions. */
  answerUnless(numbers: Numbers, argumentAt: number, conditions: readonly Condition[], value: number): void {
    const { length } = conditions;
    this.#program.push([IF_EQUAL, 0, length + 3, numbers[this.#column]!], [LOAD, 0, 0, argumentAt]);
    conditions.forEach(([code, operand], index) => {
      this.#program.push([code, length - index, 0, operand]);
    });
    this.#program.push([RETURN, 0, 0, value], [LOAD, 0, 0, NUMBER_AT]);
  }

  encode(): Uint8Array {
    return encode([...this.#program, [RETURN, 0, 0, ALLOW]]);
  }
}

/** @see struct sock_filter: code, jumps if true and false, operand */
type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, operand: number];

function encode(program: readonly Instruction[]): Uint8Array {
  const bytes = Buffer.alloc(program.length * 8);
  program.forEach(([code, ifTrue, ifFalse, operand], index) => {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(ifTrue, index * 8 + 2);
    bytes.writeUInt8(ifFalse, index * 8 + 3);
    bytes.writeUInt32LE(operand, index * 8 + 4);
  });
  return bytes;
}
