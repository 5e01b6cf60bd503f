import { versions } from 'node:process';

/**
 * Settings of the libraries of a process. Much of the time of a short task is that of getting pages, so the heap of glibc asks for huge
 * ones, which takes a third fewer page faults, and grows by 64 MB. It keeps what tasks free, for the next ones, up to as much, but returns
 * areas of more than 4 MB: with the pages of encoders it would keep another 0.4 GB, in pieces. One heap for all threads: glibc's default of
 * several keeps a quarter more memory, and is no faster here. Frames of the rasteriser, whose memory is managed by mimalloc, are kept for a
 * second and become the next frames: getting their pages again took as long as half of the drawing. Fonts of the system are never used, so
 * they are not read either.
 *
 * @see https://sourceware.org/glibc/manual/latest/html_node/Memory-Allocation-Tunables.html
 */
export const LIBRARY_SETTINGS = {
  GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1',
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: String(4 * 2 ** 20),
  MALLOC_TOP_PAD_: String(64 * 2 ** 20),
  MALLOC_TRIM_THRESHOLD_: String(64 * 2 ** 20),
  MIMALLOC_PURGE_DELAY: '1000',
  SVT_LOG: '1',
  DISABLE_SYSTEM_FONTS_LOAD: '1',
};

const v8 = Number.parseInt(versions.v8, 10);

/**
 * The young generation stays small: it is collected after every frame, and getting more pages takes longer than the collections that
 * they save. Waking the threads that V8 collects with costs more than they save on so few objects. The old generation is first
 * collected at 64 MB: most tasks end before, and lint spent a tenth of its processor time on collections that freed 4 MB each.
 */
export const V8_OPTIONS = [
  '--expose-gc',
  '--max-semi-space-size=1',
  '--single-threaded-gc',
  '--initial-old-space-size=64',
  // As in `cli/main.ts`: Node 20 optimises too much code that is soon finished with.
  ...(v8 === 11 ? ['--interrupt-budget=500000'] : []),
  // By default V8 optimises the function that unpacks WOFF2 fonts while it unpacks the first one, and takes 0.2 s of processor time for
  // it. Not optimised it unpacks a font in 0.01 s. This budget is used up by a function that has run for a tenth of a second.
  ...(v8 <= 13 ? ['--wasm-tiering-budget=1000000000'] : []),
];
