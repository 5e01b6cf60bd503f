/** The part of the WebAssembly namespace used here, which Node's types lack. */
declare const WebAssembly: {
  Instance: new (
    module: object,
    imports: object,
  ) => { readonly exports: { readonly memory: { readonly buffer: ArrayBuffer }; readonly _start: () => void } };
};

/** Numbers of WASI's `errno`. */
const SUCCESS = 0;
const BAD_DESCRIPTOR = 8;
const NO_ENTRY = 44;
const NOT_SEEKABLE = 70;

/** Descriptor of the only folder, `/out`. */
const FOLDER = 3;
const FOLDER_NAME = new TextEncoder().encode('/out');

/** WASI's types of files. */
const CHARACTER_DEVICE = 2;
const DIRECTORY = 3;
const REGULAR_FILE = 4;

/** Thrown to leave a program that calls `proc_exit`. */
class ProgramExit extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`exit ${status}`);
    this.status = status;
  }
}

interface OpenFile {
  bytes: Uint8Array;
  size: number;
  position: number;
}

export interface ProgramResult {
  readonly status: number;
  /** Standard output and standard error. */
  readonly printed: string;
  /** Content by name of the files that the program wrote in `/out`. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/**
 * Runs a WebAssembly program that needs arguments, output and files to write in `/out`, which are kept in memory. Its clock stands still
 * and nothing can be read, so that its result depends on the arguments alone. `node:wasi` is not used because it aborts the process
 * when garbage is collected while a program writes.
 *
 * @param module compiled program
 * @see https://github.com/WebAssembly/WASI/blob/main/legacy/preview1/docs.md
 */
export function runWasiProgram(module: object, args: readonly string[]): ProgramResult {
  const printed: OpenFile = { bytes: new Uint8Array(1024), size: 0, position: 0 };
  const files = new Map<string, OpenFile>();
  const open = new Map<number, OpenFile>([
    [1, printed],
    [2, printed],
  ]);
  let nextDescriptor = FOLDER + 1;
  const encodedArgs = args.map((argument) => new TextEncoder().encode(`${argument}\0`));
  const memory = (): ArrayBuffer => instance.exports.memory.buffer;
  const view = (): DataView => new DataView(memory());
  const copy = (bytes: Uint8Array, address: number): void => new Uint8Array(memory()).set(bytes, address);
  const functions = {
    args_sizes_get(count: number, size: number) {
      view().setUint32(count, encodedArgs.length, true);
      view().setUint32(size, totalLength(encodedArgs), true);
      return SUCCESS;
    },
    args_get(pointers: number, buffer: number) {
      let address = buffer;
      for (const [index, bytes] of encodedArgs.entries()) {
        view().setUint32(pointers + 4 * index, address, true);
        copy(bytes, address);
        address += bytes.length;
      }
      return SUCCESS;
    },
    clock_time_get(_clock: number, _precision: bigint, time: number) {
      view().setBigUint64(time, 0n, true);
      return SUCCESS;
    },
    fd_prestat_get(descriptor: number, result: number) {
      if (descriptor !== FOLDER) return BAD_DESCRIPTOR;
      view().setUint32(result, 0, true);
      view().setUint32(result + 4, FOLDER_NAME.length, true);
      return SUCCESS;
    },
    fd_prestat_dir_name(descriptor: number, result: number) {
      if (descriptor !== FOLDER) return BAD_DESCRIPTOR;
      copy(FOLDER_NAME, result);
      return SUCCESS;
    },
    fd_fdstat_get(descriptor: number, result: number) {
      if (descriptor !== FOLDER && descriptor !== 0 && !open.has(descriptor)) return BAD_DESCRIPTOR;
      copy(new Uint8Array(8), result);
      view().setUint8(
        result,
        descriptor < FOLDER ? CHARACTER_DEVICE : descriptor === FOLDER ? DIRECTORY : REGULAR_FILE,
      );
      // Every right, for the descriptor and for those that it opens.
      view().setBigUint64(result + 8, 0xffff_ffffn, true);
      view().setBigUint64(result + 16, 0xffff_ffffn, true);
      return SUCCESS;
    },
    fd_fdstat_set_flags: () => SUCCESS,
    fd_read(_descriptor: number, _vectors: number, _count: number, result: number) {
      view().setUint32(result, 0, true);
      return SUCCESS;
    },
    fd_write(descriptor: number, vectors: number, count: number, result: number) {
      const file = open.get(descriptor);
      if (file === undefined) return BAD_DESCRIPTOR;
      let written = 0;
      for (let index = 0; index < count; index++) {
        const address = view().getUint32(vectors + 8 * index, true);
        const length = view().getUint32(vectors + 8 * index + 4, true);
        append(file, new Uint8Array(memory(), address, length));
        written += length;
      }
      view().setUint32(result, written, true);
      return SUCCESS;
    },
    fd_seek(descriptor: number, offset: bigint, whence: number, result: number) {
      const file = open.get(descriptor);
      if (file === undefined) return BAD_DESCRIPTOR;
      if (file === printed) return NOT_SEEKABLE;
      file.position = [0, file.position, file.size][whence]! + Number(offset);
      view().setBigUint64(result, BigInt(file.position), true);
      return SUCCESS;
    },
    fd_close: (descriptor: number) => (open.delete(descriptor) ? SUCCESS : BAD_DESCRIPTOR),
    path_open(
      _folder: number,
      _lookup: number,
      path: number,
      length: number,
      flags: number,
      _rights: bigint,
      _inherited: bigint,
      _mode: number,
      result: number,
    ) {
      const creates = (flags & 1) !== 0;
      if (!creates) return NO_ENTRY;
      const name = new TextDecoder().decode(new Uint8Array(memory(), path, length));
      const file: OpenFile = { bytes: new Uint8Array(1024), size: 0, position: 0 };
      files.set(name, file);
      open.set(nextDescriptor, file);
      view().setUint32(result, nextDescriptor, true);
      nextDescriptor += 1;
      return SUCCESS;
    },
    proc_exit(status: number) {
      throw new ProgramExit(status);
    },
  };
  const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: functions });
  return {
    status: statusOf(instance.exports._start),
    printed: new TextDecoder().decode(contentOf(printed)),
    files: new Map([...files].map(([name, file]) => [name, contentOf(file)])),
  };
}

function statusOf(start: () => void): number {
  try {
    start();
    return 0;
  } catch (error) {
    if (error instanceof ProgramExit) return error.status;
    throw error;
  }
}

function append(file: OpenFile, bytes: Uint8Array): void {
  const end = file.position + bytes.length;
  if (end > file.bytes.length) {
    const grown = new Uint8Array(Math.max(end, 2 * file.bytes.length));
    grown.set(file.bytes);
    file.bytes = grown;
  }
  file.bytes.set(bytes, file.position);
  file.position = end;
  file.size = Math.max(file.size, end);
}

function contentOf({ bytes, size }: OpenFile): Uint8Array {
  return bytes.slice(0, size);
}

function totalLength(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}
