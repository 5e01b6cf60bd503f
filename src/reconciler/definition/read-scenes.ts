import type { SceneSpec, Transition } from '../../contract/video-spec.ts';
import { trackOf } from '../../contract/wire/mapping.ts';
import { defined } from '../../kernel/defined.ts';
import { type Diagnostic, errorAt, hasErrors, positionOf, type Span } from '../../kernel/diagnostic.ts';
import { byCodeUnit, type Json } from '../../kernel/digest.ts';
import { didYouMean } from '../../kernel/hints.ts';
import { child, type ListNode, locateIn, type MapEntry, type MapNode, textOf, toJson } from '../../kernel/yaml/tree.ts';
import { withoutConditions } from './conditional-values.ts';
import { isTextPath } from './definition-file.ts';
import { withoutEmptyCells } from './empty-cells.ts';
import { type ExpandedScenes, expandScenes, type FilledScene, type ReadRows } from './expand-scenes.ts';
import { type FilledValues, filledValues, isUnfilled, TITLE_KEY, UNFILLED } from './filled-values.ts';
import { mergeMaps } from './merge-definitions.ts';
import type { TrackWords } from './place-captions.ts';
import type { WrittenCaptions } from './read-captions.ts';
import { readPlacement } from './read-placement.ts';
import {
  captionsOf,
  isInsideEntry,
  readScene,
  readTracks,
  type SceneReading,
  type VideoTemplate,
} from './read-scene.ts';
import { type Candidate, completeVideo, type NamedVideo, readWish, type VideoContext } from './read-video.ts';
import type { LocateScene } from './timeline-diagnostics.ts';
import type { Source, Video, VideoSound } from './video.ts';

/** A scene that was read. */
interface PlacedScene extends FilledScene {
  readonly reading: SceneReading;
}

/** Required properties of a definition that a scene does not have. */
const OF_VIDEO = { title: '-' };
/** Required property of a definition that a video of scenes does not have. */
const OF_SCENE = { template: '-' };

/**
 * Reads a merged definition with a list of scenes, and checks each scene against its template. A list that comes to one scene
 * gives the same video as a definition of one template.
 *
 * @param written filled in, without `id`, `extends`, `each`, `when` and `scenes`
 * @param list of scenes, which are filled in here: each may have rows of its own
 */
export function readScenes(
  written: MapNode,
  list: ListNode,
  named: NamedVideo,
  context: VideoContext & { readonly rows: ReadRows },
): Candidate {
  const expanded = expandScenes(list, named.row, named.path, context.rows);
  const shared = readShared(written, named, context);
  const scenes = expanded.scenes.map(({ id, node: own, row, at, misfilled }): PlacedScene => {
    const template = textOf(child(own, 'template'));
    const spec = template === null ? null : (context.templates.get(template) ?? null);
    const node = withShared(own, shared.root, spec);
    return { id, node, row, at, misfilled, reading: readScene(node, { at, row }, context, OF_VIDEO) };
  });
  const diagnostics = [
    ...expanded.diagnostics,
    ...shared.diagnostics,
    ...scenes.flatMap(sceneProblems),
    ...unknownShared(shared.root, expanded, context),
    ...ofScenes(shared.root),
  ];
  const incomplete: Candidate = {
    video: null,
    leftOut: null,
    files: [...shared.files, ...scenes.flatMap(({ reading }) => reading.files)],
    filled: filledOf(scenes, shared.filled),
    destinations: [],
    diagnostics,
    ...named,
  };
  const isWhole = scenes.every(({ node, reading }) => reading.template !== null && textOf(child(node, 'template')));
  if (!isWhole) return incomplete;
  const isComplete =
    !hasErrors(expanded.diagnostics) && list.items.length > 0 && expanded.written.length === list.items.length;
  const isPlaced = isComplete && shared.isPlaced && scenes.every(({ reading }) => reading.isPlaced);
  const { specs, audio } = mergeOnly(scenes.map(sceneSpec), shared.audio);
  const captions = {
    video: { written: shared.captions, audio: shared.audio, words: shared.words },
    ofScenes: scenes.map(({ reading }) => ({
      written: reading.captions,
      audio: reading.values.audio,
      words: reading.words,
    })),
  };
  const transition = isPlaced ? shared.transition : undefined;
  const inheriting = (): PlacedScene[] =>
    scenes.slice(1).filter(({ reading }) => reading.json.transition === undefined);
  const soft = transition === undefined ? [] : inheriting().map(({ id }) => id);
  const wish = isPlaced ? readWish(shared.json) : null;
  return completeVideo(
    incomplete,
    {
      root: { ...written, entries: new Map(written.entries).set('scenes', { keySpan: list.span, value: list }) },
      json: shared.json,
      scenes: withDefaults(specs, {
        transition,
        soft,
        duration: shared.json.duration,
        written: expanded.written.length,
      }),
      audio,
      captions,
      timeline: wish === null ? null : { ...firstMeasures(expanded, specs, context), ...wish, ...defined({ duration: expanded.written.length === 1 ? undefined : (shared.json.duration as number | undefined), softTransitions: soft.length === 0 ? undefined : soft }) }, // biome-ignore format: one object
      leftOut: [...expanded.leftOut, ...leftOutValues(scenes, shared.leftOut)],
      ...defined({ filtered: expanded.filtered }),
      locate: locateScene(written, list, scenes),
    },
    context,
  );
}

/** Properties of the definition beside its scenes. */
interface Shared {
  readonly root: MapNode;
  readonly json: { readonly [property: string]: Json };
  readonly audio: ReadonlyMap<string, VideoSound>;
  readonly captions: WrittenCaptions | null;
  readonly words: TrackWords;
  /** That scenes without a transition take. */
  readonly transition: Transition | undefined;
  readonly isPlaced: boolean;
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[];
  readonly files: Candidate['files'];
  readonly filled: FilledValues;
  readonly diagnostics: readonly Diagnostic[];
}

function readShared(written: MapNode, { at, row }: NamedVideo, context: VideoContext): Shared {
  const conditional = withoutConditions(written, null, row);
  // Which values of `resources` may be empty depends on the templates of the scenes.
  const spec = { id: '', editables: {}, fonts: [] };
  const root = row === null ? conditional.root : withoutEmptyCells(conditional.root, at, spec).root;
  const locate = locateIn(root);
  const json = toJson(root, isTextPath) as Shared['json'];
  const found = context.checkAny({ resources: {}, ...OF_SCENE, ...json }, locate);
  const { placement, misplaced } = readPlacement(json, () => context.checkPlacement(json, locate));
  const length = root.entries.get('duration');
  const isReported = (entry: MapEntry): boolean => misplaced.some(({ at: where }) => isInsideEntry(where, entry));
  const wrongDuration = length !== undefined && typeof json.duration !== 'number' && !isReported(length);
  const tracks = readTracks(root, context);
  const ofCaptions: Diagnostic[] = [];
  return {
    root,
    json,
    audio: tracks.audio,
    captions: captionsOf(root, found, { diagnostics: ofCaptions, context }),
    words: tracks.words,
    transition: placement.transition,
    isPlaced: misplaced.length === 0 && !wrongDuration,
    leftOut: conditional.leftOut,
    files: tracks.files,
    filled: filledValues(root),
    diagnostics: [
      ...conditional.diagnostics,
      ...found,
      ...misplaced,
      ...tracks.diagnostics,
      ...ofCaptions,
      ...(wrongDuration ? [lengthOfScenes(locate(['duration'], 'value').span)] : []),
    ],
  };
}

function lengthOfScenes(at: Span): Diagnostic {
  const message = 'The duration of a video with scenes must be a number of seconds';
  return errorAt('definition_invalid', at, message, 'Write content or fill as the duration of a scene');
}

/** Reports properties that a scene has, and not a video with scenes. */
function ofScenes({ entries }: MapNode): Diagnostic[] {
  return ['template', 'fit', 'background', 'shorten'].flatMap((property) => {
    const entry = entries.get(property);
    if (entry === undefined) return [];
    if (property === 'template') {
      const message = 'The definition has both "template" and "scenes"';
      return [
        errorAt('definition_invalid', entry.keySpan, message, 'Remove one of them, or move the template to a scene'),
      ];
    }
    const message = `${JSON.stringify(property)} belongs to a scene, not to a definition with scenes`;
    return [errorAt('definition_invalid', entry.keySpan, message, 'Move it to the scenes that need it')];
  });
}

/** Returns whether a definition has values or fonts beside its scenes. */
function hasValues({ entries }: MapNode): boolean {
  return entries.has('resources') || entries.has('fonts');
}

/** Adds the values of the definition for which the template of a scene has a key, and its replaced fonts. */
function withShared(scene: MapNode, root: MapNode, template: VideoTemplate | null): MapNode {
  if (template === null || !hasValues(root)) return scene;
  const { editables, fonts } = template.spec;
  const add = (section: 'resources' | 'fonts', isKnown: (name: string) => boolean): [string, MapEntry][] => {
    const all = child(root, section);
    const known = all?.kind === 'map' ? [...all.entries].filter(([name]) => isKnown(name)) : [];
    const own = scene.entries.get(section);
    if (known.length === 0 || (own !== undefined && own.value.kind !== 'map')) return [];
    const values: MapNode = { kind: 'map', entries: new Map(known), span: scene.span };
    // A missing value is reported at the scene.
    if (own === undefined) return [[section, { keySpan: scene.entries.get('template')!.keySpan, value: values }]];
    return [[section, { ...own, value: mergeMaps(values, own.value as MapNode) }]];
  };
  const shared = [
    ...add('resources', (key) => Object.hasOwn(editables, key)),
    ...add('fonts', (name) => fonts.includes(name)),
  ];
  return shared.length === 0 ? scene : { ...scene, entries: new Map([...scene.entries, ...shared]) };
}

/** Reports values and fonts of the definition that no template of its scenes has. */
function unknownShared(root: MapNode, { written }: ExpandedScenes, { templates }: VideoContext): Diagnostic[] {
  if (!hasValues(root)) return [];
  const specs = written.map(({ node }) => templates.get(textOf(child(node, 'template')) ?? '')?.spec);
  // A template that is not available might have the key.
  if (specs.includes(undefined)) return [];
  const check = (section: 'resources' | 'fonts', known: readonly string[]): Diagnostic[] => {
    const all = child(root, section);
    if (all?.kind !== 'map') return [];
    return [...all.entries].flatMap(([name, { keySpan }]) => {
      if (known.includes(name)) return [];
      const [code, noun] = section === 'resources' ? (['unknown_editable', 'editable'] as const) : (['unknown_font', 'replaceable font'] as const); // biome-ignore format: a pair
      const message = `No template of the scenes has ${noun === 'editable' ? 'an' : 'a'} ${noun} ${JSON.stringify(name)}`;
      return [
        errorAt(code, keySpan, message, didYouMean(name, known) ?? `They have ${[...new Set(known)].join(', ')}`),
      ];
    });
  };
  return [
    ...check(
      'resources',
      specs.flatMap((spec) => Object.keys(spec!.editables)),
    ),
    ...check(
      'fonts',
      specs.flatMap((spec) => spec!.fonts),
    ),
  ];
}

function sceneProblems({ node, at, id, misfilled, reading }: PlacedScene): Diagnostic[] {
  if (child(node, 'template') === null) {
    const place = node.entries.size === 0 ? node.span : at;
    return [
      errorAt('missing_property', place, `The scene ${id} has no template`.replace('  ', ' '), 'Add template: …'),
    ];
  }
  // Hides problems that follow from an unknown placeholder.
  return reading.diagnostics.filter((problem) => !misfilled.has(positionOf(problem)));
}

function sceneSpec({ id, node, reading }: PlacedScene): SceneSpec<Source> {
  const template = textOf(child(node, 'template'))!;
  const { resources, fonts, audio } = reading.values;
  return { id, template, resources, fonts, ...reading.placement, audio };
}

/** Moves the tracks of an only scene to the video. A name that both have gets a number. */
function mergeOnly(
  specs: readonly SceneSpec<Source>[],
  audio: ReadonlyMap<string, VideoSound>,
): { readonly specs: readonly SceneSpec<Source>[]; readonly audio: ReadonlyMap<string, VideoSound> } {
  const [only, second] = specs;
  if (only === undefined || second !== undefined || only.audio.size === 0) return { specs, audio };
  const merged = new Map(audio);
  for (const [name, sound] of only.audio) {
    let free = name;
    for (let number = 2; merged.has(free); number++) free = `${name}-${number}`;
    merged.set(free, sound);
  }
  return { specs: [{ ...only, audio: new Map() }], audio: new Map([...merged].sort(([a], [b]) => byCodeUnit(a, b))) };
}

interface Defaults {
  readonly transition: Transition | undefined;
  readonly soft: readonly string[];
  readonly duration: Json | undefined;
  /** Number of scenes as written. */
  readonly written: number;
}

/** Adds the transition of the definition, and its duration to its only scene. */
function withDefaults(
  specs: readonly SceneSpec<Source>[],
  { transition, soft, duration, written }: Defaults,
): readonly SceneSpec<Source>[] {
  const length = written === 1 && typeof duration === 'number' ? duration : undefined;
  if (length === undefined && transition === undefined) return specs;
  return specs.map((spec) => ({
    ...defined({ duration: length }),
    ...(soft.includes(spec.id) ? defined({ transition }) : {}),
    ...spec,
  }));
}

/** Returns the size and rate of the first scene as written, where it is left out and the first that is shown has others. */
function firstMeasures(
  { written }: ExpandedScenes,
  [shown]: readonly SceneSpec<Source>[],
  { templates }: VideoContext,
): Pick<Video, 'size' | 'rate'> {
  const first = templates.get(textOf(child(written[0]?.node ?? null, 'template')) ?? '')?.facts;
  const facts = shown === undefined ? null : templates.get(shown.template)?.facts;
  if (!first || !facts) return {};
  const sameSize = first.width === facts.width && first.height === facts.height;
  return defined({
    size: sameSize ? undefined : ([first.width, first.height] as const),
    rate: first.fps === facts.fps ? undefined : first.fps,
  });
}

function leftOutValues(scenes: readonly PlacedScene[], shared: Shared['leftOut']): NonNullable<Video['leftOut']> {
  return [
    ...scenes.flatMap(({ id, reading }) => reading.leftOut.map((value) => ({ scene: id, ...value }))),
    ...shared.map((value) => ({ scene: null, ...value })),
  ];
}

function filledOf(scenes: readonly PlacedScene[], shared: FilledValues): FilledValues {
  if (isUnfilled(shared) && scenes.every(({ reading }) => isUnfilled(reading.filled))) return UNFILLED;
  const [, second] = scenes;
  const all = <T>(of: (values: FilledValues) => ReadonlyMap<string, T>): Map<string, T> => {
    const ofVideo = [...of(shared)].filter(([key]) => key === TITLE_KEY || trackOf(key) !== null);
    const ofScenes = scenes.flatMap(({ id, reading }) => {
      return [...of(reading.filled)].map(
        ([key, value]) => [second === undefined ? key : `${id}.${key}`, value] as const,
      );
    });
    return new Map([...ofVideo, ...ofScenes]);
  };
  return { cells: all(({ cells }) => cells), entries: all(({ entries }) => entries) };
}

/** Locates a property at the scene that has it, else at the definition. */
function locateScene(root: MapNode, list: ListNode, scenes: readonly PlacedScene[]): LocateScene {
  return (id, property, name) => {
    const path = property === 'audio' ? ['audio', name ?? ''] : [property];
    const scene = scenes.find((candidate) => candidate.id === id);
    const own = scene === undefined ? null : path.reduce<ReturnType<typeof child>>(child, scene.node);
    if (scene !== undefined && own !== null) return locateIn(scene.node)(path, 'value').span;
    if (child(root, property) !== null) return locateIn(root)(path, 'value').span;
    if (scene !== undefined) return locateIn(scene.node)(['template'], 'value').span;
    return property === 'rate' || property === 'duration' ? locateIn(root)([], 'value').span : firstOf(list);
  };
}

function firstOf(list: ListNode): Span {
  const [first] = list.items;
  return first === undefined ? list.span : locateIn(first)([], 'value').span;
}
