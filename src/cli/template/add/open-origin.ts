import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, posix, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { ReelformError } from '../../../kernel/diagnostic.ts';
import { isRecord, parseRecord } from '../../../kernel/json.ts';
import { temporaryFolder, tryToRemove } from '../../../kernel/temporary-folder.ts';
import { ALLOW_NOTHING, parseAllowList } from '../../../service/sessions/sources/allow-list.ts';
import { MAX_PACKAGE_BYTES } from '../../../template/archive/read-package-zip.ts';
import { readGalleryTemplate } from '../gallery.ts';
import { readNamedFile } from '../named-package.ts';
import { adjacentTo, type LottieFile } from '../read-lottie.ts';

/** What `template add` was asked to add. */
export type TemplateOrigin =
  | { readonly kind: 'lottie'; readonly file: LottieFile }
  /** A folder with a template package, absolute. */
  | { readonly kind: 'package'; readonly folder: string }
  | { readonly kind: 'gallery'; readonly name: string; readonly files: ReadonlyMap<string, Uint8Array> };

/** Maximum number of images that are fetched beside an animation. */
const MAX_FETCHED = 100;
const NPM =
  /^npm:(?<name>(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*)(?:@(?<version>[\w.^~+-]+))?(?:\/(?<path>.+))?$/i;

/**
 * Reads the source of a new template: a file, a folder, a URL, a file of an npm package, or a template of the gallery.
 *
 * @param root of the repository
 * @throws ReelformError `missing_file`, `template_invalid`; SessionFailure for a URL that cannot be fetched
 */
export async function openOrigin(named: string, directory: string, root: string): Promise<TemplateOrigin> {
  if (named.startsWith('npm:')) return { kind: 'lottie', file: await readFromNpm(named, root) };
  if (named.startsWith('gallery:')) {
    const name = named.slice('gallery:'.length);
    return { kind: 'gallery', name, files: await readGalleryTemplate(name, npmPackage) };
  }
  if (/^https?:/i.test(named)) return { kind: 'lottie', file: await fetchLottie(named) };
  const path = resolve(directory, named);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) {
    if (existsSync(join(path, 'template.yaml'))) return { kind: 'package', folder: path };
    throw new ReelformError('template_invalid', `The folder ${named} has no template.yaml`, {
      hint: 'Name a template package, or the file of an animation',
    });
  }
  const bytes = readNamedFile(named, path, MAX_PACKAGE_BYTES);
  return { kind: 'lottie', file: { path, bytes, ...adjacentTo(dirname(path)) } };
}

/**
 * Fetches an animation and the images that it names beside it. Users may name a private host, but no redirect may lead to
 * another host.
 */
async function fetchLottie(url: string): Promise<LottieFile> {
  const named = parseAllowList([`${new URL(url).hostname}:*`]);
  const { createFetch } = await import('../../../service/sessions/sources/fetch-source.ts');
  const fetch = createFetch({ allow: named.ok ? named.value : ALLOW_NOTHING });
  const signal = new AbortController().signal;
  const get = async (address: string): Promise<Uint8Array | null> => {
    const answer = await fetch(address, signal, { accept: '*/*', maxBytes: MAX_PACKAGE_BYTES });
    return answer.status === 'fetched' ? answer.bytes : null;
  };
  const bytes = (await get(url)) ?? new Uint8Array();
  const fetched = new Map<string, Uint8Array>();
  for (const path of imagePaths(bytes).slice(0, MAX_FETCHED)) {
    // An image that is missing is reported later, with its name.
    const found = await get(new URL(path, url).href).catch(() => null);
    if (found !== null) fetched.set(path, found);
  }
  return { path: new URL(url).pathname, bytes, readAdjacent: (path) => fetched.get(path) ?? null, adjacentFonts: [] };
}

function imagePaths(bytes: Uint8Array): string[] {
  const document = parseRecord(new TextDecoder().decode(bytes));
  const assets = Array.isArray(document?.assets) ? document.assets.filter(isRecord) : [];
  return assets.flatMap(({ u, p, e }) => {
    if (typeof p !== 'string' || e === 1 || p.startsWith('data:')) return [];
    const path = `${typeof u === 'string' ? u : ''}${p}`.replace(/^(?:\.?\/)+/, '');
    return /^[a-z][a-z+.-]*:/i.test(path) || path.split('/').includes('..') ? [] : [path];
  });
}

async function readFromNpm(named: string, root: string): Promise<LottieFile> {
  const { name, version, path } = NPM.exec(named)?.groups ?? {};
  if (name === undefined || path === undefined) {
    throw new ReelformError('template_invalid', `${named} names no file of an npm package`, {
      hint: 'Write it like npm:package/path/animation.json, or npm:@scope/package@1.0.0/path/animation.json',
    });
  }
  const installed = version === undefined ? installedFile(name, path, root) : null;
  if (installed !== null) {
    return {
      path: installed,
      bytes: readNamedFile(named, installed, MAX_PACKAGE_BYTES),
      ...adjacentTo(dirname(installed)),
    };
  }
  const files = await npmPackage(version === undefined ? name : `${name}@${version}`);
  const bytes = files.get(path);
  if (bytes === undefined) {
    const animations = [...files.keys()].filter(
      (file) => /\.(?:json|lottie|zip|tgs)$/.test(file) && !/package\.json$/.test(file),
    );
    throw new ReelformError('missing_file', `The package ${name} has no file ${path}`, {
      hint: animations.length === 0 ? 'It has no JSON or .lottie files' : `It has ${animations.slice(0, 5).join(', ')}`,
    });
  }
  const folder = posix.dirname(path);
  const below = folder === '.' ? '' : `${folder}/`;
  const names = [...files.keys()].filter((file) => file.startsWith(below)).map((file) => file.slice(below.length));
  return { path, bytes, readAdjacent: (file) => files.get(`${below}${file}`) ?? null, adjacentFonts: names };
}

/** Returns the path of a file of a package that the repository has installed, or null. */
function installedFile(name: string, path: string, root: string): string | null {
  if (path.split('/').includes('..')) return null;
  for (let folder = root; ; folder = dirname(folder)) {
    const file = join(folder, 'node_modules', name, path);
    if (existsSync(file)) return file;
    if (folder === dirname(folder)) return null;
  }
}

/** Time for a download with all retries of npm. */
const DOWNLOAD_MS = 180_000;

/** Code of npm → what to do. */
const NPM_HINTS: Readonly<Record<string, string>> = {
  E404: 'Check its name and version: the registry does not have it',
  ETARGET: 'Check its version: the registry has other versions',
  EINTEGRITY: 'The file is not as the registry announces: run npm cache clean --force, then try again',
};

/**
 * Downloads a package with npm, so that its registry, proxy and login apply. Runs no script of the package.
 *
 * @param spec name, with a version if not the latest
 * @param timeoutMs ends npm
 * @returns files by path
 * @throws ReelformError `missing_file`
 */
export async function npmPackage(spec: string, timeoutMs: number = DOWNLOAD_MS): Promise<Map<string, Uint8Array>> {
  // Few templates come from npm.
  const { ExecaError, execa } = await import('execa');
  const folder = temporaryFolder('reelform-npm-');
  try {
    const args = ['pack', spec, '--ignore-scripts', '--json', '--pack-destination', folder];
    const { stdout } = await execa('npm', args, { cwd: folder, stdin: 'ignore', timeout: timeoutMs });
    const [packed] = JSON.parse(stdout) as { readonly filename: string }[];
    const bytes = readFileSync(join(folder, packed!.filename.replace(/^@/, '').replace('/', '-')));
    const files = readTarGz(bytes, 4 * MAX_PACKAGE_BYTES);
    if (files === null) throw new Error('the package is damaged or too large');
    return new Map([...files].map(([path, content]) => [path.replace(/^[^/]+\//, ''), content]));
  } catch (error) {
    const lines = error instanceof Error ? error.message.split('\n') : [String(error)];
    const isLate = error instanceof ExecaError && error.timedOut;
    const reason = isLate
      ? `no answer within ${timeoutMs / 1000} seconds`
      : (lines.find((line) => /npm error (?!code)/.test(line)) ?? lines[0]!).replace('npm error ', '');
    const code = /npm error code (\w+)/.exec(lines.join('\n'))?.[1] ?? '';
    throw new ReelformError('missing_file', `npm could not download ${spec}: ${reason}`, {
      hint: NPM_HINTS[code] ?? 'Check the connection to the registry of npm: npm ping',
      cause: error,
    });
  } finally {
    tryToRemove(folder);
  }
}

const BLOCK = 512;

/**
 * Reads the regular files of a gzipped tar archive, such as a package of npm. Skips links and devices.
 *
 * @param maxBytes maximum size of the unpacked archive
 * @returns bytes by path; null if the archive is damaged or too large
 * @see POSIX.1-2017, "pax Interchange Format": ustar headers, and `path` in extended headers
 */
function readTarGz(bytes: Uint8Array, maxBytes: number): Map<string, Uint8Array> | null {
  let tar: Buffer;
  try {
    tar = gunzipSync(bytes, { maxOutputLength: maxBytes });
  } catch {
    return null;
  }
  const files = new Map<string, Uint8Array>();
  let longName: string | null = null;
  for (let at = 0; at + BLOCK <= tar.length; ) {
    const header = tar.subarray(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) break;
    const size = Number.parseInt(field(header, 124, 12), 8);
    const end = at + BLOCK + size;
    if (!Number.isInteger(size) || end > tar.length) return null;
    const content = tar.subarray(at + BLOCK, end);
    const type = String.fromCharCode(header[156]!);
    // Records of an extended header are `<length> <key>=<value>\n`.
    if (type === 'x') longName = /^\d+ path=(.*)$/m.exec(content.toString('utf8'))?.[1] ?? null;
    else {
      const prefix = field(header, 345, 155);
      const name: string = longName ?? (prefix === '' ? '' : `${prefix}/`) + field(header, 0, 100);
      if (type === '0' || type === '\0') files.set(name, content);
      longName = null;
    }
    at = at + BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return files;
}

function field(header: Buffer, at: number, length: number): string {
  return header
    .toString('utf8', at, at + length)
    .replace(/\0.*$/s, '')
    .trim();
}
