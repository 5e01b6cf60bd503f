import { createRenderPool } from '../../src/session/processes/render-pool.ts';
import { sceneDigest } from '../../src/session/scene-digest.ts';
import { bindMapping } from '../../src/template/bind/bind-mapping.ts';
import { parseTemplatePackage } from '../../src/template/parse-template-package.ts';
import type { LottieDocument } from '../../src/template/scene.ts';
import type { TemplatePackage } from '../../src/template/template-package.ts';
import type { Mapping } from '../../src/wire/mapping.ts';
import { SMALL_MANIFEST, smallAnimation, smallPackageFiles } from './small-package.ts';

/** What a farm renders: many short videos, and some that are long enough for parts. */
export type FarmTemplate = 'short' | 'long';

const SIZES = { short: { seconds: 4, width: 640, height: 360 }, long: { seconds: 60, width: 320, height: 180 } };
const FPS = 10;

/** The small package, of another length and size, and with something that moves, so that every frame is drawn. */
function files(name: FarmTemplate): Map<string, Uint8Array> {
  const { seconds, width, height } = SIZES[name];
  const end = seconds * FPS;
  const text = JSON.stringify(smallAnimation()).replaceAll('"op":10', `"op":${end}`);
  const animation = JSON.parse(text.replace('"w":64,"h":36', `"w":${width},"h":${height}`)) as LottieDocument;
  const [headline] = animation.layers as { ks: Record<string, unknown> }[];
  const keyframe = (t: number, s: number[]) => ({ t, s, i: { x: 1, y: 1 }, o: { x: 0, y: 0 } });
  headline!.ks = {
    ...headline!.ks,
    p: { a: 1, k: [keyframe(0, [0, 20, 0]), keyframe(end, [width * 0.7, height * 0.9, 0])] },
  };
  const manifest = SMALL_MANIFEST.replace('name: Small', `name: ${name}`);
  return smallPackageFiles({ 'animation.json': JSON.stringify(animation), 'template.yaml': manifest });
}

/** The files of a repository that serves both templates. */
export function farmRepository(): Record<string, Uint8Array | string> {
  const repository: Record<string, Uint8Array | string> = {
    'reelform.yaml': 'service: embedded\ntemplates:\n  short: ./templates/short\n  long: ./templates/long\n',
  };
  for (const name of ['short', 'long'] as const)
    for (const [path, bytes] of files(name)) repository[`templates/${name}/${path}`] = bytes;
  return repository;
}

function packageOf(name: FarmTemplate): TemplatePackage {
  const parsed = parseTemplatePackage(`templates/${name}`, files(name));
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.diagnostics));
  return parsed.value;
}

/** One session to be, and the video that it has to give. */
export interface FarmSession {
  readonly title: string;
  readonly template: FarmTemplate;
  readonly mapping: Pick<Mapping, 'template_style_version_id' | 'resources'>;
}

/** Sessions that all differ; every so many is a long one. */
export function farmSessions(count: number, longEvery: number): FarmSession[] {
  const packages = { short: packageOf('short'), long: packageOf('long') };
  return Array.from({ length: count }, (_, index) => {
    const template = index % longEvery === longEvery - 1 ? 'long' : 'short';
    const color = ((index * 2_654_435_761) >>> 8).toString(16).padStart(6, '0').slice(-6).toUpperCase();
    return {
      title: `Video ${index}`,
      template,
      mapping: {
        template_style_version_id: packages[template].spec.id,
        resources: { t_01: { source: { text: `No. ${index}` } }, c_01: { source: { text: color } } },
      },
    };
  });
}

/** What each is in one piece, rendered here, by one process after the other. */
export async function referenceVideos(sessions: readonly FarmSession[]): Promise<Uint8Array[]> {
  const packages = { short: packageOf('short'), long: packageOf('long') };
  const pool = createRenderPool({ size: 1 });
  try {
    const videos: Uint8Array[] = [];
    for (const { template, mapping } of sessions) {
      const fingerprint = sceneDigest(packages[template], mapping, new Map());
      const scene = bindMapping(packages[template], { ...mapping, fingerprint }, new Map());
      videos.push((await pool.render(scene)).video);
    }
    return videos;
  } finally {
    await pool.close();
  }
}
