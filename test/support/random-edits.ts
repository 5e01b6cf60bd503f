import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { EditedRepository } from './edited-repository.ts';
import type { SeededRandom } from './seeded-random.ts';

type Edit = (repository: EditedRepository, random: SeededRandom) => void | Promise<void>;

const CACHE = '.reelform/plan-cache.json';
const LOCK = 'reelform.lock.json';

function filesIn(root: string, folder: string, keep: (path: string) => boolean = () => true): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true })
    .map((name) => `${folder}/${String(name)}`)
    .filter((path) => lstatSync(join(root, path)).isFile() && keep(path))
    .sort();
}

function definition({ root }: EditedRepository, random: SeededRandom): string {
  return join(root, random.pick([...filesIn(root, 'videos', (path) => path.endsWith('.yaml')), 'videos/new.yaml']));
}

function anyFile({ root }: EditedRepository, random: SeededRandom): string {
  const folder = random.pick([
    'videos',
    'videos',
    'images',
    'sounds',
    'fonts',
    'data',
    'parts',
    'schemas',
    'templates',
  ]);
  return join(root, random.pick([...filesIn(root, folder), 'reelform.yaml']));
}

/** Replaces one character so that the length stays the same. */
function turned(text: string, random: SeededRandom): string {
  const letters = [...text.matchAll(/(?<=: ?[A-Za-z ]*)[a-y](?=[a-z]*$)/gm)].map(({ index }) => index);
  const at = letters.length === 0 ? Math.max(0, text.length - 2) : random.pick(letters);
  return text.slice(0, at) + (text[at] === 'x' ? 'z' : 'x') + text.slice(at + 1);
}

function turnByte(path: string, random: SeededRandom): void {
  const bytes = readFileSync(path);
  if (bytes.length === 0) return;
  const at = random.below(bytes.length);
  bytes[at] = bytes[at]! ^ (1 << random.below(8));
  writeFileSync(path, bytes);
}

function replaceBy(path: string, put: () => void): void {
  rmSync(path, { recursive: true, force: true });
  put();
}

/** Named ways in which a repository changes between two plans. */
export const EDITS: Readonly<Record<string, Edit>> = {
  touch: (repository, random) => utimesSync(anyFile(repository, random), new Date(), new Date()),
  'another value': (repository, random) => {
    const path = definition(repository, random);
    writeFileSync(path, readFileSync(path, 'utf8').replace(/^title: .*$/m, `title: Title ${random.below(99)}`));
  },
  'another text': (repository, random) => {
    const path = definition(repository, random);
    writeFileSync(path, readFileSync(path, 'utf8').replace(/t_01: [^}\n]*/, `t_01: Text ${random.below(9)}`));
  },
  'a repeated default': (repository, random) => {
    const path = definition(repository, random);
    const text = readFileSync(path, 'utf8')
      .replace(/^output: .*\n/m, '')
      .replace(/\{source: \{remote_url: (\S+)\}, transform.*\}$/m, '$1');
    const source = /(?<=photo\.png: )\S+$/m;
    const transforms = ['crop_strategy: cover', 'focus_x: 0.5', 'focus_x: 0.5, focus_y: 0.5', 'focus_y: 0.25'];
    const outputs = ['fps: 10', 'height: 36', 'height: 18', 'quality: high', 'fps: 10, quality: high'];
    const said = text.replace(source, `{source: {remote_url: $&}, transform: {${random.pick(transforms)}}}`);
    const output = random.below(2) === 0 ? '' : `output: {${random.pick(outputs)}}\n`;
    writeFileSync(path, `${random.below(3) === 0 ? text : said}${output}`);
  },
  'same size': (repository, random) => {
    const path = definition(repository, random);
    writeFileSync(path, turned(readFileSync(path, 'utf8'), random));
  },
  'same size and times': (repository, random) => {
    const path = definition(repository, random);
    // Whole seconds, because finer times cannot be restored exactly.
    const seconds = Math.floor(statSync(path).mtimeMs / 1000);
    writeFileSync(path, turned(readFileSync(path, 'utf8'), random));
    utimesSync(path, seconds, seconds);
  },
  swap: (repository, random) => {
    const [one, other] = [definition(repository, random), definition(repository, random)];
    renameSync(one, `${one}.aside`);
    if (one !== other) renameSync(other, one);
    renameSync(`${one}.aside`, other);
  },
  rename: (repository, random) => {
    const path = definition(repository, random);
    renameSync(path, join(dirname(path), `${random.pick(['a', 'b', '_c', 'D'])}.yaml`));
  },
  delete: (repository, random) => rmSync(definition(repository, random)),
  'add a copy': (repository, random) => {
    const path = definition(repository, random);
    copyFileSync(path, join(dirname(path), `copy-${random.below(3)}.yaml`));
  },
  'add a part': ({ root }, random) =>
    writeFileSync(join(root, 'videos', `_part-${random.below(2)}.yaml`), 'title: Part\n'),
  'change a part': ({ root }, random) => {
    const path = join(root, random.pick(['parts/brand.yaml', 'videos/_near.yaml']));
    const text = readFileSync(path, 'utf8').replace(/^description: .*\n/m, '');
    writeFileSync(path, `${text}description: ${random.below(99)}\n`);
  },
  'change a colour of a part': ({ root }, random) => {
    const path = join(root, 'parts/brand.yaml');
    writeFileSync(path, readFileSync(path, 'utf8').replace(/#[0-9]{6}/, `#${String(100000 + random.below(899999))}`));
  },
  'change a row': ({ root }, random) => {
    const cities = ['Paris', 'Nice', 'Lyon', 'Lille', 'Brest', 'nice'].filter(() => random.below(3) > 0);
    writeFileSync(join(root, 'data/stores.csv'), `city,open\n${cities.map((city) => `${city},1\n`).join('')}`);
  },
  'change an image': (repository, random) =>
    turnByte(join(repository.root, random.pick(['images/one.png', 'images/two.png', 'videos/near.png'])), random),
  'link to another file': (repository, random) => {
    const path = anyFile(repository, random);
    const target = anyFile(repository, random);
    if (path !== target) replaceBy(path, () => symlinkSync(target, path));
  },
  'another end of a link': ({ root }, random) => {
    const path = join(root, 'images/one.png');
    const target = random.pick(['./two.png', '../videos/near.png', '../videos/berlin.yaml']);
    replaceBy(path, () => symlinkSync(target, path));
  },
  'another end of a chain of links': ({ root }, random) => {
    const [path, between] = [join(root, 'images/one.png'), join(root, 'images/between.png')];
    replaceBy(path, () => symlinkSync('./between.png', path));
    replaceBy(between, () => symlinkSync(random.pick(['./two.png', '../videos/near.png']), between));
  },
  'a part behind a link': ({ root }, random) => {
    const [one, other] = [join(root, 'parts/one.yaml'), join(root, 'parts/other.yaml')];
    const text = readFileSync(join(root, 'parts/brand.yaml'), 'utf8');
    writeFileSync(one, text.replace(/#[0-9]{6}/, '#000001'));
    writeFileSync(other, text.replace(/#[0-9]{6}/, '#000002'));
    const path = join(root, 'parts/brand.yaml');
    replaceBy(path, () => symlinkSync(random.pick(['./one.yaml', './other.yaml']), path));
  },
  'link to the outside': (repository, random) => {
    const path = anyFile(repository, random);
    replaceBy(path, () => symlinkSync(join(repository.outside, random.pick(['far.yaml', 'far.png'])), path));
  },
  'a circle of links': (repository, random) => {
    const path = anyFile(repository, random);
    replaceBy(path, () => symlinkSync(path, path));
  },
  'change behind a link': ({ outside }, random) =>
    turnByte(join(outside, random.pick(['far.yaml', 'far.png'])), random),
  truncate: (repository, random) => {
    const path = anyFile(repository, random);
    truncateSync(path, random.below(statSync(path).size + 1));
  },
  'a folder instead of a file': (repository, random) => {
    const path = anyFile(repository, random);
    replaceBy(path, () => mkdirSync(path));
  },
  'another name for a file': (repository, random) => {
    const [one, other] = [definition(repository, random), definition(repository, random)];
    if (one !== other) replaceBy(one, () => linkSync(other, one));
  },
  'a file with the times of another': (repository, random) => {
    const [one, other] = [definition(repository, random), definition(repository, random)];
    const seconds = Math.floor(statSync(one).mtimeMs / 1000);
    copyFileSync(other, `${one}.aside`);
    utimesSync(`${one}.aside`, seconds, seconds);
    renameSync(`${one}.aside`, one);
  },
  'rename a folder': ({ root }, random) =>
    renameSync(join(root, 'videos/north'), join(root, `videos/south-${random.below(2)}`)),
  'a link instead of a folder': ({ root, outside }, random) => {
    const folder = random.pick([
      'videos/north',
      'videos/north/deep',
      'images',
      'data',
      'parts',
      'schemas',
      'templates/small',
      'videos',
    ]);
    const aside = join(random.pick([root, outside]), 'aside');
    renameSync(join(root, folder), aside);
    symlinkSync(aside, join(root, folder));
  },
  'the bits of a file': (repository, random) => chmodSync(anyFile(repository, random), random.pick([0o644, 0o600])),
  'change a template': ({ root }, random) => {
    const path = join(root, 'templates/small/template.yaml');
    writeFileSync(path, readFileSync(path, 'utf8').replace(/label: \w+/, `label: Label${random.below(3)}`));
  },
  'another length for texts': ({ root }, random) => {
    const path = join(root, 'templates/small/template.yaml');
    writeFileSync(path, readFileSync(path, 'utf8').replace(/max_length: \d+/, `max_length: ${3 + random.below(4)}`));
  },
  'change an animation': ({ root }, random) => {
    const path = join(root, 'templates/small/animation.json');
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replace(/"p":\{"a":0,"k":\[\d+,10,0\]\}/, `"p":{"a":0,"k":[${random.below(64)},10,0]}`));
  },
  'add to a template': ({ root }, random) =>
    writeFileSync(join(root, `templates/small/images/more-${random.below(2)}.png`), 'png'),
  'change a specification': ({ root }, random) => {
    const path = join(root, `schemas/${random.pick(['launch', 'plain'])}.spec.json`);
    writeFileSync(path, readFileSync(path, 'utf8').replace(/"label": "[^"]*"/, `"label": "Label ${random.below(3)}"`));
  },
  'another rule of a specification': ({ root }, random) => {
    const path = join(root, `schemas/${random.pick(['launch', 'plain'])}.spec.json`);
    const spec = JSON.parse(readFileSync(path, 'utf8'));
    spec.style_version.editables.t_01.max_length = 3 + random.below(4);
    writeFileSync(path, `${JSON.stringify(spec, null, 2)}\n`);
  },
  'a schema goes': ({ root }, random) => rmSync(join(root, random.pick(filesIn(root, 'schemas')))),
  'all schemas come back': (repository) => {
    repository.restore(Object.keys(repository.files).filter((path) => path.endsWith('.schema.json')));
  },
  'another glob': ({ root }, random) => {
    const path = join(root, 'reelform.yaml');
    const glob = random.pick([
      'videos/**/*.yaml',
      'videos/*.yaml',
      '**/*.yaml',
      'videos/north/**/*.yaml',
      'nowhere/*.yaml',
    ]);
    writeFileSync(path, `${readFileSync(path, 'utf8').replace(/^videos: .*\n/m, '')}videos: "${glob}"\n`);
  },
  'another concurrency': ({ root }, random) => {
    const path = join(root, 'reelform.yaml');
    writeFileSync(
      path,
      `${readFileSync(path, 'utf8').replace(/^concurrency: .*\n/m, '')}concurrency: ${1 + random.below(9)}\n`,
    );
  },
  'another service': ({ root }, random) => {
    const path = join(root, 'reelform.yaml');
    writeFileSync(path, readFileSync(path, 'utf8').replace(/service\d?\.example/, `service${random.below(3)}.example`));
  },
  'another place for all': ({ root }, random) => {
    const path = join(root, 'reelform.yaml');
    const place = random.pick([
      's3://videos/',
      '{to: "s3://videos/{id}.mp4"}',
      '[file:out/, "s3://videos/{fingerprint}"]',
    ]);
    const text = readFileSync(path, 'utf8').replace(/^deliver: .*\n/m, '');
    writeFileSync(path, random.below(3) === 0 ? text : `${text}deliver: ${place}\n`);
  },
  'another place': (repository, random) => {
    const path = definition(repository, random);
    const place = random.pick([
      's3://videos/',
      '[]',
      '["s3://videos/all.mp4"]',
      '"s3://videos/{title}.mp4"',
      '"s3://videos/{fingerprint}"',
      // The present or future id of another video.
      ...['berlin', 'oslo', 'a', 'copy-1', 'north/rome'].map((id) => `"s3://videos/${id}.mp4"`),
    ]);
    const text = readFileSync(path, 'utf8').replace(/^deliver: .*\n/m, '');
    writeFileSync(path, random.below(3) === 0 ? text : `${text}deliver: ${place}\n`);
  },
  'a template goes': ({ root }) => {
    const path = join(root, 'reelform.yaml');
    writeFileSync(path, readFileSync(path, 'utf8').replace(/, plain: tsv_plain/, ''));
  },
  'edit the lockfile': ({ root }, random) => {
    const path = join(root, LOCK);
    writeFileSync(
      path,
      random.below(2) === 0
        ? turned(readFileSync(path, 'utf8'), random)
        : readFileSync(path, 'utf8').replace(/"title": "[^"]*"/, `"title": "T${random.below(9)}"`),
    );
  },
  'an entry goes': ({ root }, random) => {
    const lock = JSON.parse(readFileSync(join(root, LOCK), 'utf8'));
    delete lock.videos[random.pick(Object.keys(lock.videos))];
    writeFileSync(join(root, LOCK), `${JSON.stringify(lock, null, 2)}\n`);
  },
  'lay out the lockfile anew': ({ root }, random) => {
    const lock = JSON.parse(readFileSync(join(root, LOCK), 'utf8'));
    writeFileSync(join(root, LOCK), JSON.stringify(lock, null, random.below(5)));
  },
  'the lockfile goes': ({ root }) => rmSync(join(root, LOCK)),
  'an output goes': ({ root }, random) => rmSync(join(root, random.pick(filesIn(root, 'renders')))),
  'a folder instead of an output': ({ root }, random) => {
    const path = join(root, random.pick(filesIn(root, 'renders')));
    replaceBy(path, () => mkdirSync(path));
  },
  'a journal': ({ root }, random) => {
    mkdirSync(join(root, '.reelform'), { recursive: true });
    writeFileSync(join(root, '.reelform/journal.ndjson'), random.pick(['', 'nonsense\n']));
  },
  'the journal goes': ({ root }) => rmSync(join(root, '.reelform/journal.ndjson')),
  'truncate the plan cache': ({ root }, random) =>
    truncateSync(join(root, CACHE), random.below(statSync(join(root, CACHE)).size)),
  'a byte of the plan cache': ({ root }, random) => turnByte(join(root, CACHE), random),
  'the plan cache goes': ({ root }) => rmSync(join(root, CACHE)),
  'keep the plan cache': ({ root, outside }) => copyFileSync(join(root, CACHE), join(outside, 'plan-cache.json')),
  'an old plan cache': ({ root, outside }) => copyFileSync(join(outside, 'plan-cache.json'), join(root, CACHE)),
  'put a file right': (repository, random) => repository.restore([random.pick(Object.keys(repository.files))]),
  reset: (repository) => repository.reset(),
  apply: (repository) => repository.apply(),
  'an apply of an earlier version': (repository) => repository.apply({ isFormer: true }),
};

/**
 * Makes one edit, unless there is nothing to apply it to.
 *
 * @returns whether it was made
 */
export async function editAtRandom(repository: EditedRepository, name: string, random: SeededRandom): Promise<boolean> {
  try {
    await EDITS[name]!(repository, random);
    return true;
  } catch (error) {
    const isExpected = error instanceof TypeError || error instanceof SyntaxError;
    if (!isExpected && typeof (error as NodeJS.ErrnoException).code !== 'string') throw error;
    return false;
  }
}
