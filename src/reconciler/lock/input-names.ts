/** An input of a video: the value of an editable, a track, a replaced font, or an output; `''` names the main output. */
export interface InputId {
  readonly kind: 'editable' | 'track' | 'font' | 'output';
  readonly name: string;
}

/** Prefixes of the inputs that are no editables. */
const PREFIXES = { track: 'audio.', font: 'fonts.', output: 'outputs.' } as const;
const MAIN_OUTPUT = 'output';

/** Returns the name of an input in lock entries and plans. */
export function inputName({ kind, name }: InputId): string {
  if (kind === 'editable') return name;
  return kind === 'output' && name === '' ? MAIN_OUTPUT : `${PREFIXES[kind]}${name}`;
}

/** Parses the name of an input. */
export function parseInputName(text: string): InputId {
  if (text === MAIN_OUTPUT) return { kind: 'output', name: '' };
  for (const kind of ['track', 'font', 'output'] as const) {
    const prefix = PREFIXES[kind];
    if (text.startsWith(prefix) && text !== prefix) return { kind, name: text.slice(prefix.length) };
  }
  return { kind: 'editable', name: text };
}
