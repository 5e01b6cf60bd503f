import { posix } from 'node:path';
import { sha256 } from '../../kernel/digest.ts';
import { type FilledValues, TITLE_KEY } from '../../reconciler/definition/filled-values.ts';
import type { Video } from '../../reconciler/definition/video.ts';
import type { LocaleSettings } from '../../reconciler/locales/locale-settings.ts';
import type { Project } from '../../reconciler/project/load-project.ts';

/** Where a text is seen. */
export interface TextView {
  readonly video: Video;
  /** Names of the editables that may show it, as in plans; empty for a text that is not drawn. */
  readonly editables: readonly string[];
}

/** Returns the folder of the pictures of texts, repository-relative: `stills/` beside the catalogues. */
export function stillsFolder({ files }: Pick<LocaleSettings, 'files'>): string {
  const [common] = files.split('{locale}');
  return posix.join(posix.dirname(`${common}x`), 'stills');
}

/** Returns the path of the picture of a text, which only its context decides. */
export function stillPath(context: string, settings: Pick<LocaleSettings, 'files'>): string {
  const readable = context.replaceAll(/[^A-Za-z0-9._-]+/g, '-').slice(0, 80);
  return posix.join(stillsFolder(settings), `${readable}-${sha256(context).slice(0, 8)}.jpg`);
}

/**
 * Returns a function that finds a video that shows the text of a context: in the source language if there is one, else in the
 * first language that is rendered.
 *
 * @param contexts of all texts
 */
export function findViews(
  { videos, filled }: Pick<Project, 'videos' | 'filled'>,
  { source, ids }: LocaleSettings,
  contexts: ReadonlySet<string>,
): (context: string) => TextView | null {
  const byName = new Map<string, Video[]>();
  const inOrder = [...videos].sort((a, b) => rankOf(a, source) - rankOf(b, source));
  for (const video of inOrder) {
    for (const name of namesOf(video, source, ids)) byName.set(name, [...(byName.get(name) ?? []), video]);
  }
  return (context) => {
    const split = context.indexOf('#');
    const [name, key] = [context.slice(0, split), context.slice(split + 1)];
    const isOverridden = ({ matrix }: Video): boolean => {
      return matrix?.variant !== undefined && contexts.has(`${name}/${matrix.variant}#${key}`);
    };
    const views = (byName.get(name) ?? [])
      .filter((video) => !isOverridden(video))
      .map((video) => ({ video, editables: editablesOf(key, video, filled.get(video.id)) }));
    return views.find(({ editables }) => editables.length > 0) ?? views[0] ?? null;
  };
}

function rankOf({ matrix }: Video, source: string): number {
  return matrix?.locale === source ? 0 : 1;
}

/** Returns what the texts of a video may be named after: its definition, with its variant, and with its row. */
function namesOf({ id, matrix }: Video, source: string, ids: LocaleSettings['ids']): Set<string> {
  if (matrix === undefined) return new Set();
  const { definition, variant, locale } = matrix;
  const isKept = ids === 'keep-source' && locale === source;
  const parts = [variant, isKept ? undefined : locale].filter((part) => part !== undefined);
  const withRow = id.slice(0, id.length - parts.reduce((length, part) => length + part.length + 1, 0));
  return new Set([definition, withRow, ...(variant === undefined ? [] : [`${definition}/${variant}`])]);
}

/** Returns the editables of a video that show a text, by the name of the text in catalogues. */
function editablesOf(key: string, { scenes }: Video, values: FilledValues | undefined): string[] {
  if (key.startsWith('@')) return [];
  const [scene, column] = columnOf(key);
  if (column !== null) {
    const filled = [...(values?.cells ?? [])].filter(([, found]) => found.some((cell) => cell.column === column));
    const drawn = filled.filter(([name]) => name !== TITLE_KEY);
    const inScene = drawn.filter(([name]) => scene === '' || scenes.length === 1 || name.startsWith(`${scene}.`));
    return inScene.map(([name]) => name);
  }
  const has = (id: string, editable: string): boolean =>
    scenes.find((found) => found.id === id)!.resources.has(editable);
  return scenes.flatMap(({ id }) => {
    const [repeated = id] = id.split('/');
    const names = [key, ...(key.startsWith(`${repeated}.`) ? [key.slice(repeated.length + 1)] : [])];
    const editable = names.findLast((name) => has(id, name));
    if (editable === undefined) return [];
    return [scenes.length === 1 ? editable : `${id}.${editable}`];
  });
}

function columnOf(key: string): readonly [scene: string, column: string | null] {
  const [, scene = '', column = null] = /^(?:(.+)\.)?\$\{([^{}]*)\}$/s.exec(key) ?? [];
  return [scene, column];
}
