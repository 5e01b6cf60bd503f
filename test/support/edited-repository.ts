import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { loadDesiredState } from '../../src/cli/state/load-desired-state.ts';
import type { StyleVersion } from '../../src/contract/wire/style-version.ts';
import { firstTemplate } from '../../src/reconciler/definition/video.ts';
import { emptyLock, type LockEntry } from '../../src/reconciler/lock/lock.ts';
import { serialiseLock } from '../../src/reconciler/lock/lock-format.ts';
import { describeInputs } from '../../src/reconciler/lock/recorded-inputs.ts';
import { settleDeliveries } from '../../src/reconciler/plan/compare-video.ts';
import { contentSpec, styleVersionOf } from '../../src/reconciler/plan/desired-video.ts';
import { digestsOf } from '../../src/reconciler/plan/plan-videos.ts';
import { schemaFiles } from '../../src/reconciler/project/schema-files.ts';
import { parseTemplatePackage } from '../../src/template/parse-template-package.ts';
import { CONFIG, makeFolder } from './repository.ts';
import { smallPackageFiles, TEST_FONT } from './small-package.ts';

const LONG_AGO_SECONDS = 1_600_000_000;

type Files = Record<string, string | Uint8Array>;

const SPECS = ['launch', 'plain'].map(
  (name): StyleVersion => ({
    id: `tsv_${name}`,
    editables: {
      t_01: { input_type: 'text', example_text: 'Text', stillcut: 'stillcut_01', fonts: [], label: 'Headline' },
      c_01: { input_type: 'color', example_text: 'EEADA7', stillcut: 'stillcut_01' },
      '(Footage)/USER/photo.png': { input_type: 'image', stillcut: 'stillcut_01', required: false },
    },
    fonts: ['Test-Regular'],
  }),
);

/** Returns a definition with every feature of a video. */
function definitions(first: string, second: string): Files {
  const values = (text: string): string => `resources:\n  t_01: ${text}\n  c_01: "#EEADA7"\n`;
  const photo = '  (Footage)/USER/photo.png:';
  return {
    'videos/berlin.yaml': `template: ${first}\ntitle: Berlin\n${values('Berlin')}${photo} images/one.png\n`,
    'videos/oslo.yaml': `template: ${second}\ntitle: Oslo\n${values('Oslo')}${photo} ./near.png\n`,
    'videos/north/rome.yaml': `template: ${first}\ntitle: Rome\n${values('Rome')}audio: {main: sounds/one.mp3}\n`,
    'videos/north/bern.yaml': `template: ${second}\ntitle: Rome\n${values('Rome')}fonts: {Test-Regular: Test-Regular}\n`,
    'videos/north/deep/kyiv.yaml': `extends: ../../../parts/brand.yaml\ntitle: Kyiv\nresources:\n  t_01: Kyiv\n`,
    'videos/_near.yaml': `extends: parts/brand.yaml\nlabels: {from: near}\n`,
    'videos/lima.yaml': 'extends: ./_near.yaml\ntitle: Lima\nresources: {t_01: Lima}\noutput: {height: 18}\n',
    'videos/stores.yaml': [
      'extends: ./_near.yaml',
      'each: {from: data/stores.csv, id: "${city}"}',
      'title: Store ${city}',
      'resources: {t_01: "${city}"}',
      '',
    ].join('\n'),
    'parts/brand.yaml': `template: ${first}\nresources:\n  c_01: "#112233"\n${photo} images/two.png\n`,
    'data/stores.csv': 'city,open\nParis,1\nNice,2\nLyon,3\n',
    'images/one.png': 'one one one',
    'sounds/one.mp3': 'la la la',
    'images/two.png': 'two two two',
    'videos/near.png': 'near near',
  };
}

/** Returns a repository over a service behind a URL, including its specifications. */
function remoteFiles(): Files {
  const schemas = SPECS.flatMap((spec) => schemaFiles(spec.id.slice(4), spec));
  return {
    'reelform.yaml': 'service: {url: "https://service.example"}\ntemplates: {launch: tsv_launch, plain: tsv_plain}\n',
    ...Object.fromEntries(schemas.map(({ path, text }) => [path, text])),
    ...definitions('launch', 'plain'),
  };
}

/** Returns a repository with its own package. */
function embeddedFiles(): Files {
  const files = [...smallPackageFiles()].map(([path, bytes]) => [`templates/small/${path}`, bytes]);
  const font = 'fonts/Extra-Regular.ttf';
  const parsed = parseTemplatePackage('templates/small', smallPackageFiles({ [font]: TEST_FONT }));
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.diagnostics));
  const schemas = schemaFiles('small', parsed.value.spec).map(({ path, text }) => [path, text]);
  return {
    'reelform.yaml': `${CONFIG}fonts: ./fonts\noutput: {quality: low}\n`,
    [font]: TEST_FONT,
    'fonts/OFL.txt': 'free',
    ...Object.fromEntries(files),
    ...Object.fromEntries(schemas),
    ...definitions('small', 'small'),
  };
}

/** A repository to edit at random and to restore. */
export class EditedRepository {
  /** Absolute path; `root/..` is available for files outside. */
  readonly root: string;
  readonly outside: string;
  /** Every original file. */
  readonly files: Readonly<Files>;

  constructor(kind: 'remote' | 'embedded') {
    const folder = makeFolder({ 'outside/far.yaml': 'title: Far\n', 'outside/far.png': 'far far far' });
    this.root = join(folder, 'repository');
    this.outside = join(folder, 'outside');
    this.files = kind === 'remote' ? remoteFiles() : embeddedFiles();
    this.restore(Object.keys(this.files));
  }

  /** Restores files to their original content, replacing anything in their way. */
  restore(paths: readonly string[]): void {
    for (const path of paths) {
      const absolute = join(this.root, path);
      try {
        mkdirSync(dirname(absolute), { recursive: true });
        rmSync(absolute, { recursive: true, force: true });
        writeFileSync(absolute, this.files[path]!);
      } catch {
        // A file replaced the folder, or a dangling link does.
        rmSync(dirname(absolute), { recursive: true, force: true });
        mkdirSync(dirname(absolute), { recursive: true });
        writeFileSync(absolute, this.files[path]!);
      }
      // Archives and caches restore old times, in whole seconds.
      utimesSync(absolute, LONG_AGO_SECONDS, LONG_AGO_SECONDS);
    }
  }

  /** Restores everything. */
  reset(): void {
    for (const folder of ['videos', 'parts', 'data', 'images', 'sounds', 'fonts', 'templates', 'schemas']) {
      rmSync(join(this.root, folder), { recursive: true, force: true });
    }
    rmSync(join(this.outside, 'aside'), { recursive: true, force: true });
    this.restore(Object.keys(this.files));
  }

  /**
   * Writes the lockfile of an apply and its outputs; does nothing if definitions have errors.
   *
   * @param isFormer whether to write the lockfile of an earlier version, which recorded repeated defaults
   */
  async apply({ isFormer = false }: { readonly isFormer?: boolean } = {}): Promise<void> {
    const { desired, diagnostics } = await loadDesiredState(this.root, { cache: false });
    if (diagnostics.some(({ severity }) => severity === 'error')) return;
    const videos = new Map<string, LockEntry>();
    for (const video of desired) {
      const isLocal = video.service === 'embedded';
      const output = `renders/${video.id}.mp4`;
      if (isLocal) {
        mkdirSync(dirname(join(this.root, output)), { recursive: true });
        writeFileSync(join(this.root, output), 'mp4');
      }
      videos.set(video.id, {
        fingerprint: (isFormer ? video.formerFingerprint : undefined) ?? video.fingerprint,
        title: video.title,
        ...(Object.keys(video.labels).length > 0 && { labels: video.labels }),
        service: video.service,
        template: firstTemplate(video),
        style_version: styleVersionOf(video),
        inputs: isFormer ? describeInputs(contentSpec(video, video.styleVersions, digestsOf(video))) : video.inputs(),
        session: 'rs_1',
        video_url: isLocal ? output : `https://cdn.example/${video.id}.mp4`,
        ...(video.deliver.length > 0 && {
          deliveries: settleDeliveries(
            [],
            video.deliver,
            video.deliver.map(({ to }) => ({ to })),
          ),
        }),
        thumbnails: [],
        rendered_at: '2026-01-01T00:00:00.000Z',
      });
    }
    writeFileSync(join(this.root, 'reelform.lock.json'), serialiseLock({ ...emptyLock, videos }));
  }
}
