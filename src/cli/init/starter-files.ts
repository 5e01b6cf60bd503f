import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { GITIGNORE } from '../../reconciler/project/repository-layout.ts';
import { schemaFiles } from '../../reconciler/project/schema-files.ts';
import { parseTemplatePackage } from '../../template/parse-template-package.ts';
import { type PublishedPackage, packageRoot, packageTexts } from '../own-package.ts';
import { definitionText } from '../template/add/register-template.ts';
import { githubWorkflow, gitlabJobs, type WorkflowPlace } from './workflow-text.ts';

/** Language of the starter's texts. */
export const STARTER_LOCALE = 'en';

/** Choices for a new repository. */
export interface StarterChoices {
  /** `embedded`, or the URL of a service. */
  readonly service: string;
  readonly ci: 'github' | 'gitlab' | 'none';
  /** Name of the template: `card`, `none`, or a name from the gallery. */
  readonly template: string;
  /** Files of the template of the gallery by path; null for `card` and `none`. */
  readonly gallery: ReadonlyMap<string, Uint8Array> | null;
  /** Languages to translate to; empty for one language. */
  readonly locales: readonly string[];
  /** Location of the workflows. */
  readonly place: WorkflowPlace;
  /** Null if the repository depends on reelform already. */
  readonly ownPackages: readonly PublishedPackage[] | null;
}

/** A file of a new repository. */
export interface StarterFile {
  /** Relative to the new folder; that of a workflow, to the root of the Git repository. */
  readonly path: string;
  readonly isAtTop?: true;
  readonly content: string | Uint8Array;
}

/**
 * Returns the files of a new repository in the order of the report: configuration, a template with a video and its
 * schemas, Git files, AGENTS.md, workflows, and package.json. The templates of these files are in the folder `starter/` of this
 * package.
 */
export function starterFiles({ ownPackages, ...choices }: StarterChoices): StarterFile[] {
  const starter = join(packageRoot(), 'starter');
  const inLocales = (file: StarterFile): StarterFile => {
    if (choices.locales.length === 0 || !file.path.startsWith('videos/') || typeof file.content !== 'string')
      return file;
    return { ...file, content: file.content.replace(/^template: .*\n/m, '$&locales: all\n') };
  };
  return [
    { path: 'reelform.yaml', content: configText(choices) },
    ...(choices.template === 'card' ? templateFiles(starter) : []).map(inLocales),
    ...(choices.gallery === null ? [] : galleryFiles(choices.template, choices.gallery)).map(inLocales),
    { path: '.gitignore', content: GITIGNORE },
    { path: '.gitattributes', content: GIT_ATTRIBUTES },
    { path: 'AGENTS.md', content: readFileSync(join(starter, 'AGENTS.md'), 'utf8') },
    ...workflowFiles(starter, choices),
    ...(ownPackages === null ? [] : packageFiles(ownPackages)),
  ];
}

/** Git on Windows must not change line breaks: the digests of files and formatted text are those of LF. */
const GIT_ATTRIBUTES = [
  'reelform.lock.json text eol=lf merge=reelform',
  ...['yaml', 'yml', 'json', 'csv', 'tsv'].map((ending) => `*.${ending} text eol=lf`),
  '',
].join('\n');

function configText({
  service,
  template,
  ci,
  place,
  locales,
}: Omit<StarterChoices, 'ownPackages' | 'gallery'>): string {
  // A CI runner loses its disk when it ends. Each folder has its journal.
  const isShared = service !== 'embedded' && ci !== 'none';
  const templates = template === 'none' ? 'templates: {}\n' : `templates:\n  ${template}: ./templates/${template}\n`;
  return [
    '# yaml-language-server: $schema=./node_modules/reelform/schemas/reelform-config.schema.json\n',
    service === 'embedded' ? 'service: embedded\n' : `service: { url: ${JSON.stringify(service)} }\n`,
    isShared ? `journal: { git: reelform-journal${place.suffix} }\n` : '',
    templates,
    'videos: videos/**/*.yaml\n',
    locales.length === 0 ? '' : `locales: { source: ${STARTER_LOCALE}, targets: [ ${locales.join(', ')} ] }\n`,
  ].join('');
}

function templateFiles(starter: string): StarterFile[] {
  const folder = 'templates/card';
  const files = new Map(
    readdirSync(join(starter, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((path) => [path.slice(join(starter, folder).length + 1).replaceAll('\\', '/'), readFileSync(path)]),
  );
  const parsed = parseTemplatePackage(folder, files);
  if (!parsed.ok) throw new Error(`The template of reelform init: ${parsed.diagnostics[0]?.message}`);
  return [
    ...[...files].map(([path, content]) => ({ path: `${folder}/${path}`, content })),
    { path: 'videos/hello.yaml', content: readFileSync(join(starter, 'videos/hello.yaml'), 'utf8') },
    ...schemaFiles('card', parsed.value.spec).map(({ path, text }) => ({ path, content: text })),
  ];
}

function galleryFiles(name: string, files: ReadonlyMap<string, Uint8Array>): StarterFile[] {
  const folder = `templates/${name}`;
  const parsed = parseTemplatePackage(folder, new Map(files));
  if (!parsed.ok) throw new Error(`The template ${name} of the gallery: ${parsed.diagnostics[0]?.message}`);
  const template = parsed.value;
  const path = `videos/${name}.yaml`;
  return [
    ...[...files].map(([file, content]) => ({ path: `${folder}/${file}`, content })),
    { path, content: definitionText({ name, title: template.manifest.name, template }, path) },
    ...schemaFiles(name, template.spec).map((file) => ({ path: file.path, content: file.text })),
  ];
}

function workflowFiles(
  starter: string,
  { ci, place, locales }: Pick<StarterChoices, 'ci' | 'place' | 'locales'>,
): StarterFile[] {
  if (ci === 'none') return [];
  const read = (path: string): string => readFileSync(join(starter, ci, path), 'utf8');
  if (ci === 'gitlab') {
    const path = '.gitlab-ci.yml';
    const text = [path, ...(locales.length === 0 ? [] : ['translations.yml'])].map(read).join('\n');
    const jobs: StarterFile = { path, content: gitlabJobs(text, place) };
    const include = `include:\n  - local: ${JSON.stringify(`${place.folder}/${path}`)}\n`;
    return place.folder === '' ? [jobs] : [jobs, { path, isAtTop: true, content: include }];
  }
  const ofLocales = locales.length === 0 ? [] : [join(starter, 'locales/translations.yml')];
  const workflows = readdirSync(join(starter, ci)).sort().map((name) => join(starter, ci, name)); // biome-ignore format: one line
  return [...workflows, ...ofLocales].map((file) => ({
    path: `.github/workflows/${basename(file).replace('.yml', `${place.suffix}.yml`)}`,
    isAtTop: true,
    content: githubWorkflow(readFileSync(file, 'utf8'), place),
  }));
}

function packageFiles(ownPackages: readonly PublishedPackage[]): StarterFile[] {
  const { manifest, lock } = packageTexts(ownPackages);
  return [
    { path: 'package.json', content: manifest },
    { path: 'package-lock.json', content: lock },
    ...ownPackages.flatMap(({ tarball }) => tarball ?? []),
  ];
}
