import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import fg from 'fast-glob';

export interface BenchmarkFigure {
  readonly group: string;
  readonly name: string;
  readonly value: string;
  readonly milliseconds?: number;
}

export interface Benchmark {
  readonly name: string;
  readonly command: string;
  readonly date: string;
  readonly commit: string;
  readonly machine: {
    readonly cpu: string;
    readonly cores: number;
    /** Load average before the benchmark. */
    readonly load: number;
    readonly memory_gb: number;
    readonly platform: string;
    readonly node: string;
  };
  readonly figures: readonly BenchmarkFigure[];
}

const folder = join(import.meta.dirname, '../../bench/results');

/** The results of `npm run bench:… -- --json`. */
export default {
  load: (): Benchmark[] =>
    fg
      .sync('*.json', { cwd: folder, absolute: true })
      .sort()
      .map((file) => ({ name: basename(file, '.json'), ...JSON.parse(readFileSync(file, 'utf8')) }) as Benchmark),
};

export declare const data: Benchmark[];
