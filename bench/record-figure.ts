import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { dirname } from 'node:path';
import { defined } from '../src/kernel/defined.ts';

interface Figure {
  readonly group: string;
  readonly name: string;
  readonly value: string;
  /** For charts; absent if the figure is not a time. */
  readonly milliseconds?: number;
}

const figures: Figure[] = [];
/** Set by run.mjs for `--json`. */
const { BENCH_RESULT, BENCH_COMMAND, BENCH_COMMIT } = process.env;

/** Load average before the benchmark: other programs make its figures worse. */
const loadBefore = loadavg()[0] ?? 0;

/** Records a printed figure. With `--json`, the figures of a benchmark are written to bench/results at its end. */
export function recordFigure(group: string, name: string, value: string, milliseconds?: number): void {
  figures.push({ group, name: name.trim(), value, ...defined({ milliseconds }) });
}

if (BENCH_RESULT !== undefined) {
  process.on('exit', (status) => {
    if (status !== 0) return;
    const machine = {
      cpu: cpus()[0]?.model ?? 'unknown',
      cores: availableParallelism(),
      load: Math.round(loadBefore * 10) / 10,
      memory_gb: Math.round(totalmem() / 2 ** 30),
      platform: `${process.platform} ${process.arch}`,
      node: process.versions.node,
    };
    const date = new Date().toISOString().slice(0, 10);
    const result = { command: BENCH_COMMAND, date, commit: BENCH_COMMIT, machine, figures };
    mkdirSync(dirname(BENCH_RESULT), { recursive: true });
    writeFileSync(BENCH_RESULT, `${JSON.stringify(result, null, 2)}\n`);
  });
}
