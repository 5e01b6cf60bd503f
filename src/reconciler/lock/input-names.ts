/** An input of a video: the value of an editable, a track, a replaced font, or an output; `''` names the main output. */
export interface InputId {
  readonly kind: 'editable' | 'track' | 'font' | 'output';
  readonly name: string;
}

/** Prefixes of the inputs that are no editables. */
const PREFIXES = { track: 'audio.', font: 'fonts.', output: 'outputs.' } as const;
const MAIN_OUTPUT = 'output';
/** Prefix of an editable whose key is the name of an input of another kind. */
const EDITABLE = 'editables.';
const AMBIGUOUS_KEY = /^(?:editables\.)*(?:(?:audio|fonts|outputs)\.|output$)/;

/**
 * Returns the name of an input in lock entries and plans: the key of an editable, `audio.<track>`, `fonts.<font>`, `output`
 * or `outputs.<name>`. Different inputs have different names.
 */
export function inputName({ kind, name }: InputId): string {
  if (kind === 'editable') return AMBIGUOUS_KEY.test(name) ? `${EDITABLE}${name}` : name;
  return kind === 'output' && name === '' ? MAIN_OUTPUT : `${PREFIXES[kind]}${name}`;
}

/** Parses the result of `inputName`. */
export function parseInputName(text: string): InputId {
  if (text === MAIN_OUTPUT) return { kind: 'output', name: '' };
  for (const kind of ['track', 'font', 'output'] as const) {
    const prefix = PREFIXES[kind];
    if (text.startsWith(prefix) && text !== prefix) return { kind, name: text.slice(prefix.length) };
  }
  const isPrefixed = text.startsWith(EDITABLE) && AMBIGUOUS_KEY.test(text);
  return { kind: 'editable', name: isPrefixed ? text.slice(EDITABLE.length) : text };
}

/** Returns the keys of the editables among named inputs. */
export function editableKeys(names: readonly string[]): string[] {
  return names.map(parseInputName).flatMap(({ kind, name }) => (kind === 'editable' ? [name] : []));
}
