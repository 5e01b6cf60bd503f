import { byCodeUnit } from '../kernel/digest.ts';
import { groupBy } from '../kernel/group-by.ts';
import { rowOf } from '../reconciler/definition/matrix-place.ts';
import { localFiles } from '../reconciler/definition/video.ts';
import { catalogueOf, type LocaleCatalogue, type SourceText, translationOf } from '../reconciler/locales/catalogue.ts';
import { allLocales } from '../reconciler/locales/locale-settings.ts';
import { missingCounts } from '../report/wording/text-words.ts';
import { columnTexts } from './column-texts.ts';
import type { LanguageCell, LanguageTable, LanguageText, LanguageTranslation } from './language-protocol.ts';
import type { LiveState } from './live-state.ts';
import type { DefinitionLanguages, DrawnVideo, PreviewPorts } from './ports.ts';
import { RequestError } from './request-error.ts';
import { type DrawSubject, pictureOf, posterFrame, resolvePicture } from './subjects.ts';

/**
 * Describes the languages of a definition.
 *
 * @param wanted row to show; the first when it does not exist
 * @throws RequestError `not_found`, `conflict`
 */
export async function languageTable(
  definition: string,
  wanted: string,
  { live, ports }: { readonly live: LiveState; readonly ports: Pick<PreviewPorts, 'languages'> },
): Promise<LanguageTable> {
  const languages = await ports.languages(definition);
  const { settings, videos: all } = languages;
  const [first] = all;
  if (first === undefined) throw new RequestError('not_found', `${definition} has no videos in several languages`);
  const rowOfVideo = ({ video }: DrawnVideo): string => rowOf(video.id, video.matrix);
  const rows = [...new Set(all.map(rowOfVideo))].sort(byCodeUnit);
  const row = rows.includes(wanted) ? wanted : rows[0]!;
  const videos = all.filter((candidate) => rowOfVideo(candidate) === row);
  const subjects = new Map(videos.map((drawn) => [drawn.video.id, subjectOf(drawn)]));
  for (const subject of subjects.values()) if (subject !== null) live.keepSubject(subject);
  const waiting = new Map(live.loaded.project.texts.filter(({ waits }) => waits).map((video) => [video.id, video]));
  const cells = videos.map(({ video }): LanguageCell => {
    const { locale = '', variant = '' } = video.matrix;
    const waits = waiting.get(video.id);
    const subject = subjects.get(video.id) ?? null;
    const { width = 16, height = 9, frameCount = 1 } = subject === null ? {} : pictureOf(subject);
    return {
      locale,
      variant,
      id: waits === undefined ? video.id : null,
      missing: waits === undefined ? null : missingCounts(waits),
      fingerprint: subject?.fingerprint ?? null,
      width,
      height,
      frameCount,
      posterFrame: subject === null ? 0 : posterFrame(subject),
    };
  });
  const texts = textsOf(languages, { definition, row, videos }, subjects);
  // A translation with a mistake leaves no video of its locale.
  const translated = texts.flatMap(({ translations }) => translations);
  const shown = new Set([...cells, ...translated].map(({ locale }) => locale));
  return {
    definition,
    path: first.video.path,
    source: settings.source,
    locales: allLocales(settings).filter((locale) => shown.has(locale)),
    variants: [...new Set(cells.map(({ variant }) => variant))],
    rows,
    row,
    cells,
    texts,
  };
}

function subjectOf({ video, fingerprint, templates, assets }: DrawnVideo): DrawSubject | null {
  if (templates === null) return null;
  const files = new Map(localFiles(video).map((path) => [path, assets.get(path)!.sha256]));
  return { fingerprint, video, templates, files };
}

type Located = LanguageTranslation & { readonly source: SourceText };

interface ShownRow {
  readonly definition: string;
  readonly row: string;
  readonly videos: readonly DrawnVideo[];
}

/** The texts of catalogues, then those of columns. */
function textsOf(
  languages: DefinitionLanguages,
  { definition, row, videos }: ShownRow,
  subjects: ReadonlyMap<string, DrawSubject | null>,
): LanguageText[] {
  const { catalogues, viewOf } = languages;
  const variants = videos.map(({ video }) => video.matrix.variant ?? '');
  const names = new Set([definition, ...[row, ...variants].map((part) => `${definition}/${part}`)]);
  // A wide picture shows more of a line.
  const wideFirst = [...videos].sort((a, b) => aspectOf(subjects.get(b.video.id)) - aspectOf(subjects.get(a.video.id)));
  const seenIn = ({ video }: DrawnVideo, name: string | undefined): LanguageTranslation['seen'] => {
    const subject = subjects.get(video.id) ?? null;
    if (name === undefined || subject === null) return null;
    return { variant: video.matrix.variant ?? '', frame: frameOf(name, subject) };
  };
  const translations = catalogues.flatMap(({ locale, file, units, texts }): Located[] => {
    const catalogue = catalogueOf(file, units);
    const views = wideFirst
      .filter(({ video }) => video.matrix.locale === locale)
      .map((drawn) => ({ drawn, editablesOf: viewOf(drawn.video) }));
    return texts.flatMap((source): Located[] => {
      const { context } = source;
      if (!names.has(context.slice(0, context.indexOf('#')))) return [];
      const unit = catalogue.units.get(context);
      const { state } = translationOf(catalogue, context, source.source);
      const changed = unit !== undefined && unit.source !== source.source ? unit.source : undefined;
      const seen = views.flatMap(({ drawn, editablesOf }) => seenIn(drawn, editablesOf(context)?.[0]) ?? []);
      const previous = state === 'stale' ? (changed ?? unit?.previous ?? null) : null;
      return [{ locale, file, state, source, text: unit?.target ?? '', previous, seen: seen[0] ?? null }];
    });
  });
  const ofCatalogues = [...groupBy(translations, ({ source }) => source.context)].map(
    ([context, group]): LanguageText => {
      const [{ source }] = group;
      const lines = source.lines ?? unitLines(catalogues, context);
      return {
        context,
        label: source.label ?? context.slice(context.indexOf('#') + 1).replace(/^@/, ''),
        text: source.source,
        maxLength: source.maxLength ?? null,
        lines,
        translations: group.map(({ source: _, ...translation }) => translation),
      };
    },
  );
  return [...ofCatalogues, ...columnTexts(wideFirst, languages, seenIn)];
}

function aspectOf(subject: DrawSubject | null | undefined): number {
  if (subject == null) return 0;
  const { width, height } = resolvePicture(subject);
  return width / height;
}

/** A translator's tool may limit the lines. */
function unitLines(catalogues: readonly LocaleCatalogue[], context: string): number | null {
  const units = catalogues.flatMap((catalogue) => catalogue.units.find((unit) => unit.context === context) ?? []);
  return units.find(({ lines }) => lines !== undefined)?.lines ?? null;
}

/** Returns the frame on which an editable is best seen. @param name of the editable; in a video of several scenes, that of its scene is in front */
function frameOf(name: string, subject: DrawSubject): number {
  const { video, templates } = subject;
  const scene = video.scenes.find(({ id }) => name.startsWith(`${id}.`)) ?? video.scenes[0]!;
  const key = video.scenes.length === 1 ? name : name.slice(scene.id.length + 1);
  const stillcut = templates.packages.get(scene.template)?.spec.editables[key]?.stillcut;
  const still = templates.scenes === null ? stillcut : `${scene.id}.${stillcut}`;
  return resolvePicture(subject).stills.find((mark) => mark.name === still)?.frame ?? posterFrame(subject);
}
