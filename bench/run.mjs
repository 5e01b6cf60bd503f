// node bench/run.mjs <file>.ts [arguments] — bundles one program beside the built one and runs it.
// With --json, a benchmark also writes its figures to bench/results/<name>.json, which the benchmarks page of the site shows.
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { execa } from 'execa';

const [, , source, ...given] = process.argv;
const root = join(import.meta.dirname, '..');
const name = basename(source, '.ts');
const writesResult = source.startsWith('bench/') && given.includes('--json');
const benchArguments = writesResult ? given.filter((argument) => argument !== '--json') : given;
const result = {};
if (writesResult) {
  const { stdout } = await execa('git', ['rev-parse', '--short=12', 'HEAD'], { cwd: root });
  result.BENCH_RESULT = join(root, 'bench/results', `${name}.json`);
  result.BENCH_COMMAND = [`npm run bench:${name} --`, ...benchArguments].join(' ').replace(/ --$/, '');
  result.BENCH_COMMIT = stdout;
}
await execa('node', ['build.mjs'], { cwd: root, stdio: 'inherit' });
// Below dist/, where the engine finds the files that its threads and processes start from.
const outfile = join(root, 'dist', 'bench', `${name}.mjs`);
await build({
  entryPoints: [source],
  outfile,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  packages: 'external',
  logLevel: 'warning',
});
const scratch = await mkdtemp(join(tmpdir(), 'rf-run-'));
// PostgreSQL runs as a user of its own where this is root: it has to get through.
await chmod(scratch, 0o711);
try {
  // As the render processes run, so that what is compared runs alike.
  await execa('node', ['--expose-gc', outfile, ...benchArguments], {
    cwd: root,
    stdio: 'inherit',
    env: { TMPDIR: scratch, ...result },
  });
} finally {
  await rm(scratch, { recursive: true, force: true });
  await rm(join(root, 'dist', 'bench'), { recursive: true, force: true });
}
