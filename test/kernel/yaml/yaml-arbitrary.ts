import fc from 'fast-check';
import { stringify } from 'yaml';

const scalar = fc.constantFrom(
  ...['a', '000000', '1.10', 'no', '~', '', "''", '"#EEADA7"', "'#eeada7'", '"a\\nb"', '12:30', '- x', '[a, b]'],
  ...[
    '{a: 1, b: [c]}',
    '|\n    literal\n      more\n',
    '>-\n    folded\n    more\n\n    x\n',
    'plain\n    more',
    '"in\n    quotes"',
  ],
  ...['a # comment', '&x a', '*x', '{}', '[]', '!!str a', '__reelform_lines_0__', '>+\n    kept\n\n', '"#fff"', 'ä€😀'],
);
const key = fc.constantFrom('title', 'b', 'c', '"quoted key"', "'d'", '(Footage)/USER/a.jpg', '1', 'true', '? e\n');
const comment = fc.constantFrom('', '', '', '# one\n', '\n', '\n\n# two\n# three\n\n', '# four\n\n');

/** Texts as written by people and tools, some of them invalid. */
const written = fc
  .array(fc.tuple(comment, key, scalar, fc.nat(4)), { maxLength: 6 })
  .map((members) =>
    members
      .map(([above, name, value, depth]) =>
        depth === 0
          ? `${above}${name}:\n  ${value.replaceAll('\n', '\n  ')}\n`
          : depth === 1
            ? `${above}${name}:\n   nested: ${value}\n   other:\n   - ${value}\n`
            : depth === 4
              ? `${above}${name.startsWith('?') ? '' : '? '}${name}\n`
              : `${above}${name}: ${value}\n`,
      )
      .join(''),
  );

/** Scenes as people write them: in blocks, in one line, or as a map of overrides. */
const sceneKey = fc.constantFrom('id', 'template', 'duration', 'resources', 'other', '"id"');
const sceneValue = fc.constantFrom('a', '{b: 1, id: c}', '4.5', '"#eeada7"', '|\n      text\n', '>-\n      in\n      lines', '[x, {template: b, id: c}]', 'a # five', '&x a', '*x'); // biome-ignore format: one line
const members = fc.uniqueArray(fc.tuple(comment, sceneKey, sceneValue), { maxLength: 5, selector: ([, name]) => name });
const scene = fc.tuple(members, fc.constantFrom('-', 'first:', '-\n   '), comment).map(([written, start, above]) => {
  const lines = written.map(([over, name, value]) => `${over}${name}: ${value}`.replaceAll(/^(?=.)/gm, '    '));
  const body = `${lines.join('\n')}\n`;
  const inOneLine = start === '-' && !body.includes('\n\n') && !body.trimStart().startsWith('#');
  return `${above.replaceAll(/^(?=.)/gm, '  ')}  ${start}${inOneLine ? ` ${body.replace(/^ +/, '  ')}` : `\n${body}`}`;
});
const scenes = fc.tuple(comment, fc.array(scene, { maxLength: 4 }), fc.boolean()).map(([above, list, isLast]) => {
  const text = `${above}scenes:\n${list.join('')}`;
  return isLast ? `b: 1\n${text}` : `${text}title: a\n`;
});

/** Any value, as written by `yaml`. */
const value = fc.jsonValue({ maxDepth: 3 }).map((json) => stringify({ title: json }));

export const yamlText = fc.oneof(written, value, scenes);
