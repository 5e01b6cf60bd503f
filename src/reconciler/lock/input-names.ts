/**
 * An input of a video: the value of an editable, a track, a replaced font, a field of its timeline, the loudness of its sound, its captions, or an
 * output; `''` names the main output, and the loudness.
 */
export interface InputId {
  readonly kind: 'editable' | 'track' | 'font' | 'timeline' | 'loudness' | 'captions' | 'output';
  readonly name: string;
  /** Id of the scene in a video of several scenes; absent for inputs of the whole video. */
  readonly scene?: string;
}

/** Prefixes of the inputs that are no editables. */
const PREFIXES = {
  track: 'audio.',
  font: 'fonts.',
  timeline: 'timeline.',
  captions: 'captions.',
  output: 'outputs.',
} as const;
/** Inputs of a video that have no name of their own. */
const MAIN_OUTPUT = 'output';
const LOUDNESS = 'loudness';
/** Prefix of an editable whose key is the name of an input of another kind. */
const EDITABLE = 'editables.';
const AMBIGUOUS_KEY = /^(?:editables\.)*(?:(?:audio|fonts|timeline|captions|outputs)\.|(?:output|loudness)$)/;

/**
 * Returns the name of an input in plans: the key of an editable, `audio.<track>`, `fonts.<font>`, `timeline.<field>`,
 * `loudness`, `captions.<field>`, `output` or `outputs.<name>`; in a video of several scenes after the id of the scene and a dot. Different inputs have different names.
 */
export function inputName({ scene, ...id }: InputId): string {
  return scene === undefined ? nameInScene(id) : `${scene}.${nameInScene(id)}`;
}

function nameInScene({ kind, name }: InputId): string {
  if (kind === 'editable') return AMBIGUOUS_KEY.test(name) ? `${EDITABLE}${name}` : name;
  if (kind === 'loudness') return LOUDNESS;
  return kind === 'output' && name === '' ? MAIN_OUTPUT : `${PREFIXES[kind]}${name}`;
}

/** Parses the result of `inputName`. @param scenes ids of the scenes of a video with several */
export function parseInputName(text: string, scenes: readonly string[] = []): InputId {
  const scene = scenes.find((id) => text.startsWith(`${id}.`));
  return scene === undefined ? parseInScene(text) : { ...parseInScene(text.slice(scene.length + 1)), scene };
}

function parseInScene(text: string): InputId {
  if (text === MAIN_OUTPUT) return { kind: 'output', name: '' };
  if (text === LOUDNESS) return { kind: 'loudness', name: '' };
  for (const kind of ['track', 'font', 'timeline', 'captions', 'output'] as const) {
    const prefix = PREFIXES[kind];
    if (text.startsWith(prefix) && text !== prefix) return { kind, name: text.slice(prefix.length) };
  }
  const isPrefixed = text.startsWith(EDITABLE) && AMBIGUOUS_KEY.test(text);
  return { kind: 'editable', name: isPrefixed ? text.slice(EDITABLE.length) : text };
}

/** Returns the keys of the editables among named inputs. */
export function editableKeys(names: readonly string[]): string[] {
  return names.map((name) => parseInputName(name)).flatMap(({ kind, name }) => (kind === 'editable' ? [name] : []));
}
