import pLimit from 'p-limit';
import { ReelformError } from '../../kernel/diagnostic.ts';
import { byCodeUnit } from '../../kernel/digest.ts';
import type { InputFont, VideoInput } from '../../template/render-input.ts';
import { contactSheet } from './contact-sheet.ts';
import { inputKeys } from './input-keys.ts';
import { type MatrixGrid, matrixSheet } from './matrix-sheet.ts';
import {
  type LeftOut,
  type MatrixSheet,
  mostChangedStill,
  type PlanPreview,
  type PreviewImage,
  type VideoPreview,
} from './plan-preview.ts';
import { draftVideo, drawMoment, type PreviewRenderer, previewVideo, type Sides } from './preview-video.ts';

export interface PreviewSubject {
  readonly id: string;
  /** The definition's file: some of its rows are shown as a sample. */
  readonly path: string;
  /** True if a previous rendering exists; such videos come first. */
  readonly isUpdate: boolean;
  /** True if the template or its version changed: such videos share a contact sheet. */
  readonly isUpgrade: boolean;
  /** The reason if they cannot be drawn. */
  readonly sides: (() => Promise<Sides>) | Extract<LeftOut['reason'], 'remote'>;
}

interface PreviewPlanOptions {
  readonly draw: PreviewRenderer;
  /** Draws the contact sheet. Not limited by `deadline`, because the sheet shows the most. */
  readonly drawSheet: Pick<PreviewRenderer, 'compare'>;
  /** Maximum number of inputs drawn concurrently. */
  readonly capacity: number;
  readonly withDrafts: boolean;
  /** Aborts when time is up: unfinished videos are omitted. The caller also has to make `draw` stop. */
  readonly deadline: AbortSignal;
  /** Fonts of labels, the first for most of them. Fonts of the videos are added for other characters. */
  readonly labelFonts: readonly InputFont[];
  /** Definitions with variants or locales. */
  readonly grids: readonly MatrixGrid[];
  /** Returns a video of a table that is not a subject; null if it cannot be drawn. */
  inputOf(id: string): Promise<VideoInput> | null;
  /** Returns the text above a video on the contact sheet. */
  label(id: string, changedShare: number): string;
  /** Milliseconds of a monotonic clock. */
  monotonicNow(): number;
}

/** Maximum number of rows shown of a definition. */
const MAX_ROWS = 20;
/** Maximum number of tables of definitions; the others are named. */
const MAX_GRIDS = 6;

/**
 * Draws the changes of a plan: updates before new videos, alternating between definitions, as many as time allows; then sheets, and
 * drafts in the same order. Changes with identical inputs on both sides are drawn once.
 */
export async function previewPlan(
  subjects: readonly PreviewSubject[],
  options: PreviewPlanOptions,
): Promise<PlanPreview> {
  const { capacity, deadline, withDrafts, monotonicNow } = options;
  const startedAt = monotonicNow();
  const busy = new BusyTime(monotonicNow);
  const draw = busy.around(options.draw);
  const { chosen, leftOut } = choose(subjects);
  const videos = new Map<string, VideoPreview>();
  const sides = new Map<string, { readonly key: string; readonly sides: Sides }>();
  // More than the drawing capacity by 1: images are compared while the next images are drawn.
  const limit = pLimit(capacity + 1);
  const leave = (id: string, reason: LeftOut['reason']): void => void leftOut.push({ id, reason });

  const stills = new Map<string, Promise<VideoPreview>>();
  const fonts = new LabelFonts(options.labelFonts);
  const edited = new Map<string, readonly string[]>();
  const drawPreview = async ({ id, sides: read }: PreviewSubject): Promise<void> => {
    if (typeof read === 'string') return leave(id, read);
    if (deadline.aborted) return leave(id, 'budget');
    try {
      const both = await read();
      const key = keyOf(both);
      const preview = stills.get(key) ?? previewVideo(both, draw);
      stills.set(key, preview);
      videos.set(id, await preview);
      fonts.add(both.after);
      edited.set(id, both.editables);
      if (withDrafts) sides.set(id, { key, sides: both });
    } catch (error) {
      const isPointer = error instanceof ReelformError && error.code === 'lfs_pointer';
      leave(id, isPointer ? 'lfs_pointer' : deadline.aborted ? 'budget' : 'undrawable');
    }
  };
  await Promise.all(chosen.map((subject) => limit(drawPreview, subject)));
  const upgraded = chosen.flatMap(({ id, isUpgrade }) => {
    const preview = isUpgrade ? videos.get(id) : undefined;
    return preview === undefined ? [] : [{ id, preview }];
  });
  const drawSheet = { compare: busy.around({ ...options.draw, ...options.drawSheet }).compare };
  // A missing contact sheet does not fail the preview.
  const sheet = await contactSheet(upgraded, {
    fonts: fonts.list(),
    label: options.label,
    draw: drawSheet,
  }).catch(() => null);
  const matrices = await drawGrids({ videos, edited, fonts, limit }, { ...options, draw, drawSheet });

  const drafts = new Map<string, ReturnType<typeof draftVideo>>();
  const drawDraft = async ({ id }: PreviewSubject): Promise<void> => {
    const found = sides.get(id);
    if (found === undefined || deadline.aborted) return;
    const drawn = drafts.get(found.key) ?? draftVideo(found.sides, draw);
    drafts.set(found.key, drawn);
    const both = await drawn.catch(() => null);
    if (both !== null) videos.set(id, { ...videos.get(id)!, drafts: both });
  };
  await Promise.all(chosen.map((subject) => limit(drawDraft, subject)));

  return {
    videos: new Map([...videos].sort(([a], [b]) => byCodeUnit(a, b))),
    leftOut: leftOut.sort((a, b) => byCodeUnit(a.id, b.id)),
    contactSheet: sheet,
    matrices,
    seconds: { all: (monotonicNow() - startedAt) / 1000, rendering: busy.milliseconds / 1000 },
  };
}

interface DrawnVideos {
  readonly videos: ReadonlyMap<string, VideoPreview>;
  /** Changed editables of drawn videos. */
  readonly edited: ReadonlyMap<string, readonly string[]>;
  readonly fonts: LabelFonts;
  limit(draw: (id: string) => Promise<void>, id: string): Promise<void>;
}

/** Draws the tables of definitions: pictures of changed videos are there already, the others are drawn now. */
async function drawGrids(
  { videos, edited, fonts, limit }: DrawnVideos,
  { grids, draw, drawSheet, deadline, inputOf }: PreviewPlanOptions,
): Promise<MatrixSheet[]> {
  const shown = grids.slice(0, MAX_GRIDS);
  const pictures = new Map<string, PreviewImage>();
  for (const [id, { stills }] of videos) {
    const picture = mostChangedStill(stills)?.after;
    if (picture !== undefined) pictures.set(id, picture);
  }
  const drawCell = async (id: string, editables: readonly string[]): Promise<void> => {
    const input = deadline.aborted ? null : await inputOf(id);
    if (input === null) return;
    fonts.add(input);
    pictures.set(id, await drawMoment(input, editables, draw));
  };
  const sheets = shown.map(async (grid): Promise<MatrixSheet> => {
    const missing = grid.cells.flatMap(({ id, isDrawn }) => (id !== null && isDrawn && !pictures.has(id) ? [id] : []));
    const editables = [...new Set(grid.cells.flatMap(({ id }) => (id === null ? [] : (edited.get(id) ?? []))))];
    // The sheet names videos that cannot be drawn.
    await Promise.all(missing.map((id) => limit((cell) => drawCell(cell, editables).catch(() => undefined), id)));
    const pictureOf = (id: string): PreviewImage | null => pictures.get(id) ?? null;
    const sheet = matrixSheet(grid, { fonts: fonts.list(), pictureOf, draw: drawSheet });
    return sheet.catch(() => ({ definition: grid.definition, hidden: grid.hidden, image: null }));
  });
  const others = grids.slice(MAX_GRIDS).map(({ definition, hidden }) => ({ definition, hidden, image: null }));
  return [...(await Promise.all(sheets)), ...others];
}

/** Most fonts of videos that labels use. */
const MAX_FONTS = 16;

/** Collects the fonts of labels. */
class LabelFonts {
  readonly #own: readonly InputFont[];
  readonly #added = new Map<string, InputFont>();

  constructor(own: readonly InputFont[]) {
    this.#own = own;
  }

  /** Adds the fonts of a video for characters that the labels' own fonts lack, such as those of a row's value. */
  add(video: VideoInput): void {
    const fonts = 'scenes' in video ? video.scenes.flatMap((scene) => scene.fonts) : video.fonts;
    for (const font of fonts) {
      const key = `${font.name} ${font.bytes.length}`;
      if (this.#added.has(key) || this.#added.size === MAX_FONTS) continue;
      this.#added.set(key, { ...font, name: `label-${this.#added.size}`, isFallback: true });
    }
  }

  list(): InputFont[] {
    return [...this.#own, ...this.#added.values()];
  }
}

/** Sorts the subjects in drawing order. */
function choose(subjects: readonly PreviewSubject[]): { chosen: PreviewSubject[]; leftOut: LeftOut[] } {
  const rows = new Map<string, number>();
  const ranked = [...subjects]
    .sort((a, b) => byCodeUnit(a.id, b.id))
    .map((subject) => {
      const row = rows.get(subject.path) ?? 0;
      rows.set(subject.path, row + 1);
      return { subject, row };
    });
  const chosen = ranked
    .filter(({ row }) => row < MAX_ROWS)
    .sort((a, b) => Number(b.subject.isUpdate) - Number(a.subject.isUpdate) || a.row - b.row)
    .map(({ subject }) => subject);
  const beyondSample = ranked.filter(({ row }) => row >= MAX_ROWS).map(({ subject }) => subject.id);
  return { chosen, leftOut: beyondSample.map((id) => ({ id, reason: 'sample' })) };
}

function keyOf({ before, after, editables }: Sides): string {
  const keysOf = (renderInput: VideoInput) => ({ ...inputKeys(renderInput), stills: renderInput.stills });
  return JSON.stringify([before && keysOf(before), keysOf(after), editables]);
}

/** Measures the time during which at least one input is being drawn. */
class BusyTime {
  readonly #now: () => number;
  #active = 0;
  #since = 0;
  milliseconds = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  around({ compare, video }: PreviewRenderer): PreviewRenderer {
    return {
      compare: (comparison) => this.#measure(compare(comparison)),
      video: (renderInput) => this.#measure(video(renderInput)),
    };
  }

  async #measure<T>(work: Promise<T>): Promise<T> {
    if (this.#active++ === 0) this.#since = this.#now();
    try {
      return await work;
    } finally {
      if (--this.#active === 0) this.milliseconds += this.#now() - this.#since;
    }
  }
}
