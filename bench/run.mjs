// node bench/run.mjs bench/<name>.ts [arguments] — bundles one benchmark beside the built program and runs it.
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { execa } from 'execa';

const [, , source, ...benchArguments] = process.argv;
const root = join(import.meta.dirname, '..');
await execa('node', ['build.mjs'], { cwd: root, stdio: 'inherit' });
// Below dist/, where the engine finds the files that its threads and processes start from.
const outfile = join(root, 'dist', 'bench', `${basename(source, '.ts')}.mjs`);
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
    env: { TMPDIR: scratch },
  });
} finally {
  await rm(scratch, { recursive: true, force: true });
  await rm(join(root, 'dist', 'bench'), { recursive: true, force: true });
}
