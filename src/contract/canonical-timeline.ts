import { defined } from '../kernel/defined.ts';
import { Memory } from '../kernel/memory.ts';
import { frameRateOf } from './timeline/frame-rate.ts';
import { placesOf } from './timeline/place.ts';
import { framesOf, type Rational, rationalRate, toNumber } from './timeline/rational.ts';
import { materialOf } from './timeline/scene-length.ts';
import type { ContentWish, DurationWish, TemplateFacts } from './timeline/timeline.ts';
import { plainScene, plainTransition, type ScenePlacement, type SceneSpec, type TimelineSpec } from './video-spec.ts';

/** The facts about the templates of a spec by their names; a template that only the service has is absent. */
export type FactsByTemplate = Readonly<Record<string, TemplateFacts>>;

/** Seconds after the content of a scene whose template has no `timing`. */
const DEFAULT_TAIL = 0.5;

/**
 * Removes everything that changes nothing about when and how scenes are shown, and adds what decides it: the places of a
 * template where a length is set, size and rate where a video is more than a template with values. Specs with the same scenes at the
 * same times are then equal. Lengths that follow from content are not part of it.
 */
export function canonicalTimeline<S>(spec: TimelineSpec<S>, facts: FactsByTemplate): TimelineSpec<S> {
  const { scenes, duration } = spec;
  if (plainScene(spec) !== null) return { scenes };
  const first = ownFacts(facts, scenes[0]!.template);
  const rate = plainRate(spec.rate ?? first?.rate);
  const exact = exactRate(rate);
  const size = spec.size ?? (first && ([first.width, first.height] as const));
  const isOnly = scenes.length === 1;
  const placed = scenes.map((scene, index) => {
    const wish = isOnly && (scene.duration ?? 'fill') === 'fill' ? duration : scene.duration;
    return placedScene(scene, {
      wish,
      isFirst: index === 0,
      facts: ownFacts(facts, scene.template),
      size,
      rate: exact,
    });
  });
  const hasSize = size === undefined || (size[0] === first?.width && size[1] === first.height);
  const hasRate = spec.rate === undefined || rate === plainRate(first?.rate);
  if (isOnly && hasSize && hasRate && plainScene({ scenes: placed }) !== null) return { scenes: placed };
  const fills = placed.some((scene) => scene.duration === 'fill');
  return { scenes: placed, ...defined({ size, rate, duration: fills ? duration : undefined }) };
}

/** Leaves out the size and rate that a canonical timeline takes from the template of its first scene. */
export function withoutInherited<T extends TimelineSpec<unknown>>(spec: T, first: TemplateFacts | undefined): T {
  const { size, rate, ...rest } = spec;
  if (first === undefined || (size === undefined && rate === undefined)) return spec;
  const isInherited = size?.[0] === first.width && size[1] === first.height;
  const wanted = defined({
    size: isInherited ? undefined : size,
    rate: rate === plainRate(first.rate) ? undefined : rate,
  });
  return { ...rest, ...wanted } as T;
}

function ownFacts(facts: FactsByTemplate, template: string): TemplateFacts | undefined {
  return Object.hasOwn(facts, template) ? facts[template] : undefined;
}

/** Returns the same number for all spellings of a rate. */
function plainRate(rate: number | undefined): number | undefined {
  const exact = exactRate(rate);
  return exact && toNumber(exact);
}

function exactRate(rate: number | undefined): Rational | undefined {
  return rate === undefined ? undefined : rationalRate(frameRateOf(rate));
}

interface SceneContext {
  /** The wish of the scene, or of the video for its only scene. */
  readonly wish: DurationWish | undefined;
  readonly isFirst: boolean;
  readonly facts: TemplateFacts | undefined;
  readonly size: readonly [width: number, height: number] | undefined;
  readonly rate: Rational | undefined;
}

/** The length of its template. */
const NATURAL: Pick<ScenePlacement, 'duration' | 'shorten'> = {};

/** @returns the same object for a scene that has only what decides how it is shown, which most have */
function placedScene<S>(scene: SceneSpec<S>, { wish, isFirst, facts, size, rate }: SceneContext): SceneSpec<S> {
  const { id, template, resources, fonts, audio, captions } = scene;
  const { duration, shorten } = wish === undefined ? NATURAL : plainDuration(wish, scene.shorten, { facts, rate });
  const hasShape = facts !== undefined && size !== undefined && facts.width * size[1] === facts.height * size[0];
  // The first scene has nothing to replace.
  const transition = isFirst || scene.transition === undefined ? undefined : plainTransition(scene.transition);
  // A scene of the shape of the video fills it anyway.
  const fit = hasShape ? undefined : scene.fit;
  const background = scene.background === '000000' ? undefined : scene.background;
  const timing = duration === undefined || facts === undefined ? undefined : placesOf(facts);
  const isPlaced =
    duration === scene.duration &&
    transition === scene.transition &&
    fit === scene.fit &&
    background === scene.background &&
    shorten === scene.shorten &&
    timing === scene.timing;
  if (isPlaced) return scene;
  const placement = { duration, transition, fit, background, shorten, timing } satisfies Record<keyof ScenePlacement, unknown>; // biome-ignore format: one object
  return { id, template, resources, fonts, audio, ...defined({ captions, ...placement }) };
}

/** Removes a length that the template has anyway, and the permission to be shorter than it can be, if it is not needed. */
function plainDuration(
  wish: DurationWish,
  shorten: ScenePlacement['shorten'],
  { facts, rate }: Pick<SceneContext, 'facts' | 'rate'>,
): Pick<ScenePlacement, 'duration' | 'shorten'> {
  if (typeof wish !== 'number')
    return { duration: wish === 'fill' ? wish : plainContent(wish, facts), ...defined({ shorten }) };
  if (facts === undefined || rate === undefined) return { duration: wish, ...defined({ shorten }) };
  return lengths.of(facts, `${wish} ${shorten} ${rate.numerator}/${rate.denominator}`, () => {
    const { natural, min } = materialOf(facts, rationalRate(frameRateOf(facts.rate)), rate);
    const frames = framesOf(wish, rate);
    if (frames === natural) return {};
    return { duration: wish, ...defined({ shorten: frames === null || frames < min ? shorten : undefined }) };
  });
}

/** Most scenes of a template have one of a few lengths. */
const lengths = new Memory<Pick<ScenePlacement, 'duration' | 'shorten'>>();

/** Writes out the tail, whose default depends on the template. */
function plainContent(wish: 'content' | ContentWish, facts: TemplateFacts | undefined): DurationWish {
  const { min, max, tail }: ContentWish = wish === 'content' ? { content: true } : wish;
  const usual = facts && ((facts.timing?.length ?? 0) > 0 ? ('exit' as const) : DEFAULT_TAIL);
  return { content: true, ...defined({ min: min === 0 ? undefined : min, max, tail: tail ?? usual }) };
}
