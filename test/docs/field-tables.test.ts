import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EDITABLE_KIND_NAMES, type EditableKind, kindFacts } from '../../src/contract/fields/editable-kinds.ts';
import type { Field } from '../../src/contract/fields/field.ts';
import { TRANSFORM_FIELDS } from '../../src/contract/fields/transform-fields.ts';
import { checkMapping } from '../../src/template/bind/check-mapping.ts';

/** Returns the rows of the table under a heading, each with the words in backticks of its second cell. */
function rowsUnder(file: string, heading: string): { name: string; cell: string; words: string[] }[] {
  const text = readFileSync(join(import.meta.dirname, '../../docs', file), 'utf8');
  const start = text.indexOf(heading);
  const rows = /(?:^\|.*\n)+/m.exec(text.slice(start))![0].trim().split('\n').slice(2);
  return rows.map((row) => {
    const [, name, cell] = /^\| `([^`]+)` \| (.*) \|$/.exec(row)!;
    return { name: name!, cell: cell!, words: [...cell!.matchAll(/`([^`]+)`/g)].map(([, word]) => word!) };
  });
}

describe('docs/guides/media.md', () => {
  const rows = rowsUnder('guides/media.md', '| `crop_strategy` |');
  const { crop_strategy: strategy, ...fields } = TRANSFORM_FIELDS.image;

  it('describes each crop_strategy', () => {
    expect(rows.map(({ name }) => name)).toEqual(strategy.values);
  });

  it('names the fields that each crop_strategy has', () => {
    for (const { name, words } of rows) {
      const dependent = Object.entries<Field>(fields).filter(([, { onlyWith }]) => onlyWith?.value === name);
      expect(words, name).toEqual(dependent.map(([field]) => field));
    }
  });
});

describe('docs/reference/http-api.md', () => {
  const rows = rowsUnder('reference/http-api.md', '| `input_type` |');

  it('has an entry for each kind of editables', () => {
    expect(rows.map(({ name }) => name)).toEqual(EDITABLE_KIND_NAMES);
  });

  it('shows entries that the service accepts', () => {
    const isEntry = (word = ''): boolean => word.startsWith('{');
    for (const { name, cell, words } of rows) {
      if (!isEntry(words[0])) {
        expect([
          ['video', expect.stringMatching(/^The same/)],
          ['captions', expect.stringMatching(/^No value/)],
        ]).toContainEqual([name, cell]);
        continue;
      }
      const entry = JSON.parse(words[0]!.replace('https://…', 'https://example.com/file'));
      const editables = { key: { input_type: name as EditableKind, stillcut: 'first' } };
      const spec = { id: 'tsv', editables, fonts: ['Inter-Bold'] };
      expect(checkMapping({ resources: { key: entry } }, spec), name).toEqual([]);
      const { slot, source } = kindFacts(name as EditableKind);
      expect(Object.keys(entry.source), name).toEqual([source]);
      if (slot !== undefined) expect(entry.source.text).toBe(slot.example);
    }
  });
});
