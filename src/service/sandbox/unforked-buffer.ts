import { platform } from 'node:process';
import type { Koffi } from './landlock.ts';
import { loadKoffi } from './sandbox.ts';

/** Smaller buffers cost a fork next to nothing. */
const MIN_BYTES = 8 << 20;
const READ_WRITE = 3;
const PRIVATE_ANONYMOUS = 0x22;
const MADV_DONTFORK = 10;

interface Mapping {
  readonly address: unknown;
  readonly bytes: number;
}

interface Memory {
  /** Null when the system has no memory left. */
  map(bytes: number): { readonly view: ArrayBuffer; readonly mapping: Mapping } | null;
  readonly unmapped: FinalizationRegistry<Mapping>;
}

let memory: Memory | null | undefined;

/**
 * Allocates a buffer that child processes do not inherit. A fork copies the page tables of its parent, which stops the event
 * loop for about 60 ms per GB in use: a server that holds uploads of 200 MB and starts processes would stop for all its
 * clients. The memory is mapped for this buffer alone and returned once the buffer is collected.
 *
 * Must not be transferred to another thread: it would be unmapped there.
 *
 * Falls back to an ordinary buffer for small sizes, on other systems than Linux and without koffi.
 *
 * @see MADV_DONTFORK in madvise(2)
 */
export function allocateUnforked(bytes: number): Buffer {
  if (bytes < MIN_BYTES) return Buffer.allocUnsafe(bytes);
  memory ??= openMemory(platform === 'linux' ? loadKoffi() : null);
  const mapped = memory?.map(bytes) ?? null;
  if (memory == null || mapped === null) return Buffer.allocUnsafe(bytes);
  memory.unmapped.register(mapped.view, mapped.mapping);
  return Buffer.from(mapped.view);
}

function openMemory(koffi: Koffi | null): Memory | null {
  if (koffi === null) return null;
  const libc = koffi.load(null);
  const mmap = libc.func('void *mmap(void *address, size_t length, int access, int flags, int fd, int64_t offset)');
  const munmap = libc.func('int munmap(void *address, size_t length)');
  const madvise = libc.func('int madvise(void *address, size_t length, int advice)');
  return {
    map(bytes) {
      const address = mmap(null, bytes, READ_WRITE, PRIVATE_ANONYMOUS, -1, 0) as unknown;
      const mapping = { address, bytes };
      if (madvise(address, bytes, MADV_DONTFORK) !== 0) {
        munmap(address, bytes);
        return null;
      }
      return { view: koffi.view(address, bytes), mapping };
    },
    unmapped: new FinalizationRegistry(({ address, bytes }) => void munmap(address, bytes)),
  };
}
