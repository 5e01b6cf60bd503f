import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { chmod, copyFile, rm, symlink, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { build as bundleForBrowsers } from 'esbuild';
import { build } from 'rolldown';
import { groupOf, lockedPackages, writePackages } from './pack.mjs';

// dist/ is what npm publishes and what `npx reelform` runs; shared code becomes chunks, so that each command loads its own.

// Node takes a millisecond for each module, so the modules that these load statically become one chunk each: what every command
// starts with, and what a plan with changes, a check, a render and an apply load besides.
const CHUNKS = {
  start: ['cli/io.ts', 'cli/run.ts', 'cli/render/command-pool.ts'],
  plan: ['cli/plan/make-plan.ts', 'cli/plan/planned-videos.ts', 'cli/plan/lint-plan.ts'],
  entries: ['cli/plan/explain-command.ts', 'cli/lock/show-command.ts', 'cli/list/list-command.ts'],
  changes: ['reconciler/project/load-definitions.ts'],
  git: ['cli/plan/read-history.ts'],
  project: ['reconciler/project/load-project.ts', 'reconciler/project/find-definitions.ts'],
  check: ['cli/check/validate-command.ts'],
  api: ['index.ts'],
  pool: ['cli/render/open-pool.ts'],
  render: [
    'cli/render/open-inputs.ts',
    'cli/plan/lint-videos.ts',
    'cli/plan/count-segments.ts',
    'report/preview/plan-preview.ts',
  ],
  apply: ['cli/apply/run-apply.ts'],
  template: ['cli/template/add/add-template.ts'],
};
// The programs of renders. They are bundled apart from the commands, with nothing that only commands need, and are CommonJS: Node loads
// its modules in a fraction of the time, and a process with two threads loads them three times.
const PROGRAM_ENTRIES = [
  'service/sessions/processes/render-process',
  'engine/threads/raster-worker',
  'engine/writers/gif-worker',
  'engine/speech/flite-worker',
];
// The modules that these start with, and those of most tasks: segments are rendered by a process, lint by its threads.
const PROGRAMS = {
  process: ['service/sessions/processes/render-process.ts', 'engine/threads/drawing-thread.ts'],
  segments: ['engine/render-segments.ts', 'engine/codec/video-encoder.ts'],
  thread: ['engine/threads/raster-worker.ts'],
  lint: ['engine/lint/lint-part.ts'],
};
// Every other package is bundled: a hundred files of an installed package cost as many milliseconds. NOTICE names them.
const { dependencies, optionalDependencies, peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
const installed = Object.keys({ ...dependencies, ...optionalDependencies });
const imported = new Set();
const isOf = (name) => (id) => id === name || id.startsWith(`${name}/`);
// Commander would load it for subcommands that are programs of their own, at a sixth of the time of a plan without changes.
const withoutChildProcess = {
  name: 'without-child-process',
  transform: {
    filter: { id: /commander\/lib\/command\.js$/ },
    handler: (code) => code.replace("require('node:child_process')", 'null'),
  },
};
// What few commands need, in functions that cannot wait: CommonJS files of their own. In a chunk, every command would read them.
const REQUIRED_FILES = {
  csv: "module.exports = require('csv-parse/sync');",
  yaml: "module.exports = require('yaml');",
  // For documents with errors, and servers.
  ajv: `const { Ajv2020 } = require('ajv/dist/2020.js');
    module.exports = { ...require('ajv'), Ajv2020, addFormats: require('ajv-formats') };`,
};
const REQUIRED = { 'csv-parse/sync': 'csv', yaml: 'yaml', ajv: 'ajv', 'ajv/dist/2020.js': 'ajv', 'ajv-formats': 'ajv' };
const requiredFile = (name) => `createRequire(import.meta.url)('./${name}.cjs')`;
const requiredFiles = {
  name: 'required-files',
  resolveId: (id) => (id in REQUIRED ? `\0required:${id}` : null),
  async load(id) {
    if (!id.startsWith('\0required:')) return null;
    const given = id.slice('\0required:'.length);
    const code = `import { createRequire } from 'node:module'; const file = ${requiredFile(REQUIRED[given])};`;
    if (given === 'ajv-formats') return `${code} export default file.addFormats;`;
    const names = Object.keys(await import(given)).filter(
      (name) => /^\w+$/.test(name) && !['__esModule', 'default'].includes(name),
    );
    return `${code} export const { ${names.join(', ')} } = file;${given === 'ajv' ? ' export default Ajv;' : ''}`;
  },
  transform: {
    filter: { code: /createRequire\(import\.meta\.url\)\('/ },
    handler: (code) =>
      code.replaceAll(/createRequire\(import\.meta\.url\)\('([^']+)'\)/g, (call, id) =>
        id in REQUIRED ? requiredFile(REQUIRED[id]) : call,
      ),
  },
};
// The programs of renders are CommonJS: a chunk has the package, and loads it as late.
const requiredInChunks = {
  name: 'required-in-chunks',
  transform: {
    filter: { code: /createRequire\(import\.meta\.url\)\('yaml'\)/ },
    handler: (code) => code.replace("createRequire(import.meta.url)('yaml')", "require('yaml')"),
  },
};
// Line breaking inflates its tables when it is loaded. In JavaScript that takes 20 ms of each drawing thread.
const nativeInflate = {
  name: 'native-inflate',
  resolveId: (id) => (id === 'tiny-inflate' ? '\0native-inflate.cjs' : null),
  load(id) {
    if (id !== '\0native-inflate.cjs') return null;
    return `const { inflateRawSync } = require('node:zlib');
      module.exports = (source, target) => { const bytes = inflateRawSync(source); target.set(bytes); return target.slice(0, bytes.length); };`;
  },
};
// gettext-parser converts files of other encodings, and streams, with 300 kB of tables and code. Catalogues are UTF-8.
const utf8Only = {
  name: 'utf8-only',
  resolveId(id) {
    if (id === 'readable-stream') return { id: 'node:stream', external: true };
    return id === 'encoding' ? '\0utf8-only.cjs' : null;
  },
  load: (id) => (id === '\0utf8-only.cjs' ? 'module.exports = { convert: (text) => Buffer.from(text) };' : null),
};
// Node makes a module of each of its own modules that is imported, and reads all that it exports, which loads further ones: 15 ms of every
// command. What it requires it only loads.
const requiredBuiltins = {
  name: 'required-builtins',
  renderChunk: (code) =>
    code.replaceAll(/^import (?:([\w$]+)(?:, )?)?(?:\{ ([^}]*) \})? from "([^"]+)";$/gm, (statement, all, some, id) => {
      if (!isBuiltin(id)) return statement;
      const required = `globalThis.process.getBuiltinModule("${id}");`;
      const named = some === undefined ? '' : `const { ${some.replaceAll(' as ', ': ')} } = ${required}`;
      return all === undefined ? named : `const ${all} = ${required}${named}`;
    }),
};
const escapeUnit = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
// With any other character than ASCII V8 reads a file slower, and keeps two bytes for each of its characters.
const asciiOnly = {
  name: 'ascii-only',
  generateBundle(_, files) {
    for (const file of Object.values(files)) {
      // Escaped, the words of some writing systems would take twice as much of the package.
      if (file.type !== 'chunk' || (file.code.match(/[^\0-\x7f]/g)?.length ?? 0) > file.code.length / 50) continue;
      // Where an escape is no escape.
      if (/(?:\\|String\.raw`[^`]*)[^\0-\x7f]/.test(file.code))
        this.error(`${file.fileName} has a character that is not ASCII`);
      file.code = file.code.replaceAll(/[^\0-\x7f]/g, escapeUnit);
    }
  },
};
// `imports` of package.json says where they are: in a checkout they are installed packages, published they belong to
// @reelform/engine or @reelform/server.
const optionalPackages = {
  name: 'optional-packages',
  resolveId(id) {
    if (!installed.some((name) => isOf(name)(id))) return null;
    imported.add(id);
    return { id: `#${groupOf(id)}/${id}`, external: true };
  },
};
// Names of functions and classes stay, for stack traces.
const MINIFY = { compress: true, mangle: { keepNames: true }, codegen: { removeWhitespace: true } };
const input = {
  platform: 'node',
  resolve: { mainFields: ['module', 'main'] },
  plugins: [withoutChildProcess, nativeInflate, utf8Only, optionalPackages, asciiOnly],
  // CHUNKS joins modules that are imported lazily elsewhere.
  checks: { ineffectiveDynamicImport: false },
  preserveEntrySignatures: 'allow-extension',
  external: (id) => isBuiltin(id) || Object.keys(peerDependencies).some((name) => isOf(name)(id)),
  transform: {
    target: 'node20.19',
    define: { REELFORM_BUILD: JSON.stringify(digestOf(['src', 'schemas', 'package.json'])) },
  },
};
await rm('dist', { recursive: true, force: true });
const output = [
  ...(await bundle({
    entries: ['cli/main', 'index'],
    folder: 'chunks',
    groups: CHUNKS,
    format: 'esm',
    plugins: [requiredFiles, requiredBuiltins],
    // A command that loads a later group has loaded those before it, except a check, which plans nothing, and what starts processes:
    // they start before other code is loaded.
    chunkOfSeveral(first, second) {
      if (second === 'pool') return 'start';
      // What makes a template needs little of what plans and renders need, and no definitions.
      if (second === 'template' && (first === 'plan' || first === 'render')) return `${first}-template`;
      if (second === 'template' && (first === 'changes' || first === 'check')) return 'repository';
      return first === 'plan' && second === 'check' ? 'repository' : first;
    },
  })),
  ...(await bundle({
    entries: PROGRAM_ENTRIES,
    folder: 'chunks/programs',
    groups: PROGRAMS,
    format: 'cjs',
    plugins: [requiredInChunks],
    // What a process starts with is small. Lint runs in a thread, which has loaded its own.
    chunkOfSeveral(first, second) {
      const isLoaded = first === 'process' || (second === 'lint' && first.endsWith('thread'));
      return isLoaded ? first : `${first}-${second}`;
    },
  })),
];
for (const [name, code] of Object.entries(REQUIRED_FILES)) {
  const entry = {
    name: 'entry',
    resolveId: (id) => (id === '\0entry.cjs' ? id : null),
    load: (id) => (id === '\0entry.cjs' ? code : null),
  };
  const file = { file: `dist/chunks/${name}.cjs`, format: 'cjs', minify: MINIFY };
  output.push(
    ...(await build({ ...input, plugins: [...input.plugins, entry], input: '\0entry.cjs', output: file })).output,
  );
}
// Run before the event loop of their processes, which modules cannot: see the files.
for (const name of ['landlock-launcher', 'refuse-processes']) {
  await build({
    ...input,
    input: `src/service/sandbox/${name}.ts`,
    output: { file: `dist/service/sandbox/${name}.cjs`, format: 'cjs' },
  });
}
// Runs in a sandbox of its own, which has no modules.
const { output: player } = await build({
  platform: 'neutral',
  // lottie-web runs expressions that way.
  checks: { eval: false },
  input: 'src/template/expressions/player.ts',
  // Expressions assign variables that they do not declare, as After Effects allows.
  plugins: [{ name: 'sloppy', renderChunk: (code) => code.replaceAll(/(['"])use strict\1;?/g, '') }],
  output: {
    file: 'dist/template/expressions/player.js',
    format: 'iife',
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  },
});
const pageFiles = await buildPage();
await chmod('dist/cli/main.js', 0o755);
await writeFile('dist/locked-packages.json', JSON.stringify(lockedPackages()));
const bundled = [...output, ...player].flatMap(({ moduleIds = [] }) => moduleIds);
await writeFile('dist/LICENSES.txt', licencesOf([...bundled, ...pageFiles]));
execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '--project', 'tsconfig.build.json'], {
  stdio: 'inherit',
});
await pruneTypes();
await writePackages(imported);

// In this repository `npx reelform` is the program itself, and not a copy of it that npx would keep in its cache.
const command = 'node_modules/.bin/reelform';
await rm(command, { force: true });
if (process.platform !== 'win32') await symlink('../../dist/cli/main.js', command);

/** Builds the page of `reelform preview` with its fonts. Returns the files that it is made from. */
async function buildPage() {
  const source = 'src/studio/page';
  const { metafile } = await bundleForBrowsers({
    entryPoints: { page: `${source}/main.tsx`, style: `${source}/styles/page.css` },
    entryNames: '[name]',
    assetNames: '[name]',
    outdir: 'dist/preview-page',
    bundle: true,
    minify: true,
    metafile: true,
    format: 'esm',
    target: ['chrome123', 'firefox125', 'safari17.5'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    loader: { '.woff2': 'file' },
    legalComments: 'none',
  });
  for (const name of ['index.html', 'icon.svg']) await copyFile(join(source, name), join('dist/preview-page', name));
  return Object.keys(metafile.inputs);
}

/** Removes the declarations that those of the public API do not need. */
async function pruneTypes() {
  const needed = new Set(['dist/types/index.d.ts']);
  for (const file of needed) {
    for (const [, path] of readFileSync(file, 'utf8').matchAll(/['"](\.[^'"]+)\.ts['"]/g)) {
      needed.add(join(dirname(file), `${path}.d.ts`));
    }
  }
  const all = readdirSync('dist/types', { recursive: true }).map((name) => join('dist/types', name));
  for (const file of all) if (file.endsWith('.ts') && !needed.has(file)) await rm(file);
}

/**
 * Bundles entries that share chunks.
 *
 * @param groups modules that become a chunk each, with all that they load statically
 * @param chunkOfSeveral the chunk of what several groups load
 */
async function bundle({ entries, folder, groups, format, plugins = [], chunkOfSeveral }) {
  const extension = format === 'cjs' ? 'cjs' : 'js';
  const chunks = new Map();
  const chunkOf = (id, context) => {
    if (chunks.size === 0) {
      for (const [name, files] of Object.entries(groups)) {
        const paths = files.map((file) => resolve('src', file));
        for (const one of closureOf(paths, context)) {
          chunks.set(one, chunks.has(one) ? chunkOfSeveral(chunks.get(one), name) : name);
        }
      }
      // An entry that awaits messages at its top level would wait for itself.
      for (const entry of entries) chunks.delete(resolve('src', `${entry}.ts`));
    }
    return chunks.get(id) ?? null;
  };
  const { output } = await build({
    ...input,
    plugins: [...input.plugins, ...plugins],
    input: Object.fromEntries(entries.map((entry) => [entry, join('src', `${entry}.ts`)])),
    output: {
      dir: 'dist',
      format,
      entryFileNames: `[name].${extension}`,
      chunkFileNames: `${folder}/[name]-[hash].${extension}`,
      minify: MINIFY,
      codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: chunkOf, debugName: 'groups' }] },
    },
  });
  return output;
}

/** The modules that these load statically. */
function closureOf(ids, context) {
  const found = new Set(ids);
  for (const id of found) for (const one of context.getModuleInfo(id)?.importedIds ?? []) found.add(one);
  return found;
}

/** Of the files that the program is built from: what one build remembers no other one believes. */
function digestOf(paths) {
  const hash = createHash('sha256');
  for (const path of paths) {
    const names = path.includes('.') ? [path] : readdirSync(path, { recursive: true }).map((name) => join(path, name));
    for (const name of names.filter((one) => /\.(?:ts|json)$/.test(one)).sort())
      hash.update(name).update(readFileSync(name));
  }
  return hash.digest('hex').slice(0, 16);
}

/** The licence texts of all packages that these files belong to, each text once. */
function licencesOf(files) {
  const folders = new Set(files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []));
  const packages = [...folders].sort().map((folder) => {
    const { name, version, license, repository } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file === undefined ? null : readFileSync(join(folder, file), 'utf8').trim();
    return { title: `${name} ${version} (${license})`, text, source: repository?.url };
  });
  const titles = new Map();
  for (const { title, text: own, source } of packages) {
    // Some packages have theirs only in the repository that they are published from.
    const text = own ?? packages.find((other) => other.text !== null && other.source === source)?.text;
    if (text === undefined) throw new Error(`${title} has no licence text`);
    titles.set(text, [...(titles.get(text) ?? []), title]);
  }
  const texts = [...titles].map(([text, names]) => `${names.join('\n')}\n\n${text}\n`);
  return `What is in these files besides Reelform.\n\n${texts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}
