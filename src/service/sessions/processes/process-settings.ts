import { versions } from 'node:process';
import type { ProcessPurpose } from './tasks.ts';

/**
 * One heap for all threads of a process: glibc's default of several keeps a quarter more memory, and is no faster here.
 * Frames are returned to the system when they are freed: left to adapt, glibc soon keeps them in its heap, in pieces.
 * Those of the rasteriser, whose memory is managed by mimalloc, are kept for a second and become the next frames: getting
 * their pages again took as long as half of the drawing. Fonts of the system are never used, so they are not read either.
 */
export const LIBRARY_SETTINGS = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '262144',
  MALLOC_TRIM_THRESHOLD_: '262144',
  MIMALLOC_PURGE_DELAY: '1000',
  SVT_LOG: '1',
  DISABLE_SYSTEM_FONTS_LOAD: '1',
};

/**
 * A process that draws pictures or lints allocates areas of the same sizes for each task. Their pages stay in its heap: a fifth to a
 * quarter fewer page faults, for 1 % more memory. Encoders would leave it in pieces. A frame of 1920 × 1080 takes 8 MB.
 */
const KEPT_MEMORY = { MALLOC_MMAP_THRESHOLD_: String(8 * 2 ** 20), MALLOC_TRIM_THRESHOLD_: String(64 * 2 ** 20) };

/** Returns the settings of the libraries of a process. */
export function nativeSettings(purpose: ProcessPurpose): Readonly<Record<string, string>> {
  return purpose === 'videos' ? LIBRARY_SETTINGS : { ...LIBRARY_SETTINGS, ...KEPT_MEMORY };
}

const v8 = Number.parseInt(versions.v8, 10);

/**
 * The young generation is bounded: newer versions of Node take several times as much for it. It is collected after every
 * frame, and waking the threads that V8 collects with costs more than they save on so few objects. The old generation is first
 * collected at 64 MB: most tasks end before, and lint spent a tenth of its processor time on collections that freed 4 MB each.
 */
export const V8_OPTIONS = [
  '--expose-gc',
  '--max-semi-space-size=4',
  '--single-threaded-gc',
  '--initial-old-space-size=64',
  // As in `cli/main.ts`: Node 20 optimises too much code that is soon finished with.
  ...(v8 === 11 ? ['--interrupt-budget=500000'] : []),
  // By default V8 optimises the function that unpacks WOFF2 fonts while it unpacks the first one, and takes 0.2 s of processor time for
  // it. Not optimised it unpacks a font in 0.01 s. This budget is used up by a function that has run for a tenth of a second.
  ...(v8 <= 13 ? ['--wasm-tiering-budget=1000000000'] : []),
];
