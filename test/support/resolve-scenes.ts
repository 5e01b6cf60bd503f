import type { StyleVersion } from '../../src/contract/wire/style-version.ts';
import type { VideoTemplate } from '../../src/reconciler/definition/read-scene.ts';
import type { Resolved } from '../../src/reconciler/definition/resolve-definitions.ts';
import { resolveDefinitions } from '../../src/reconciler/definition/resolve-definitions.ts';
import type { Video } from '../../src/reconciler/definition/video.ts';
import type { TimelineTemplate } from '../../src/reconciler/definition/video-timeline.ts';
import type { LocaleSettings } from '../../src/reconciler/locales/locale-settings.ts';
import { loadCatalogueFormats, readCatalogue } from '../../src/reconciler/project/catalogue-reader.ts';
import { createChecks } from '../../src/reconciler/schema/create-checks.ts';
import type { Voice } from '../../src/reconciler/speech/voice.ts';
import { diagnosticsText } from '../../src/report/terminal/diagnostics-text.ts';
import type { Files } from './resolve.ts';

const checks = createChecks();
await loadCatalogueFormats({ locales: {} as LocaleSettings });
const text = { input_type: 'text', stillcut: 'stillcut_01' } as const;
const optional = { ...text, required: false } as const;
const image = { input_type: 'image', stillcut: 'stillcut_01', required: false } as const;

function spec(id: string, fields: Partial<StyleVersion> = {}): StyleVersion {
  return {
    id,
    editables: { t_01: { ...text, label: 'Headline', max_length: 20 }, logo: image },
    fonts: ['Inter'],
    ...fields,
  };
}

function facts(version: StyleVersion, fields: Partial<TimelineTemplate> = {}): TimelineTemplate {
  const stills = [{ name: 'stillcut_01', frame: 60 }];
  return { width: 1920, height: 1080, fps: 30, frameCount: 150, stills, spec: version, ...fields };
}

const CARD = spec('card', {
  editables: { t_01: text, t_02: optional, logo: image, clip: { ...image, input_type: 'video' } },
  timing: [
    { stretch: [0, 60], min: 30, max: 90 },
    { hold: 120, max: 60 },
  ],
});
const LOOP = spec('loop', { editables: { t_01: optional }, timing: [{ loop: [30, 90] }] });
const PLAIN = spec('plain', { editables: { t_01: optional } });
const CAPTIONED = spec('captioned', {
  editables: { t_01: optional, s_01: { ...optional, input_type: 'captions', label: 'Captions' } },
});

/** Returns an animation of 150 frames with sounds in ranges of frames. */
function soundsOf(...ranges: readonly (readonly [from: number, to: number])[]): Partial<TimelineTemplate> {
  const layers = ranges.map(([ip, op], at) => ({ ty: 6, ind: at + 1, refId: `sound-${at}`, ip, op, st: ip }));
  const assets = ranges.map((_, at) => ({ id: `sound-${at}`, u: '', p: '' }));
  const files = assets.map(({ id }) => [id, { path: `audio/${id}.wav`, bytes: new Uint8Array() }] as const);
  return { animation: { w: 1920, h: 1080, fr: 30, ip: 0, op: 150, assets, layers }, sounds: new Map(files) };
}

/** Facts by name; null for a style version of a service. */
const TEMPLATES: Readonly<Record<string, readonly [StyleVersion, TimelineTemplate | null]>> = {
  intro: [spec('intro'), facts(spec('intro'), { frameCount: 120 })],
  card: [CARD, facts(CARD)],
  loop: [LOOP, facts(LOOP)],
  plain: [PLAIN, facts(PLAIN)],
  still: [PLAIN, facts({ ...PLAIN, timing: [] }, { spec: { ...PLAIN, timing: [] } })],
  film: [PLAIN, facts(PLAIN, { fps: 25 })],
  slow: [PLAIN, facts(PLAIN, { fps: 0.5 })],
  tall: [PLAIN, facts(PLAIN, { width: 1080, height: 1920 })],
  heard: [PLAIN, facts(PLAIN, soundsOf([0, 60], [90, 150]))],
  captioned: [CAPTIONED, facts(CAPTIONED)],
  remote: [PLAIN, null],
};

/** Facts of the templates. */
export const FACTS = new Map(Object.entries(TEMPLATES).map(([name, [, known]]) => [name, known]));

const templates = new Map(
  Object.entries(TEMPLATES).map(([name, [version, known]]): [string, VideoTemplate] => [
    name,
    { spec: version, check: checks.video({ name, spec: version }), fonts: ['Inter', 'Roboto'], facts: known },
  ]),
);

/** Resolves definitions below `videos/` from memory, over several small templates of 5 seconds (`intro` has 4). */
export function resolveScenes(
  files: Files,
  locales: LocaleSettings | null = null,
  voices: ReadonlyMap<string, Voice> = new Map(),
  writesLanguages = true,
): Resolved {
  const paths = Object.keys(files).filter((path) => path.startsWith('videos/') && /\.ya?ml$/.test(path));
  return resolveDefinitions(paths, {
    folder: 'videos',
    locales,
    voices,
    writesLanguages,
    readCatalogue,
    templates,
    output: null,
    deliver: { all: [], problemOf: () => null, isWritable: () => true },
    templateNames: [...templates.keys(), 'unpulled'],
    checkFile: checks.file,
    checkAny: checks.anyVideo,
    checkPlacement: checks.placement,
    outputProblems: () => [],
    hasFile: (path) => Object.hasOwn(files, path),
    read: (path) => {
      const found = Object.hasOwn(files, path) ? files[path] : undefined;
      return found === undefined ? { ok: false, reason: 'missing' } : { ok: true, text: found };
    },
  });
}

/** Returns the videos of definitions without problems. */
export function scenesOf(files: Files, locales: LocaleSettings | null = null): Video[] {
  const { videos, diagnostics } = resolveScenes(files, locales);
  const problems = diagnostics.filter(({ severity }) => severity === 'error');
  if (problems.length > 0) throw new Error(JSON.stringify(problems, null, 2));
  return videos.map(({ video }) => video);
}

/** Returns the problems as a terminal shows them. */
export function printedProblems(
  files: Files,
  locales: LocaleSettings | null = null,
  voices?: ReadonlyMap<string, Voice>,
): string {
  const { diagnostics } = resolveScenes(files, locales, voices);
  return diagnosticsText(diagnostics, { color: false, source: (file) => files[file] });
}
