import { allValues, plainScene } from '../contract/video-spec.ts';
import type { OutputRequest } from '../contract/wire/output.ts';
import { type Sha256, sha256 } from '../kernel/digest.ts';
import { localFiles, templatesOf, type Video } from '../reconciler/definition/video.ts';
import type { VideoTemplates } from '../reconciler/definition/video-templates.ts';
import type { Change } from '../reconciler/plan/plan.ts';
import { recordedVideo } from '../report/preview/recorded-video.ts';
import { videoFile } from '../template/bind/video-file.ts';
import type { InputFile } from '../template/render-input.ts';
import { sampleMappings } from '../template/sample-mappings.ts';
import type { TemplatePackage } from '../template/template-package.ts';
import type { LoadedRepository } from './ports.ts';
import type { PictureMeasures, TextVariant } from './protocol.ts';

/** Something that can be drawn: a video with its present or its recorded content, or a template with sample texts. */
export interface DrawSubject {
  /** Names everything that the frames depend on. */
  readonly fingerprint: string;
  readonly video: Video;
  readonly templates: VideoTemplates;
  /** Local files and their content when the fingerprint was computed. */
  readonly files: ReadonlyMap<string, Sha256>;
}

/** The variants in the order in which the page shows them. */
export const TEXT_VARIANTS: readonly TextVariant[] = ['example', 'longest', 'empty', 'rtl'];

/** Subjects that are not current any more and are kept for requests that are on their way. */
const KEPT = 24;
/** Subjects of the languages of a definition, of a few moments. */
const FURTHER = 400;

/** The subjects of the present state by fingerprint, and a few earlier ones. */
export class Subjects {
  #present: ReadonlyMap<string, DrawSubject> = new Map();
  readonly #earlier = new Map<string, DrawSubject>();
  readonly #further = new Map<string, DrawSubject>();

  get(fingerprint: string): DrawSubject | null {
    return this.#present.get(fingerprint) ?? this.#further.get(fingerprint) ?? this.#earlier.get(fingerprint) ?? null;
  }

  /** Keeps further content until many others were kept. */
  keep(subject: DrawSubject): void {
    const { fingerprint } = subject;
    if (this.#present.has(fingerprint)) return;
    this.#further.delete(fingerprint);
    this.#further.set(fingerprint, subject);
    for (const oldest of [...this.#further.keys()].slice(0, -FURTHER)) this.#further.delete(oldest);
  }

  replace(present: ReadonlyMap<string, DrawSubject>): void {
    for (const [fingerprint, subject] of this.#present) {
      if (present.has(fingerprint)) continue;
      this.#earlier.delete(fingerprint);
      this.#earlier.set(fingerprint, subject);
    }
    for (const fingerprint of [...this.#earlier.keys()].slice(0, -KEPT)) this.#earlier.delete(fingerprint);
    this.#present = present;
  }
}

/** Returns all subjects of a repository: its videos, recorded states of changed videos, and its templates. */
export function subjectsOf({
  project,
  desired,
  plan,
  templatesOf: lookup,
}: LoadedRepository): Map<string, DrawSubject> {
  const subjects = new Map<string, DrawSubject>();
  const add = (fingerprint: string, video: Video): void => {
    const templates = lookup(video);
    if (templates === null || (templates.scenes === null && plainScene(video) === null)) return;
    const files = new Map(localFiles(video).map((path) => [path, project.assets.get(path)!.sha256]));
    subjects.set(fingerprint, { fingerprint, video, templates, files });
  };
  const videos = new Map<string, Video>(project.videos.map((video) => [video.id, video]));
  const fingerprints = new Map<string, string>(desired.map(({ id, fingerprint }) => [id, fingerprint]));
  for (const [id, video] of videos) {
    const fingerprint = fingerprints.get(id);
    if (fingerprint !== undefined) add(fingerprint, video);
  }
  const pathOf = new Map<string, string>([...project.assets].map(([path, asset]) => [asset.sha256, path]));
  for (const change of plan?.changes ?? []) {
    const before = earlierVideo(change, videos, project, (digest) => pathOf.get(digest) ?? null);
    if (before === null || subjects.has(change.before!.fingerprint)) continue;
    add(change.before!.fingerprint, before);
  }
  for (const [name, { package: template }] of project.templates) {
    if (template === null) continue;
    for (const variant of TEXT_VARIANTS)
      add(sampleFingerprint(template, variant), sampleVideo(name, template, variant));
  }
  return subjects;
}

function earlierVideo(
  change: Change,
  videos: ReadonlyMap<string, Video>,
  { templates }: LoadedRepository['project'],
  fileOf: (digest: Sha256) => string | null,
): Video | null {
  if (change.action !== 'update' || change.desired.fingerprint === change.before.fingerprint) return null;
  const { desired, before: entry } = change;
  const video = videos.get(desired.id);
  if (video === undefined || templatesOf(desired).some((name) => !templates.get(name)?.package)) return null;
  return recordedVideo({ entry, desired, video, specOf: (name) => templates.get(name)!.spec, fileOf });
}

/** Names the content of a template that is drawn with sample texts. */
export function sampleFingerprint({ digest }: Pick<TemplatePackage, 'digest'>, variant: TextVariant): string {
  return `template:${sha256(`${digest} ${variant}`)}`;
}

/** Creates the video of a template that is filled with sample texts only. */
function sampleVideo(template: string, { spec }: TemplatePackage, variant: TextVariant): Video {
  const texts = sampleMappings(spec).find(({ name }) => name === variant)?.texts ?? new Map<string, string>();
  return {
    id: `template/${template}` as Video['id'],
    path: '',
    title: template,
    description: null,
    labels: {},
    protect: false,
    scenes: [
      {
        id: template,
        template,
        resources: new Map([...texts].map(([key, text]) => [key, { kind: 'text', text }])),
        audio: new Map(),
        fonts: new Map(),
      },
    ],
    audio: new Map(),
    output: null,
    deliver: [],
  };
}

/** The fields of a subject that decide what its pictures are. */
export type DrawnContent = Pick<DrawSubject, 'templates'> & {
  readonly video: Pick<Video, 'output' | 'audio' | 'scenes' | 'poster'>;
};

/** Returns the output of a video as frames: without a codec, which pictures do not have. */
export function pictureOutput({ output }: Pick<Video, 'output'>): OutputRequest {
  const { codec: _, ...rest } = output ?? {};
  return rest;
}

/** Returns the size, length and stills of a video. @param output by default that of its pictures */
export function resolvePicture(
  { video, templates: { packages, scenes: shown } }: DrawnContent,
  output = pictureOutput(video),
): InputFile {
  const templates = video.scenes.map(({ template }) => packages.get(template)!);
  return videoFile(templates, shown?.timeline ?? null, output);
}

export function pictureOf(content: DrawnContent): PictureMeasures {
  const { width, height, fps, frameCount } = resolvePicture(content);
  const { video, templates } = content;
  const hasSound =
    [...templates.packages.values()].some(({ sounds }) => sounds.size > 0) ||
    allValues(video).some(({ kind }) => kind === 'audio' || kind === 'video');
  return { width, height, fps, frameCount, durationSeconds: frameCount / fps, hasSound };
}

/** Returns the frame of the poster, or else of the still on which most editables are seen; without stills, the middle frame. */
export function posterFrame(content: DrawnContent): number {
  const { stills, frameCount } = resolvePicture(content);
  const { video, templates } = content;
  const poster = stills.find(({ name }) => name === video.poster);
  if (poster !== undefined) return poster.frame;
  const seen = new Map<string, number>();
  for (const { id, template } of video.scenes) {
    for (const { stillcut } of Object.values(templates.packages.get(template)!.spec.editables)) {
      const name = templates.scenes === null ? stillcut : `${id}.${stillcut}`;
      seen.set(name, (seen.get(name) ?? 0) + 1);
    }
  }
  const best = [...stills].sort((a, b) => (seen.get(b.name) ?? 0) - (seen.get(a.name) ?? 0))[0];
  return best?.frame ?? Math.floor(frameCount / 2);
}

/** Returns a template with its own values as the content of a video. */
export function templateContent(name: string, template: TemplatePackage): DrawnContent {
  const scene = { id: name, template: name, resources: new Map(), fonts: new Map(), audio: new Map() };
  const video = { output: null, audio: new Map(), scenes: [scene] };
  return { video, templates: { packages: new Map([[name, template]]), scenes: null } };
}
