import { defined } from '../../kernel/defined.ts';
import { groupBy } from '../../kernel/group-by.ts';
import type { SafeAreaName } from '../../template/lint-severities.ts';
import { normalizeLineBreaks } from '../../template/lottie/slots/lottie-slots.ts';
import type {
  CaptionLook,
  InputDocument,
  RenderInput,
  TransitionStyle,
  VideoInput,
} from '../../template/render-input.ts';
import { type PlacedCue, type PlacedPage, placeCaptions } from '../captions/caption-document.ts';
import { lineAreas } from '../captions/caption-layers.ts';
import { type CaptionDefect, type LintFinding, momentAt } from '../lint-finding.ts';
import { type ComposedInput, type DrawnInput, isComposed, type ShownScene } from '../scenes/drawn-input.ts';
import { sceneClock } from '../scenes/scene-clock.ts';
import { wholeDrawings } from '../segments/drawings.ts';
import type { DrawnSpan } from '../segments/scene-cutters.ts';
import { CaptionGrounds, type CaptionOnFrame, type Letters, lettersAtRisk } from './caption-contrast.ts';
import { measureRim, type Rim } from './caption-rim.ts';
import { lintable } from './lint-input.ts';
import { edgesCrossed } from './safe-areas.ts';
import { misdirectedLine } from './text-direction.ts';
import { boxAround, type PlacedText, type Polygon, rectangle, TextGeometry, visibleArea } from './text-geometry.ts';
import { MIN_STRENGTH, overlaps } from './text-tracks.ts';

/** Times at which a cue is compared with the texts below it, as shares of its duration. */
const SAMPLES = [0.25, 0.5, 0.75];
/** Of these times, how many must show a defect. */
const MIN_SAMPLES = 2;

/**
 * Finds defects of captions that are drawn, by their layout: captions over texts of the template or outside a safe area, characters that
 * no font has, and texts that are too long for their style. Each defect is reported once, with the number of cues that have it.
 *
 * @param video checked
 * @param safeAreas see `lintVideo`
 * @throws RenderError template_invalid for a font that is missing or unusable
 */
export async function lintCaptions(
  video: VideoInput,
  safeAreas: readonly (SafeAreaName | null)[],
): Promise<LintFinding[]> {
  const found = new Map<string, { readonly finding: CaptionFinding; readonly cues: Set<string> }>();
  const rims = new Rims();
  const risks: CueAtRisk[] = [];
  for (const { renderInput: input, span } of wholeDrawings(video)) {
    if (input.captions === undefined) continue;
    const cues = await placeCaptions(input.captions, { ...canvasOf(input), fps: video.fps });
    const stage = await stageOf(input, span, cues);
    for (const placed of cues) {
      const samples = samplesOf(placed, span, stage);
      const context = { video, span, stage, samples, safeArea: safeAreas[span.scene ?? 0] };
      // A transition divides a cue into several spans.
      const id = `${placed.cue.from + timelineOffset(video, span)} ${placed.cue.text}`;
      for (const { key, ...finding } of lintCue(placed, context)) {
        const known = found.get(key) ?? { finding, cues: new Set() };
        found.set(key, known);
        known.cues.add(id);
      }
      risks.push(...(await cueAtRisk(placed, context, { id, look: input.captions.looks[placed.cue.look]!, rims })));
    }
  }
  const defects = [...found.values()].map(({ finding, cues }) => ({ ...finding, captions: cues.size }));
  return [...defects, ...(await lintContrast(video, risks))];
}

/** The rims of looks, each measured once. */
class Rims {
  readonly #known = new Map<CaptionLook, Promise<Rim>>();

  /** @param text drawn to measure it */
  of(look: CaptionLook, text: string): Promise<Rim> {
    const known = this.#known.get(look) ?? measureRim(look, text);
    this.#known.set(look, known);
    return known;
  }
}

/** A cue whose contrast depends on the picture behind it. */
interface CueAtRisk {
  readonly id: string;
  readonly letters: readonly Letters[];
  readonly samples: readonly SampleAtRisk[];
}

type SampleAtRisk = CaptionOnFrame & { readonly finding: FindingFields };

/** What a finding says of a cue on a frame. */
type FindingFields = ReturnType<typeof commonFields> & ReturnType<typeof shownAt>;

/** Returns a cue with its lines in the picture, if it may have too little contrast. */
async function cueAtRisk(
  placed: PlacedCue,
  context: CueContext,
  { id, look, rims }: { id: string; look: CaptionLook; rims: Rims },
): Promise<CueAtRisk[]> {
  const { span, stage, samples } = context;
  const [middle = samples[0]] = samples.slice(1);
  if (middle === undefined) return [];
  // A text below it is reported, and is no background.
  if (coveredTexts(samples).length > 0) return [];
  const { page } = middle;
  const rimOf = (): Promise<Rim> => rims.of(look, placed.cue.text);
  const letters = await lettersAtRisk(placed.cue, placed.style, { page, height: stage.canvas.height, rimOf });
  if (letters.length === 0) return [];
  const [[left, top], , [right, bottom]] = stage.picture as readonly [Point, Point, Point];
  const inPicture = ([x, y]: Point): Point => [(x - left) / (right - left), (y - top) / (bottom - top)];
  return [
    {
      id,
      letters,
      samples: samples.map((sample) => ({
        frame: sample.frame + span.offset,
        lines: sample.lines.map((line) => line.map(inPicture)),
        finding: { ...commonFields(placed, context), ...shownAt(sample, context) },
      })),
    },
  ];
}

type Point = Polygon[number];

/**
 * Finds captions with too little contrast in the middle of their time and at another sample; of those of a scene, the one with the
 * least.
 */
async function lintContrast(video: VideoInput, risks: readonly CueAtRisk[]): Promise<LintFinding[]> {
  if (risks.length === 0) return [];
  const grounds = await CaptionGrounds.open(video);
  const lowOf = ({ letters }: CueAtRisk, sample: SampleAtRisk) =>
    letters.flatMap((kind) => {
      const contrast = grounds.contrast(sample, kind);
      return contrast === null || contrast.ratio >= contrast.needed ? [] : [{ sample, contrast }];
    });
  const middleOf = ({ samples: [first, middle = first] }: CueAtRisk): SampleAtRisk => middle!;
  await grounds.draw(risks.map(middleOf));
  // Most captions are legible, so that one picture is enough.
  const suspects = risks.filter((risk) => lowOf(risk, middleOf(risk)).length > 0);
  await grounds.draw(suspects.flatMap((risk) => risk.samples.filter((sample) => sample !== middleOf(risk))));
  const failed = suspects.flatMap((risk) => {
    const low = risk.samples.flatMap((sample) => lowOf(risk, sample));
    return lowOf(risk, middleOf(risk)).flatMap(({ contrast: { part } }) => {
      const ofPart = low.filter(({ contrast }) => contrast.part === part);
      if (ofPart.length < Math.min(MIN_SAMPLES, risk.samples.length)) return [];
      const least = ofPart.reduce((worst, each) => (each.contrast.ratio < worst.contrast.ratio ? each : worst));
      return [{ ...least, id: risk.id }];
    });
  });
  const groups = groupBy(failed, ({ sample, contrast }) => JSON.stringify([sample.finding.scene, contrast.part]));
  return [...groups.values()].map((group): LintFinding => {
    const { sample, contrast } = group.reduce((worst, each) =>
      each.contrast.ratio < worst.contrast.ratio ? each : worst,
    );
    const captions = new Set(group.map(({ id }) => id)).size;
    return { ...sample.finding, code: 'caption_low_contrast', ...contrast, captions };
  });
}

type CaptionFinding = LintFinding & CaptionDefect;

/** Returns the frame of the timeline from which the cues of a span are counted. */
function timelineOffset(video: VideoInput, { scene }: DrawnSpan): number {
  return 'scenes' in video && scene !== null ? video.timeline.scenes[scene]!.start : 0;
}

/** What lies below captions. */
interface Stage {
  /** Pixels in which captions and texts are laid out. */
  readonly canvas: { readonly width: number; readonly height: number };
  /** The part of the canvas that viewers see. */
  readonly picture: Polygon;
  /** Returns the texts on a frame of the input. */
  readonly at: (frame: number) => readonly StageText[];
}

interface StageText extends Pick<PlacedText, 'laidOut' | 'lines' | 'strength' | 'isWholeNow'> {
  /** Its editable, after the id of another scene; null for a fixed text. */
  readonly name: string | null;
}

/** @param placed captions of the input */
async function stageOf(input: DrawnInput, span: DrawnSpan, placed: readonly PlacedCue[]): Promise<Stage> {
  if (isComposed(input)) return await composedStage(input, span, placed);
  const { captions: _, ...document } = input;
  const texts = await TextGeometry.open(await lintable(document));
  return { canvas: canvasOf(input), picture: visibleArea(input), at: (frame) => texts.at(frame).map(named) };
}

function canvasOf(input: DrawnInput): Stage['canvas'] {
  return isComposed(input) ? input.canvas : { width: input.animation.w, height: input.animation.h };
}

function named(text: PlacedText): StageText {
  return { ...text, name: text.laidOut.layer.editable };
}

/** Transitions that move a scene, whose texts are then not compared. */
const MOVED: Readonly<Record<'old' | 'new', readonly TransitionStyle['type'][]>> = {
  old: ['push', 'zoom'],
  new: ['slide', 'push', 'zoom'],
};

async function composedStage(input: ComposedInput, span: DrawnSpan, placed: readonly PlacedCue[]): Promise<Stage> {
  const { canvas } = input;
  const picture = rectangle(0, 0, canvas.width, canvas.height);
  const [old, entering] = input.scenes;
  if (old === undefined) return { canvas, picture, at: () => [] };
  if (entering === undefined) return { canvas, picture, at: await textsOf(old, input, null) };
  // A caption that is shown longer is compared with the scenes before and after.
  if (!placed.some((cue) => liesIn(cue, span))) return { canvas, picture, at: () => [] };
  const { type, from, frames } = entering.transition!;
  const at = await Promise.all(
    ([old, entering] as const).map((scene, index) => {
      const isMoved = MOVED[index === 0 ? 'old' : 'new'].includes(type);
      return isMoved ? () => [] : textsOf(scene, input, scene.neighbour === 0 ? null : span.names[index]!);
    }),
  );
  // The scene that is seen more.
  return { canvas, picture, at: (frame) => at[frame < from + frames / 2 ? 0 : 1]!(frame) };
}

/** Returns whether no frame outside a span shows a cue. */
function liesIn({ pages }: PlacedCue, { first, end, offset }: DrawnSpan): boolean {
  return pages.every(({ from, to }) => from + offset >= first && to + offset <= end);
}

/** Returns the texts of a scene, where the input shows them. @param id of a scene to which the frames do not belong */
async function textsOf(scene: ShownScene, input: ComposedInput, id: string | null): Promise<Stage['at']> {
  const { animation, fonts, images, clips } = await lintable<InputDocument>(scene);
  const { timeAt } = sceneClock(scene, input);
  // At the rate of the template, its frames are its times.
  const atOwnRate: RenderInput = {
    animation,
    fonts,
    images,
    clips,
    output: input.output,
    sounds: [],
    stills: [],
    width: animation.w,
    height: animation.h,
    fps: animation.fr,
    frameCount: animation.op - animation.ip,
  };
  const texts = await TextGeometry.open(atOwnRate);
  const toCanvas = fitted(scene, input.canvas);
  return (frame) =>
    texts.at(timeAt(frame)).map((text) => {
      const { name } = named(text);
      return { ...text, name: id === null || name === null ? name : `${id}.${name}`, lines: text.lines.map(toCanvas) };
    });
}

/** Returns a function that moves a polygon from the picture of a template to where its scene is shown. */
function fitted({ animation, fit }: ShownScene, { width, height }: Stage['canvas']): (polygon: Polygon) => Polygon {
  const scale = Math[fit === 'cover' ? 'max' : 'min'](width / animation.w, height / animation.h);
  const [left, top] = [(width - animation.w * scale) / 2, (height - animation.h * scale) / 2];
  return (polygon) => polygon.map(([x, y]) => [left + x * scale, top + y * scale]);
}

interface CueContext {
  readonly video: VideoInput;
  readonly span: DrawnSpan;
  readonly stage: Stage;
  /** The cue on some of the frames that show it. */
  readonly samples: readonly CueSample[];
  readonly safeArea: SafeAreaName | null | undefined;
}

/** Returns the defects of a cue, each with a key that equal defects of cues share. */
function lintCue(placed: PlacedCue, context: CueContext): (CaptionFinding & { key: string })[] {
  const { video, span, stage, samples, safeArea } = context;
  const [middle = samples[0]] = samples.slice(1);
  if (middle === undefined) return [];
  const common = commonFields(placed, { video, span });
  const { scene } = common;
  const found: (CaptionFinding & { key: string })[] = placed.findings.map(({ code, ...finding }) => {
    const { characters, font, text, overflow } = finding;
    return code === 'glyph_missing'
      ? {
          key: JSON.stringify([code, characters, font]),
          code,
          ...common,
          ...shownAt(middle, context),
          characters,
          font,
        }
      : {
          key: `${code} ${text}`,
          code,
          ...common,
          ...shownAt(middle, context),
          text,
          beyond: 'box' as const,
          overflow,
        };
  });
  const misdirected = misdirectedLine(placed.cue.text);
  if (misdirected !== null) {
    const code = 'text_direction';
    found.push({ key: code, code, ...common, ...shownAt(middle, context), text: misdirected });
  }
  for (const { other, otherText, sample } of coveredTexts(samples)) {
    const code = 'caption_over_text';
    const key = JSON.stringify([code, scene, other, otherText]);
    found.push({ key, code, ...common, ...shownAt(sample, context), other, otherText });
  }
  const crossed = safeArea ? edgesCrossed(video, stage.picture, safeArea) : null;
  const edges = crossed === null ? [] : crossed(middle);
  if (safeArea && edges.length > 0) {
    const code = 'caption_outside_safe_area';
    const key = JSON.stringify([code, scene, edges]);
    found.push({ key, code, ...common, ...shownAt(middle, context), area: safeArea, edges });
  }
  return found;
}

function commonFields({ cue }: PlacedCue, { video, span }: Pick<CueContext, 'video' | 'span'>) {
  const scene = span.scene === null || !('scenes' in video) ? undefined : video.timeline.scenes[span.scene]!.id;
  return { editable: null, caption: cue.text, captions: 1, ...defined({ scene }) } as const;
}

function shownAt({ frame, lines }: CueSample, { video, span, stage }: CueContext) {
  return { ...momentAt(video, frame + span.offset), box: boxAround(lines, stage.picture) };
}

/** A cue on a frame of the input of its span. */
interface CueSample {
  readonly frame: number;
  readonly page: PlacedPage;
  readonly lines: readonly Polygon[];
  readonly texts: ReturnType<Stage['at']>;
}

/** Returns the cue on some of the frames of its span that show it. */
function samplesOf({ pages, style }: PlacedCue, span: DrawnSpan, { canvas, at }: Stage): CueSample[] {
  const first = Math.max(span.first - span.offset, Math.min(...pages.map(({ from }) => from)));
  const end = Math.min(span.end - span.offset, Math.max(...pages.map(({ to }) => to)));
  if (first >= end) return [];
  const frames = new Set(SAMPLES.map((share) => Math.min(end - 1, Math.floor(first + share * (end - first)))));
  return [...frames].flatMap((frame) => {
    const page = pages.find(({ from, to }) => from <= frame && frame < to);
    return page === undefined ? [] : [{ frame, page, lines: linesOf(page, style, canvas), texts: at(frame) }];
  });
}

/** Returns the areas of the lines of a page: those of their letters, or those that their background fills. */
function linesOf(page: PlacedPage, style: PlacedCue['style'], frame: Stage['canvas']): Polygon[] {
  const inset = style.background === undefined ? (page.lineHeight - page.size) / 2 : 0;
  return lineAreas(page, { style, frame, top: page.top }).map(({ x, y, width, height }) =>
    rectangle(x, y + inset, x + width, y + height - inset),
  );
}

/** Returns the texts that a cue covers on most of its samples, with the first sample that shows it. */
function coveredTexts(samples: readonly CueSample[]): { other: string | null; otherText: string; sample: CueSample }[] {
  const covered = new Map<string, { other: string | null; otherText: string; samples: CueSample[] }>();
  for (const sample of samples) {
    const ofSample = new Set<string>();
    for (const { laidOut, name: other, lines, strength, isWholeNow } of sample.texts) {
      if (strength < MIN_STRENGTH || !isWholeNow || !overlaps(lines, sample.lines)) continue;
      const otherText = normalizeLineBreaks(laidOut.spec.text);
      const key = JSON.stringify([other, otherText]);
      if (ofSample.has(key)) continue;
      ofSample.add(key);
      const known = covered.get(key) ?? { other, otherText, samples: [] };
      covered.set(key, known);
      known.samples.push(sample);
    }
  }
  return [...covered.values()]
    .filter((text) => text.samples.length >= Math.min(MIN_SAMPLES, samples.length))
    .map(({ other, otherText, samples: [sample] }) => ({ other, otherText, sample: sample! }));
}
