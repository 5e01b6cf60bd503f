import { EDITABLE_KINDS, isCaptionsKey } from '../../contract/fields/editable-kinds.ts';
import type { FoundEditable } from './editable-targets.ts';

/** Kinds whose keys consist of a letter and a number. */
type NumberedKind = Exclude<FoundEditable['kind'], 'image' | 'audio'>;

export function isNumbered(kind: FoundEditable['kind']): kind is NumberedKind {
  return EDITABLE_KINDS[kind].keyLetter !== null;
}

/** Generates unique keys for editables. */
export class KeyGenerator {
  readonly #used: Set<string>;

  /** @param used keys that the animation already has */
  constructor(used: Iterable<string>) {
    this.#used = new Set(used);
  }

  /** Returns the next unused key of a kind, such as `t_01` or `c_01`. */
  numbered(kind: NumberedKind): string {
    for (let number = 1; ; number++) {
      const key = `${EDITABLE_KINDS[kind].keyLetter}_${String(number).padStart(2, '0')}`;
      if (this.#reserve(key)) return key;
    }
  }

  /** Returns the key of an image or a sound from its file name. */
  ofFile(fileName: string): string {
    const safe = safeName(fileName);
    const [, stem = safe, ending = ''] = /^(.*?)(\.[^.]+)?$/.exec(safe) ?? [];
    for (let number = 1; ; number++) {
      const key = `(Footage)/USER/${stem}${number === 1 ? '' : `-${number}`}${ending}`;
      if (this.#reserve(key)) return key;
    }
  }

  #reserve(key: string): boolean {
    if (this.#used.has(key)) return false;
    this.#used.add(key);
    return true;
  }
}

/** Returns a name that is valid on all file systems. */
export function safeName(name: string): string {
  const safe = name
    .normalize('NFKD')
    .replaceAll(/[^\w.-]+/g, '-')
    .replaceAll(/^[-.]+|[-.]+$/g, '');
  return safe === '' ? 'image' : safe.slice(0, 80);
}

const MAX_LABEL_CHARACTERS = 60;

/** Returns a label for a layer's name, shortened with `…`. @param fallback used if the name is empty */
export function labelOf(name: string, fallback: string): string {
  const text = name.replaceAll(/\s+/g, ' ').trim();
  const characters = [...(text === '' ? fallback : text)];
  if (characters.length <= MAX_LABEL_CHARACTERS) return characters.join('');
  return `${characters
    .slice(0, MAX_LABEL_CHARACTERS - 1)
    .join('')
    .trimEnd()}…`;
}

/** Returns whether a key has the required form for its kind. */
export function hasForm(key: string, kind: FoundEditable['kind']): boolean {
  if (!isNumbered(kind)) return /^\(Footage\)\/USER\/[^/]+$/.test(key);
  if (kind === 'text' && isCaptionsKey(key)) return true;
  return key.startsWith(`${EDITABLE_KINDS[kind].keyLetter}_`) && /^._\d{2,}$/.test(key);
}
