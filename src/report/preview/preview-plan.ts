import pLimit from 'p-limit';
import { ReelformError } from '../../kernel/diagnostic.ts';
import { byCodeUnit } from '../../kernel/digest.ts';
import type { InputFont, VideoInput } from '../../template/render-input.ts';
import { contactSheet } from './contact-sheet.ts';
import { inputKeys } from './input-keys.ts';
import type { LeftOut, PlanPreview, VideoPreview } from './plan-preview.ts';
import { draftVideo, type PreviewRenderer, previewVideo, type Sides } from './preview-video.ts';

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
  /** Returns the text above a video on the contact sheet. */
  label(id: string, changedShare: number): string;
  /** Milliseconds of a monotonic clock. */
  monotonicNow(): number;
}

/** Maximum number of rows shown of a definition. */
const MAX_ROWS = 20;

/**
 * Draws the changes of a plan: updates before new videos, alternating between definitions, as many as time allows; then
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
  let fonts: readonly InputFont[] = [];
  const drawPreview = async ({ id, isUpgrade, sides: read }: PreviewSubject): Promise<void> => {
    if (typeof read === 'string') return leave(id, read);
    if (deadline.aborted) return leave(id, 'budget');
    try {
      const both = await read();
      const key = keyOf(both);
      const preview = stills.get(key) ?? previewVideo(both, draw);
      stills.set(key, preview);
      videos.set(id, await preview);
      if (isUpgrade && fonts.length === 0)
        fonts = 'scenes' in both.after ? both.after.scenes.flatMap((scene) => scene.fonts) : both.after.fonts;
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
  const sheet = await contactSheet(upgraded, { fonts, label: options.label, draw: drawSheet }).catch(() => null);

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
    seconds: { all: (monotonicNow() - startedAt) / 1000, rendering: busy.milliseconds / 1000 },
  };
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
