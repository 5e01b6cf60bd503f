import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fg from 'fast-glob';
import { parse } from 'yaml';
import type { EditableKind } from '../../src/contract/fields/editable-kinds.ts';
import { type SeededRandom, seededRandom } from '../../test/support/seeded-random.ts';
import type { TreeRow } from './tree-tasks.ts';

/** First and last letters of the scripts that the fonts of the templates have, and of one that none has. */
const SCRIPTS = [
  ['a', 'z'],
  ['A', 'Z'],
  ['0', '9'],
  ['α', 'ω'],
  ['а', 'я'],
  ['א', 'ת'],
  ['ا', 'غ'],
  ['क', 'ह'],
  ['ก', 'ฮ'],
  ['ぁ', 'ん'],
  ['一', '三'],
  ['가', '깋'],
  ['ⴰ', 'ⵯ'],
] as const;

/** Manifests of the templates of a checkout. */
export const TEMPLATES = '{templates,starter/templates,gallery}/**/template.yaml';

interface Template {
  readonly folder: string;
  readonly editables: Readonly<Record<string, { readonly kind: EditableKind; readonly max_length?: number }>>;
}

/** Makes rows of the templates of a repository in turn. A row depends on the seed and its number alone. */
export class RandomRows {
  readonly #templates: readonly Template[];
  readonly #images: readonly string[];
  readonly #seed: number;

  constructor(tree: string, seed: number) {
    const find = (pattern: string): string[] => fg.sync(pattern, { cwd: tree }).sort();
    this.#templates = find(TEMPLATES).map((path) => {
      const { editables } = parse(readFileSync(join(tree, path), 'utf8')) as Template;
      return { folder: join(tree, dirname(path)), editables };
    });
    this.#images = find('{videos,gallery,templates}/**/images/*.{jpg,png}').map((path) => join(tree, path));
    this.#seed = seed;
  }

  at(index: number): TreeRow {
    // Neighbouring seeds give unrelated rows.
    const random = seededRandom(Math.imul(this.#seed, 0x9e3779b1) + index);
    const { folder, editables } = this.#templates[index % this.#templates.length]!;
    const row = { template: folder, texts: {} as Record<string, string>, files: {} as Record<string, string> };
    for (const [key, { kind, max_length = 60 }] of Object.entries(editables)) {
      if (random.below(4) === 0) continue;
      if (kind === 'text') row.texts[key] = randomText(random, random.below(Math.ceil(max_length * 1.5)));
      if (kind === 'color') row.texts[key] = `#${random.below(0x1000000).toString(16).padStart(6, '0')}`;
      if (kind === 'image') row.files[key] = random.pick(this.#images);
    }
    return row;
  }
}

/** @param length characters, with spaces and at times a new line */
function randomText(random: SeededRandom, length: number): string {
  const script = random.pick(SCRIPTS);
  let text = '';
  while (text.length < length) {
    const [first, last] = random.below(6) === 0 ? random.pick(SCRIPTS) : script;
    const from = first.charCodeAt(0);
    for (let letters = 1 + random.below(9); letters > 0; letters--)
      text += String.fromCharCode(from + random.below(last.charCodeAt(0) - from + 1));
    text += random.below(12) === 0 ? '\n' : ' ';
  }
  return text.slice(0, length).trim();
}
