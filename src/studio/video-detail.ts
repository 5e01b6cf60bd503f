import { segmentRanges } from '../engine/segments/segment.ts';
import type { Sha256 } from '../kernel/digest.ts';
import type { MapNode } from '../kernel/yaml/tree.ts';
import { isDataFile } from '../reconciler/definition/read-rows.ts';
import { isFragment, type Video } from '../reconciler/definition/video.ts';
import { editableKeys } from '../reconciler/lock/input-names.ts';
import { inputDocuments } from '../reconciler/plan/plan-document.ts';
import { diagnosticsJson } from '../report/json/diagnostics-json.ts';
import { lintDiagnostic } from '../report/wording/lint-diagnostic.ts';
import { placeFindings, safeAreasOf } from '../report/wording/place-findings.ts';
import { LINT_THREADS } from '../service/sessions/processes/tasks.ts';
import { segmentKeys } from '../service/sessions/segment-keys.ts';
import type { TemplatePackage } from '../template/template-package.ts';
import { cueBlocks } from './cue-blocks.ts';
import { definitionTree } from './definition-tree.ts';
import { formFields, type SceneFrames, templateFields, writtenScenes } from './form-fields.ts';
import type { LiveState } from './live-state.ts';
import type { LoadedRepository } from './ports.ts';
import type { PreviewContext } from './preview-context.ts';
import type { DefinitionSource, LintMark, SegmentMark, TemplateDetail, VideoCard, VideoDetail } from './protocol.ts';
import { RequestError } from './request-error.ts';
import { rowReference } from './row-table.ts';
import { sceneBlocks } from './scene-blocks.ts';
import { soundBlocks, soundFiles } from './sound-blocks.ts';
import { type DrawSubject, resolvePicture, templateContent } from './subjects.ts';
import type { LeftOutScene } from './timeline-protocol.ts';

/** Describes a video in full. @throws RequestError `not_found` */
export async function videoDetail(id: string, { live, ports, stills }: PreviewContext): Promise<VideoDetail> {
  const card = live.card(id);
  const { loaded } = live;
  const { project, plan } = loaded;
  const video = project.videos.find((candidate) => candidate.id === id) ?? null;
  const change = plan?.changes.find((candidate) => candidate.id === id) ?? null;
  const label = (template: string, key: string) => project.templates.get(template)?.spec.editables[key]?.label;
  const subject = card.picture === null || card.fingerprint === '' ? null : live.subject(card.fingerprint);
  // A definition with errors keeps its last valid timeline, and its form has what is written now.
  const shown = video ?? subject?.video ?? null;
  const tree = definitionTree(card.path, project);
  const row = rowReference(id, card.path, tree, loaded);
  return {
    card,
    description: video?.description ?? null,
    stills: subject === null ? [] : [...resolvePicture(subject).stills],
    segments: subject === null || video === null ? [] : await segmentsOf(subject, video, loaded, { ports, stills }),
    inputs:
      change === null
        ? []
        : inputDocuments(change.inputs, change, label).map(
            ({ key, label: name = null, kind = null, before, after }) => {
              const [editable = key] = editableKeys([key]);
              return { key: editable, label: name, kind, before, after };
            },
          ),
    fields: (change?.fields ?? []).map(({ field, before, after }) => ({ field, before, after })),
    ...(await scenesOf(subject, shown, card, tree, { ports, live })),
    form: formFields(card, video?.scenes ?? writtenScenes(shown, card, tree), tree, loaded, frameOfStill(subject)),
    sources: sourcesOf(card.path, loaded),
    row,
    history: await ports.history(id),
  };
}

/** The scenes, tracks and cues of a video as blocks; no scenes for a template with values. */
async function scenesOf(
  subject: DrawSubject | null,
  video: Video | null,
  card: VideoCard,
  tree: MapNode | null,
  { ports, live }: Pick<PreviewContext, 'ports' | 'live'>,
): Promise<Pick<VideoDetail, 'scenes' | 'sounds' | 'cues' | 'leftOut'>> {
  const leftOut = (video?.leftOut ?? []).flatMap(({ scene, name, reason }): LeftOutScene[] => {
    return scene === null || name !== undefined ? [] : [{ id: scene, reason }];
  });
  const { picture } = card;
  if (subject === null || video === null || picture === null) return { scenes: [], sounds: [], cues: [], leftOut };
  const timeline = subject.templates.scenes?.timeline ?? null;
  const lengths = await ports.soundLengths(digestsOf(soundFiles(video), subject, live.loaded));
  const span = { timeline, seconds: picture.durationSeconds };
  return {
    scenes: timeline === null ? [] : sceneBlocks(video, timeline, picture, tree, card, live.loaded),
    sounds: soundBlocks(video, span, lengths, tree),
    cues: cueBlocks(video, span, card, live.loaded.project),
    leftOut,
  };
}

/** A video with errors, or without its speech, keeps sounds that the repository does not name any more. */
function digestsOf(
  paths: readonly string[],
  { files }: DrawSubject,
  { project: { assets } }: LoadedRepository,
): Map<string, Sha256> {
  return new Map(
    paths.flatMap((path): [string, Sha256][] => {
      const digest = assets.get(path)?.sha256 ?? files.get(path);
      return digest === undefined ? [] : [[path, digest]];
    }),
  );
}

/** Returns at which frame of a video the stillcut of a scene is. */
function frameOfStill(subject: DrawSubject | null): SceneFrames {
  const file = subject && resolvePicture(subject);
  const frames = new Map(file?.stills.map(({ name, frame }) => [name, frame]));
  return (scene, stillcut) => frames.get(subject?.templates.scenes === null ? stillcut : `${scene}.${stillcut}`) ?? 0;
}

async function segmentsOf(
  subject: DrawSubject,
  { output }: Video,
  { project }: LoadedRepository,
  { ports, stills }: Pick<PreviewContext, 'ports' | 'stills'>,
): Promise<SegmentMark[]> {
  const ranges = segmentRanges(resolvePicture(subject, output ?? {}));
  if (ranges.length === 0) return [];
  const opened = project.config.service === 'embedded' ? ports.openSegments(project) : null;
  if (opened === null) return ranges.map(({ first, end }) => ({ first, end, isCached: false }));
  try {
    // Without an input, such as with a clip that cannot be read, the form must still be there to mend it.
    const renderInput = await stills.renderInput(subject, output ?? {}).catch(() => null);
    const keys = renderInput === null ? [] : segmentKeys(renderInput, opened.cache.build);
    return await Promise.all(
      ranges.map(async ({ first, end }, index) => {
        const key = keys[index] ?? null;
        return { first, end, isCached: key !== null && (await opened.cache.has(key)) };
      }),
    );
  } finally {
    await opened.close();
  }
}

function sourcesOf(path: string, { project }: LoadedRepository): DefinitionSource[] {
  const files = [...new Set([path, ...(project.origins.get(path) ?? [])])];
  return files.map((file) => ({
    path: file,
    role:
      file === path
        ? 'definition'
        : isDataFile(file) && !isFragment(file) && !/\.ya?ml$/.test(file)
          ? 'data'
          : 'fragment',
    text: project.source(file) ?? null,
  }));
}

/** Returns what a viewer would notice of a video, by the rules of the repository and of its template. */
export async function lintMarks(id: string, { live, ports, stills, queue }: PreviewContext): Promise<LintMark[]> {
  const card = live.card(id);
  const { project } = live.loaded;
  const video = project.videos.find((candidate) => candidate.id === id);
  const packageOf = (name: string): TemplatePackage | null => project.templates.get(name)?.package ?? null;
  if (video?.scenes.every(({ template }) => packageOf(template) !== null) !== true)
    throw new RequestError('not_found', `${id} cannot be drawn here`);
  const renderInput = await stills.renderInput(live.subject(card.fingerprint), video.output ?? {});
  const { signal } = new AbortController();
  const context = { ...project, lint: project.config.lint, packageOf };
  const input = { renderInput, safeAreas: safeAreasOf(video, context) };
  const lint = () => ports.pool.run('lint', input, { processors: LINT_THREADS });
  const { findings } = await queue.run(lint, signal, false);
  return placeFindings(findings, video, context).map(({ finding, target }): LintMark => {
    const [shown] = diagnosticsJson([lintDiagnostic(finding, target)], project.source);
    const { code, severity, message, hint } = shown!;
    const { editable, scene = null, frame, seconds, box } = finding;
    return { code, severity, message, hint, editable, scene, frame, seconds, box };
  });
}

/** Describes a template. @throws RequestError `not_found`, `conflict` if it has errors */
export function templateDetail(name: string, { state, loaded }: LiveState): TemplateDetail {
  const card = state.templates.find((candidate) => candidate.name === name);
  if (card === undefined) throw new RequestError('not_found', `There is no template ${JSON.stringify(name)}`);
  const template = loaded.project.templates.get(name);
  if (template === undefined) {
    throw new RequestError('conflict', `The template ${name} has errors`, { problems: card.problems });
  }
  const { spec, package: templatePackage, paths } = template;
  const { folder } = card;
  return {
    card,
    description: templatePackage?.manifest.description ?? null,
    stills: templatePackage === null ? [] : [...resolvePicture(templateContent(name, templatePackage)).stills],
    editables: templateFields(spec, templatePackage),
    fonts: spec.available_fonts ?? spec.fonts,
    files: paths
      .map((path) => (folder !== null && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path))
      .sort(),
  };
}
