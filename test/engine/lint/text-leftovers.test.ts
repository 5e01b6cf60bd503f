import { describe, expect, it } from 'vitest';
import { leftoversIn } from '../../../src/engine/lint/text-leftovers.ts';

const mojibake = (text: string): string => Buffer.from(text).toString('latin1');

describe('leftoversIn()', () => {
  it.each([
    ['Two\\nlines', 'escape', '\\n'],
    ['Caf\\u00e9', 'escape', '\\u00e9'],
    ['Hello {{ name }}', 'placeholder', '{{ name }}'],
    ['Hello ${name}', 'placeholder', '${name}'],
    ['Hello {first_name}', 'placeholder', '{first_name}'],
    ['Hello <%= name %>', 'placeholder', '<%= name %>'],
    ['Hello [[name]]', 'placeholder', '[[name]]'],
    ['Hello %NAME%', 'placeholder', '%NAME%'],
    ['Hello %s', 'placeholder', '%s'],
    ['Page %1$d', 'placeholder', '%1$d'],
    ['Bed &amp; breakfast', 'entity', '&amp;'],
    ['M&uuml;nchen', 'entity', '&uuml;'],
    ['It&#39;s', 'entity', '&#39;'],
    ['It&#x27;s', 'entity', '&#x27;'],
    ['Two<br>lines', 'markup', '<br>'],
    ['Two<BR />lines', 'markup', '<BR />'],
    ['A <strong>bold</strong> word', 'markup', '<strong>'],
    ['A <span style="color:red">red</span> word', 'markup', '<span style="color:red">'],
    ['A **bold** word', 'markup', '**bold**'],
    ['undefined', 'value', 'undefined'],
    ['From undefined on', 'value', 'undefined'],
    ['NaN €', 'value', 'NaN'],
    ['null', 'value', 'null'],
    ['None', 'value', 'None'],
    ['[object Object]', 'value', '[object Object]'],
    ['#N/A', 'value', '#N/A'],
    ['#DIV/0! km', 'value', '#DIV/0!'],
    ['Z\uFFFDrich', 'encoding', '\uFFFD'],
    [mojibake('Zürich'), 'encoding', 'Ã¼'],
    ['Ã–sterreich', 'encoding', 'Ã–'],
    [mojibake('© 2026'), 'encoding', 'Â©'],
    ['Itâ€™s', 'encoding', 'â€'],
  ])('finds in %j: %s %j', (text, kind, leftover) => {
    expect(leftoversIn(text)).toEqual([{ kind, leftover }]);
  });

  it.each([
    'I <3 you',
    '1 < 2 > 0',
    'a <b',
    'R&D; sales',
    'Bed & breakfast',
    'C:\\new\\table',
    '50 %',
    '50 %s',
    '100% sure, 20%d',
    'null and void',
    'None of the above',
    'Nan Goldin',
    'Nanna',
    'Undefined',
    '{ }',
    '{1, 2, 3}',
    'f**k this s**t',
    '2 ** 3 ** 4',
    'AMANHÃ – SÃO PAULO',
    'AMANHÃ…',
    'São João',
    'Ãgua',
    'Âge',
    '$5 {or more}',
    '#1 of 10',
    'NANCY',
    '…',
    'Line\rbreak',
    '한국어 日本語 العربية',
  ])('finds nothing in %j', (text) => {
    expect(leftoversIn(text)).toEqual([]);
  });

  it('finds a leftover of each kind and shortens long leftovers', () => {
    expect(leftoversIn(`<b>{{a}}</b> {{b}} <span title="${'x'.repeat(100)}">`)).toEqual([
      { kind: 'placeholder', leftover: '{{a}}' },
      { kind: 'markup', leftover: '<b>' },
    ]);
    expect(leftoversIn(`{{${'x'.repeat(100)}}}`)[0]!.leftover).toHaveLength(40);
  });
});
