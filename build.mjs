import { execFileSync } from 'node:child_process';
import { rm, symlink } from 'node:fs/promises';
import { build } from 'esbuild';

// dist/ is what npm publishes and what `npx reelform` runs; shared code becomes chunks, so that each command loads its own.
await rm('dist', { recursive: true, force: true });
await build({
  entryPoints: [
    'src/index.ts',
    'src/cli/main.ts',
    'src/engine/render-process.ts',
    'src/engine/raster-worker.ts',
    'src/engine/still-worker.ts',
    'src/server/templates/package-worker.ts',
  ],
  outbase: 'src',
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  packages: 'external',
  chunkNames: 'chunks/[name]-[hash]',
  logLevel: 'warning',
});
execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '--project', 'tsconfig.build.json'], {
  stdio: 'inherit',
});

// In this repository `npx reelform` is the program itself, and not a copy of it that npx would keep in its cache.
const command = 'node_modules/.bin/reelform';
await rm(command, { force: true });
if (process.platform !== 'win32') await symlink('../../dist/cli/main.js', command);
