import { plainScene, type TimelineSpec } from '../../contract/video-spec.ts';
import { type InputId, inputName, parseInputName } from './input-names.ts';
import type { LockEntry } from './lock.ts';
import { scenesOfInputs } from './recorded-inputs.ts';

type Inputs = Readonly<Record<string, string>>;

/** Returns whether an input of a video with one scene belongs to the scene; sounds, outputs, size and rate are the video's. */
function isOfOnlyScene({ kind, name }: InputId): boolean {
  return kind === 'editable' || kind === 'font' || (kind === 'timeline' && name !== 'size' && name !== 'rate');
}

/** The inputs of a video as a lock entry has them. */
interface SplitInputs {
  /** Of the whole video. */
  readonly whole: Inputs;
  /** By the id of the scene, in the order of the scenes; null for a template with values, whose inputs are all the video's. */
  readonly ofScenes: ReadonlyMap<string, Inputs> | null;
}

/** Splits the inputs of a video by scene. @param inputs the result of `describeInputs` */
export function splitInputs(spec: TimelineSpec<unknown>, inputs: Inputs): SplitInputs {
  if (plainScene(spec) !== null) return { whole: inputs, ofScenes: null };
  const scenes = scenesOfInputs(spec);
  const [only] = spec.scenes;
  const whole: [string, string][] = [];
  const ofScenes = new Map(spec.scenes.map(({ id }): [string, [string, string][]] => [id, []]));
  for (const [name, text] of Object.entries(inputs)) {
    const { scene, ...id } = parseInputName(name, scenes);
    const owner = scene ?? (scenes.length === 0 && isOfOnlyScene(id) ? only!.id : undefined);
    (owner === undefined ? whole : ofScenes.get(owner)!).push([inputName(id), text]);
  }
  return {
    whole: Object.fromEntries(whole),
    ofScenes: new Map([...ofScenes].map(([id, entries]) => [id, Object.fromEntries(entries)])),
  };
}

/** Returns all inputs of a lock entry: those of several scenes with the id of their scene and a dot in front, then those of the video. */
export function entryInputs({ inputs, scenes = [] }: Pick<LockEntry, 'inputs' | 'scenes'>): Inputs {
  const prefix = (id: string): string => (scenes.length === 1 ? '' : `${id}.`);
  const ofScenes = scenes.flatMap(({ id, inputs: values }) => {
    return Object.entries(values).map(([name, text]) => [`${prefix(id)}${name}`, text] as const);
  });
  return { ...Object.fromEntries(ofScenes), ...inputs };
}

/**
 * Returns the inputs of a lock entry by the names that they have in plans of a video, so that a scene is compared with the scene of
 * the same id. The only scene of a video corresponds to the scene of its template if there is one.
 */
export function joinInputs(
  { inputs, template, scenes: recorded }: Pick<LockEntry, 'inputs' | 'template' | 'scenes'>,
  { scenes }: TimelineSpec<unknown>,
): Inputs {
  const [only, second] = scenes;
  const wasPlain = recorded === undefined;
  if (wasPlain && second === undefined) return inputs;
  const joined: [string, string][] = [];
  const add = (scene: string, [name, text]: readonly [string, string]): void => {
    const isOnly = second === undefined && (recorded?.length === 1 || scene === only!.id);
    joined.push([isOnly ? name : `${scene}.${name}`, text]);
  };
  const successor = scenes.find((scene) => scene.template === template)?.id ?? template;
  for (const { id, inputs: values } of recorded ?? []) {
    for (const input of Object.entries(values)) add(recorded?.length === 1 && !has(scenes, id) ? successor : id, input);
  }
  for (const input of Object.entries(inputs)) {
    if (wasPlain && isOfOnlyScene(parseInputName(input[0]))) add(successor, input);
    else joined.push([...input]);
  }
  return Object.fromEntries(joined);
}

function has(scenes: TimelineSpec<unknown>['scenes'], id: string): boolean {
  return scenes.some((scene) => scene.id === id);
}
