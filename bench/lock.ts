import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Fingerprint, Lock, LockEntry } from '../src/reconciler/lock/lock.ts';
import { LockFile } from '../src/reconciler/lock/lock-file.ts';
import { parseLock, serialiseLock } from '../src/reconciler/lock/lock-format.ts';
import { writeFileAtomic } from '../src/reconciler/project/write-file.ts';
import { recordFigure } from './record-figure.ts';

/**
 * Measures reading, writing and changing a lockfile, each against its lower bound: JSON.parse and JSON.stringify of the
 * same file. `npm run bench:lock [rounds]`
 */
const ROUNDS = Number(process.argv[2] ?? 7);

function entry(index: number): LockEntry {
  const digits = randomBytes(32).toString('hex');
  return {
    fingerprint: `v1:${digits}` as Fingerprint,
    title: `Summer Collection, store ${index}`,
    service: 'embedded',
    template: 'launch',
    style_version: 'tsv_9c41aa00ff',
    inputs: { t_01: `Summer in store ${index}`, c_01: 'EEADA7', '(Footage)/USER/hero.jpg': `sha256:${digits}` },
    session: `rs_${digits.slice(0, 12)}`,
    video_url: `renders/stores/store-${index}-${digits.slice(0, 8)}.mp4`,
    thumbnails: [`renders/stores/store-${index}-${digits.slice(0, 8)}.stillcut_01.jpg`],
    rendered_at: '2026-01-01T00:00:00.000Z',
  };
}

const idOf = (index: number): string => `stores/store-${index}`;

function lockOf(count: number): Lock {
  return { videos: new Map(Array.from({ length: count }, (_, index) => [idOf(index), entry(index)])), extra: {} };
}

/** Returns the median milliseconds of a few rounds, without the time of `make`. */
async function median<T>(work: (input: T) => unknown, make: () => T | Promise<T>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const input = await make();
    globalThis.gc?.();
    const started = performance.now();
    await work(input);
    times.push(performance.now() - started);
  }
  return times.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)]!;
}

function parsed(text: string): Lock {
  const read = parseLock(text, 'reelform.lock.json');
  if (!read.ok) throw new Error(JSON.stringify(read.diagnostics));
  return read.value;
}

const put =
  (count: number, changed: number) =>
  (lock: Lock): Lock => {
    const videos = new Map(lock.videos);
    for (let index = 0; index < changed; index++) videos.set(idOf(Math.floor((index * count) / changed)), entry(index));
    return { ...lock, videos };
  };

const folder = mkdtempSync(join(tmpdir(), 'reelform-bench-lock-'));
const path = join(folder, 'reelform.lock.json');
try {
  for (const count of [1_000, 10_000, 100_000]) {
    const text = serialiseLock(lockOf(count));
    const plain = JSON.parse(text) as unknown;
    const file = new LockFile(path, 'reelform.lock.json', parsed(text), writeFileAtomic);
    await writeFileAtomic(path, text);
    const figures: [string, number, string][] = [
      ['JSON.parse', await median(() => JSON.parse(text), Object), ''],
      ['parseLock', await median(() => parsed(text), Object), 'JSON.parse'],
      ['JSON.stringify', await median(() => JSON.stringify(plain, null, 2), Object), ''],
      ['serialiseLock, entries never seen', await median(serialiseLock, () => parsed(text)), 'JSON.stringify'],
      ['readFile', await median(() => readFileSync(path, 'utf8'), Object), ''],
      [
        'write, flush and rename',
        await median(
          (data) => writeFileAtomic(path, data),
          () => text,
        ),
        '',
      ],
      ['update of 1 entry', await median(() => file.update(put(count, 1)), Object), 'write, flush and rename'],
      ['update of 100 entries', await median(() => file.update(put(count, 100)), Object), 'write, flush and rename'],
    ];
    console.log(`${count} entries, ${(text.length / 2 ** 20).toFixed(1)} MiB`);
    const times = new Map(figures.map(([name, time]) => [name, time]));
    for (const [name, time, limit] of figures) {
      recordFigure(`${count.toLocaleString('en')} entries`, name, `${time.toFixed(1)} ms`, time);
      const ratio = limit === '' ? '' : `  ${(time / times.get(limit)!).toFixed(2)} × ${limit}`;
      console.log(`  ${name.padEnd(34)} ${time.toFixed(2).padStart(8)} ms${ratio}`);
    }
  }
} finally {
  rmSync(folder, { recursive: true });
}
