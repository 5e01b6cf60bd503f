import type { Mapping } from '../../src/contract/wire/mapping.ts';
import { type SceneRequest, scenesOf } from '../../src/contract/wire/scene-request.ts';
import { defined } from '../../src/kernel/defined.ts';
import { bindInput } from '../../src/service/sessions/bind-template.ts';
import { inputDigest } from '../../src/service/sessions/input-digest.ts';
import { createRenderPool } from '../../src/service/sessions/processes/render-pool.ts';
import { emptySources } from '../../src/service/sessions/session-scenes.ts';
import { parseTemplatePackage } from '../../src/template/parse-template-package.ts';
import type { LottieDocument } from '../../src/template/render-input.ts';
import type { TemplatePackage } from '../../src/template/template-package.ts';
import { bytesOf } from './in-memory.ts';
import { SMALL_MANIFEST, smallAnimation, smallPackageFiles } from './small-package.ts';

const SIZES = {
  short: { frames: 40, fps: 10, width: 640, height: 360 },
  // Enough drawing to make rendering in segments pay.
  long: { frames: 900, fps: 30, width: 1280, height: 720 },
  // Divides into 24 segments.
  segments: { frames: 480, fps: 10, width: 640, height: 360 },
  // Two minutes each.
  full: { frames: 3600, fps: 30, width: 640, height: 360 },
  light: { frames: 1200, fps: 10, width: 320, height: 180 },
};

/** Templates of a farm: many short videos, some long enough for segments, and those of measurements. */
export type FarmTemplate = keyof typeof SIZES;

/** Returns the small package with another length and size, and with motion, so that every frame is drawn. */
function files(name: FarmTemplate): Map<string, Uint8Array> {
  const { frames: end, fps, width, height } = SIZES[name];
  const text = JSON.stringify(smallAnimation()).replaceAll('"op":10', `"op":${end}`).replace('"fr":10', `"fr":${fps}`);
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

/** Returns the files of a repository that serves these templates. */
export function farmRepository(names: readonly FarmTemplate[]): Record<string, Uint8Array | string> {
  const repository: Record<string, Uint8Array | string> = {
    'reelform.yaml': `service: embedded\ntemplates:\n${names.map((name) => `  ${name}: ./templates/${name}\n`).join('')}`,
  };
  for (const name of names) for (const [path, bytes] of files(name)) repository[`templates/${name}/${path}`] = bytes;
  return repository;
}

const packages = new Map<FarmTemplate, TemplatePackage>();

function packageOf(name: FarmTemplate): TemplatePackage {
  const known = packages.get(name);
  if (known !== undefined) return known;
  const parsed = parseTemplatePackage(`templates/${name}`, files(name));
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.diagnostics));
  packages.set(name, parsed.value);
  return parsed.value;
}

/** A session to create, and the reference for its video. */
export interface FarmSession {
  readonly title: string;
  readonly template: FarmTemplate;
  readonly mapping: Pick<Mapping, 'template_style_version_id' | 'resources'>;
  /** Replace the mapping. */
  readonly scenes?: SceneRequest[];
}

/** Returns sessions that all differ, the long ones first. One in three of the short ones has scenes. */
export function farmSessions(count: number, longCount = 0): FarmSession[] {
  return Array.from({ length: count }, (_, index) => {
    if (index < longCount) return farmSession('long', index);
    const session = farmSession('short', index);
    return index % 3 === 2 ? withScenes(session, index) : session;
  });
}

/** Returns a session of two scenes, the second of which is longer than its template and slides over the first. */
export function withScenes(session: FarmSession, number: number): FarmSession {
  const { mapping } = session;
  const second: SceneRequest = {
    id: 'second',
    mapping: farmSession('short', number + 10_000).mapping,
    seconds: 5,
    timing: [{ hold: 20 }],
    transition: { type: 'slide', duration: 0.5 },
  };
  return { ...session, scenes: [{ id: 'first', mapping }, second] };
}

/** Returns the body of the request for a session. */
export function farmRequest({ title, mapping, scenes }: FarmSession) {
  return { title, render: 'preview', ...(scenes === undefined ? { mapping } : { scenes }) };
}

/** Returns a session that differs for each number. */
export function farmSession(template: FarmTemplate, number: number): FarmSession {
  const color = ((number * 2_654_435_761) >>> 8).toString(16).padStart(6, '0').slice(-6).toUpperCase();
  return {
    title: `Video ${number}`,
    template,
    mapping: {
      template_style_version_id: packageOf(template).spec.id,
      resources: { t_01: { source: { text: `No. ${number}` } }, c_01: { source: { text: color } } },
    },
  };
}

/** Renders each session in one piece, here, one after the other. */
export async function referenceVideos(sessions: readonly FarmSession[]): Promise<Uint8Array[]> {
  const pool = createRenderPool({ size: 1 });
  try {
    const videos: Uint8Array[] = [];
    for (const { template, mapping, scenes } of sessions) {
      const templates = new Map([[packageOf(template).spec.id, packageOf(template)]]);
      const session = { video: scenesOf({ mapping, ...defined({ scenes }) }), templates };
      const sources = emptySources<never>(session.video);
      const renderInput = bindInput({ ...session, sources, fingerprint: inputDigest({ ...session, sources }) });
      videos.push(await bytesOf((await pool.run('video', renderInput)).video));
    }
    return videos;
  } finally {
    await pool.close();
  }
}
