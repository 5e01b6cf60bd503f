import { readdir, readFile, rm } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { RENDER_EPOCH } from '../../engine/render-epoch.ts';
import { type Diagnostic, warningAt } from '../../kernel/diagnostic.ts';
import { sha256 } from '../../kernel/digest.ts';
import { nullIfMissing } from '../../kernel/file-system-error.ts';
import { groupBy } from '../../kernel/group-by.ts';
import { hasContentLength } from '../../reconciler/definition/video-timeline.ts';
import type { LocatedText } from '../../reconciler/locales/catalogue.ts';
import { writeFileAtomic } from '../../reconciler/project/write-file.ts';
import { chooseMoments, type Moment } from '../../report/preview/choose-moments.ts';
import { inputKeys } from '../../report/preview/input-keys.ts';
import { drawMoments } from '../../report/preview/preview-video.ts';
import type { VideoInput } from '../../template/render-input.ts';
import type { Io } from '../io.ts';
import { type PlannedVideos, projectVideos } from '../plan/planned-videos.ts';
import { withProcesses } from '../render/command-pool.ts';
import { contentLengths } from '../state/content-lengths.ts';
import { projectTemplates } from '../state/video-templates.ts';
import type { LocaleCatalogues } from './locale-catalogues.ts';
import { stillKeyOf, withStillKey } from './still-key.ts';
import { findViews, stillPath, stillsFolder, type TextView } from './text-pictures.ts';

/** The pictures of texts. */
export interface TextStills {
  /** Context → path, repository-relative. */
  readonly paths: ReadonlyMap<string, string>;
  /** Numbers of pictures. */
  readonly drawn: number;
  readonly unchanged: number;
  /** Texts that have no picture. */
  readonly diagnostics: readonly Diagnostic[];
}

interface ShownText {
  readonly text: LocatedText;
  readonly view: TextView;
}

/**
 * Draws a picture for each text: the video at a moment at which the text is readable. A picture that shows what it showed is not drawn
 * again.
 *
 * @throws ReelformError `engine_missing`, `write_failed`
 */
export async function drawStills({ project, settings, catalogues }: LocaleCatalogues, io: Io): Promise<TextStills> {
  const texts = new Map(
    catalogues.flatMap((catalogue) => catalogue.texts.map((text) => [text.context, text] as const)),
  );
  const viewOf = findViews(project, settings, new Set(texts.keys()));
  const diagnostics: Diagnostic[] = [];
  const shown = [...texts.values()].flatMap((text): ShownText[] => {
    const view = viewOf(text.context);
    if (view === null) diagnostics.push(withoutPicture(text, 'no video that shows it has all its texts'));
    return view === null ? [] : [{ text, view }];
  });
  const paths = new Map<string, string>();
  let drawn = 0;
  await withProcesses(io, async (processes) => {
    const planned = projectVideos(project, 'stills', io, processes);
    const templatesOf = projectTemplates(project);
    try {
      for (const [video, ofVideo] of groupBy(shown, ({ view }) => view.video)) {
        if (video.scenes.some(hasContentLength)) {
          await contentLengths({ ...project, videos: [video], cache: true }, () => planned.pool());
        }
        const templates = templatesOf(video);
        if (templates === null) {
          diagnostics.push(...ofVideo.map(({ text }) => withoutPicture(text, 'only the service has its template')));
          continue;
        }
        const renderInput = await (await planned.inputs()).inputOf(video, templates);
        const pictures = ofVideo.map(({ text, view }) => {
          const [moment] = chooseMoments(renderInput, { editables: view.editables, most: 1 }) as [Moment];
          const path = stillPath(text.context, settings);
          paths.set(text.context, path);
          return { path, moment, key: keyOf(renderInput, moment) };
        });
        drawn += await writeChanged(renderInput, pictures, planned);
      }
    } finally {
      await planned.close();
    }
  });
  return { paths, drawn, unchanged: paths.size - drawn, diagnostics };
}

interface Picture {
  /** Repository-relative. */
  readonly path: string;
  readonly moment: Moment;
  /** Digest of what it shows. */
  readonly key: string;
}

/** Draws the pictures that show something else than their files. @returns their number */
async function writeChanged(
  renderInput: VideoInput,
  pictures: readonly Picture[],
  planned: PlannedVideos,
): Promise<number> {
  const keys = await Promise.all(
    pictures.map(async ({ path }) => {
      const bytes = await nullIfMissing(readFile(join(planned.root, path)));
      return bytes === null ? null : stillKeyOf(bytes);
    }),
  );
  const changed = pictures.filter(({ key }, index) => key !== keys[index]);
  if (changed.length === 0) return 0;
  const pool = await planned.pool();
  // Several texts are read at one moment.
  const moments = [...new Map(changed.map(({ moment }) => [moment.timeSeconds, moment])).values()];
  const images = await drawMoments(renderInput, moments, { compare: (comparison) => pool.run('compare', comparison) });
  const drawn = new Map(images.map(({ bytes }, index) => [moments[index]!.timeSeconds, bytes]));
  for (const { path, moment, key } of changed) {
    await writeFileAtomic(join(planned.root, path), withStillKey(drawn.get(moment.timeSeconds)!, key));
  }
  return changed.length;
}

function keyOf(renderInput: VideoInput, { timeSeconds }: Moment): string {
  return sha256(JSON.stringify([RENDER_EPOCH, inputKeys(renderInput).picture, timeSeconds]));
}

/** Removes the pictures of this program that no text has any more. @param wanted paths, repository-relative */
export async function removeStills(
  root: string,
  settings: LocaleCatalogues['settings'],
  wanted: ReadonlySet<string>,
): Promise<number> {
  const folder = stillsFolder(settings);
  const names = (await nullIfMissing(readdir(join(root, folder)))) ?? [];
  const unused = names.filter((name) => name.endsWith('.jpg') && !wanted.has(posix.join(folder, name)));
  let removed = 0;
  for (const name of unused) {
    const path = join(root, folder, name);
    if (stillKeyOf(await readFile(path)) === null) continue;
    await rm(path);
    removed += 1;
  }
  return removed;
}

function withoutPicture({ context, at }: LocatedText, reason: string): Diagnostic {
  const message = `The text ${JSON.stringify(context)} has no picture: ${reason}`;
  return warningAt('still_missing', at, message, 'Nothing to do if translators need none');
}
