import { existsSync, readFileSync, statSync } from 'node:fs';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import fastGlob from 'fast-glob';

// Writes the three published packages into packages/, from dist/, package.json and package-lock.json. Code of Reelform is in
// `reelform` alone. The other two bring dependencies, and re-export them where `imports` of its package.json finds them: a
// package manager that does not hoist would hide them from `reelform` otherwise, and no module of ours can exist twice.

/** Dependencies that only rendering needs. The others are those of the server. */
const ENGINE = /^(?:@echogarden\/|@jitl\/|@napi-rs\/canvas|@seydx\/|harfbuzzjs|koffi|quickjs-emscripten-core|wawoff2)/;
/** Code that runs expressions, which only the engine reads. */
const PLAYER = 'dist/template/expressions/player.js';
/** Lowest version that all dependencies of the server accept. */
const SERVER_NODE = '>=22.12';

/** The package that brings a run-time dependency. */
export function groupOf(name) {
  return ENGINE.test(name) ? 'engine' : 'server';
}

/** @param imported specifiers of dependencies that dist/ imports */
export async function writePackages(imported) {
  const root = JSON.parse(readFileSync('package.json', 'utf8'));
  await rm('packages', { recursive: true, force: true });
  await writeReelform(root);
  // Loaded by name, because only one of them is installed.
  const native = Object.keys(root.optionalDependencies).filter((name) => name.startsWith('@seydx/'));
  const all = [...imported, 'koffi', ...native.map((name) => `${name}/node-av.node`)].sort();
  await writeLibraries('engine', all, root, {
    description: 'What Reelform renders with: install it beside the package reelform.',
    engines: root.engines,
  });
  await writeLibraries('server', all, root, {
    description: 'What `reelform serve` runs on: install it beside the package reelform.',
    engines: { node: SERVER_NODE },
  });
}

async function writeReelform(root) {
  const folder = 'packages/reelform';
  const patterns = root.files.map((pattern) =>
    existsSync(pattern) && statSync(pattern).isDirectory() ? `${pattern}/**` : pattern,
  );
  const included = patterns.filter((pattern) => !pattern.startsWith('!'));
  const ignore = [PLAYER, ...patterns.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1))];
  const files = await fastGlob([...included, 'README.md', 'LICENSE'], { ignore, dot: true });
  for (const file of files) {
    await cp(file, join(folder, file));
    // Editors read them; people read the reference.
    if (file.endsWith('.schema.json'))
      await writeFile(join(folder, file), JSON.stringify(JSON.parse(readFileSync(file, 'utf8'))));
    if (file.endsWith('.md')) await writeFile(join(folder, file), withoutPictures(readFileSync(file, 'utf8')));
  }
  const { version, private: _, files: __, scripts, dependencies, devDependencies, overrides, ...kept } = root;
  await writeManifest(folder, {
    ...kept,
    version,
    imports: { '#engine/*': '@reelform/engine/*', '#server/*': '@reelform/server/*' },
    optionalDependencies: { '@reelform/engine': version },
    peerDependencies: { '@reelform/server': version, ...root.peerDependencies },
    peerDependenciesMeta: { '@reelform/server': { optional: true }, ...root.peerDependenciesMeta },
  });
}

/** Pictures are two megabytes, which no command reads. */
function withoutPictures(text) {
  return text.replaceAll(/^!\[[^\]]*\]\((?![a-z]+:)[^)]*\)\n\n?/gm, '');
}

async function writeLibraries(group, imported, root, { description, engines }) {
  const folder = `packages/${group}`;
  const { version, license, keywords, repository, homepage, bugs } = root;
  const exports = {};
  for (const id of imported.filter((name) => groupOf(name) === group)) {
    const { file, text } = await forwardTo(id);
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
    exports[`./${id}`] = `./${file}`;
  }
  // What only rendering reads: see `engineAsset`.
  if (group === 'engine') {
    await cp('fonts', join(folder, 'fonts'), { recursive: true });
    await cp(PLAYER, join(folder, 'expressions/player.js'));
    exports['./fonts/*'] = './fonts/*';
    exports['./expressions/*'] = './expressions/*';
  }
  for (const file of ['LICENSE', 'NOTICE']) await cp(file, join(folder, file));
  const name = `@reelform/${group}`;
  await writeFile(join(folder, 'README.md'), `# ${name}\n\n${description} Its version has to be that of reelform.\n`);
  await writeManifest(folder, {
    name,
    version,
    description,
    keywords,
    license,
    type: 'commonjs',
    repository,
    homepage,
    bugs,
    engines,
    exports: { ...exports, './package.json': './package.json' },
    ...dependenciesOf(group, root),
  });
}

/** The dependencies of the root that a package brings. */
function dependenciesOf(group, { dependencies, optionalDependencies }) {
  const select = (all) => Object.fromEntries(Object.entries(all).filter(([name]) => groupOf(name) === group));
  return { dependencies: select(dependencies), optionalDependencies: select(optionalDependencies) };
}

/** The module that re-exports a dependency. Native code is loaded by `require`. */
async function forwardTo(id) {
  if (['koffi', '@napi-rs/canvas'].includes(id) || id.endsWith('.node'))
    return { file: `${id}.cjs`, text: `module.exports = require('${id}');\n` };
  const hasDefault = 'default' in (await import(id));
  const all = `export * from '${id}';\n`;
  return { file: `${id}.mjs`, text: hasDefault ? `${all}export { default } from '${id}';\n` : all };
}

async function writeManifest(folder, manifest) {
  const filled = Object.entries(manifest).filter(([, value]) => value !== undefined && Object.keys(value).length > 0);
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(Object.fromEntries(filled), null, 2)}\n`);
}

/**
 * What package-lock.json of a new repository says of @reelform/engine and its dependencies: `reelform init` locks them.
 *
 * @see https://docs.npmjs.com/cli/v11/configuring-npm/package-lock-json#packages
 */
export function lockedPackages() {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  const { dependencies, optionalDependencies } = dependenciesOf('engine', packages['']);
  const names = Object.keys({ ...dependencies, ...optionalDependencies });
  const found = new Set(names.map((name) => `node_modules/${name}`));
  for (const path of found) {
    const entry = packages[path];
    for (const name of Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })) {
      found.add(resolveFrom(path, name, packages));
    }
  }
  const { version, license, engines } = packages[''];
  const own = [
    'node_modules/@reelform/engine',
    { version, license, engines, ...dependenciesOf('engine', packages['']) },
  ];
  const entries = [own, ...[...found].sort().map((path) => [path, packages[path]])];
  // The engine itself is optional, so all of it is.
  return Object.fromEntries(entries.map(([path, entry]) => [path, { ...entry, optional: true }]));
}

function resolveFrom(path, name, packages) {
  for (let folder = path; ; folder = folder.replace(/\/?node_modules\/(?:@[^/]+\/)?[^/]+$/, '')) {
    const nested = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (nested in packages) return nested;
    if (folder === '') throw new Error(`package-lock.json has no ${name} for ${path}`);
  }
}
