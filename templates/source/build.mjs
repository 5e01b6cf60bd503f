import { mkdtemp, rm } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

// `node templates/source/build.mjs write-templates.ts [ARGUMENT…]` bundles a source beside this file and runs it.
const [entry = 'write-templates.ts'] = process.argv.splice(2, 1);
const outdir = await mkdtemp(fileURLToPath(new URL('../../node_modules/.templates-', import.meta.url)));
try {
  await build({
    entryPoints: [fileURLToPath(new URL(entry, import.meta.url))],
    outfile: `${outdir}/entry.mjs`,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    packages: 'external',
    logLevel: 'warning',
  });
  await import(pathToFileURL(`${outdir}/entry.mjs`).href);
} finally {
  await rm(outdir, { recursive: true });
}
