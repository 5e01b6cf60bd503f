import { describe, expect, it } from 'vitest';
import { readUnits, writeUnits } from '../../../src/reconciler/catalogues/catalogue-formats.ts';

const HEADER = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n';
const entry = (context: string, source: string, target: string): string =>
  `\nmsgctxt "${context}"\nmsgid "${source}"\nmsgstr "${target}"\n`;
const xliff = (units: string): string =>
  `<xliff version="2.0" xmlns="urn:oasis:names:tc:xliff:document:2.0" srcLang="en" trgLang="de"><file id="f">\n${units}</file></xliff>\n`;
const unit = (id: number, name: string, target: string): string =>
  `<unit id="${id}" name="${name}"><segment><source>Rome</source><target>${target}</target></segment></unit>\n`;
const conflict = (ours: string, theirs: string): string => `<<<<<<< HEAD\n${ours}=======\n${theirs}>>>>>>> branch\n`;

/** Returns the problems of a catalogue with the text that each is located at. */
function problemsOf(file: string, text: string): string[] {
  const read = readUnits(file, text);
  if (read.ok) return [];
  return read.diagnostics.map(({ code, message, hint, at }) => {
    expect(hint).toBeTruthy();
    return `${code} ${message} @ ${text.slice(at!.start, at!.end)}`;
  });
}

describe('readUnits()', () => {
  it.each(['a.po', 'a.csv', 'a.xlf'])(
    'rejects %s without content, which would wait for translations in silence',
    (file) => {
      for (const text of ['', ' \r\n\n'])
        expect(problemsOf(file, text)).toEqual([`catalogue_invalid ${file} is empty @ `]);
    },
  );

  it.each([
    [
      'a.po',
      HEADER +
        conflict(entry('a#t', 'Rome', 'Rom'), entry('a#t', 'Rome', 'Roma')) +
        entry('b#t', 'x', 'y') +
        conflict('', '#\n'),
    ],
    ['a.csv', `context,source,target\n${conflict('a,Rome,Rom\n', 'a,Rome,Roma\n')}${conflict('', 'b,x,y\n')}`],
    ['a.xlf', xliff(conflict(unit(1, 'a', 'Rom'), unit(1, 'a', 'Roma')) + conflict(unit(2, 'b', 'y'), ''))],
  ])('reports each conflict of a merge in %s', (file, text) => {
    const problem = `catalogue_invalid ${file} has a conflict of a merge @ <<<<<<< HEAD`;
    expect(problemsOf(file, text)).toEqual([problem, problem]);
    expect(problemsOf(file, text.replaceAll('\n', '\r\n'))).toEqual([problem, problem]);
  });

  it.each([
    ['a.po', HEADER + ['Rom', 'Roma', 'R'].map((target) => entry('a#t', 'Rome', target)).join(''), 'msgctxt "a#t"'],
    ['a.csv', 'context,source,target\na#t,Rome,Rom\na#t,Rome,Roma\na#t,Rome,R\n', 'Roma'],
    [
      'a.xlf',
      xliff(unit(1, 'a#t', 'Rom') + unit(2, 'a#t', 'Roma') + unit(3, 'a#t', 'R')),
      unit(2, 'a#t', 'Roma').trimEnd(),
    ],
  ])('reports each further translation of a text in %s', (file, text, second) => {
    const problems = problemsOf(file, text);
    expect(problems).toHaveLength(2);
    expect(problems[0]).toBe(`catalogue_invalid ${file} has the text "a#t" twice @ ${second}`);
  });

  it('takes a translation of a former source, and one that is no longer used, for others', () => {
    expect(problemsOf('a.po', HEADER + entry('a#t', 'Rome', 'Rom') + entry('a#t', 'Roma', 'Rom'))).toEqual([]);
    expect(problemsOf('a.csv', 'context,source,target,state\na,Rome,Rom,\na,Rome,Roma,obsolete\n')).toEqual([]);
  });
});

describe('writeUnits()', () => {
  it.each([
    ['a.po', HEADER + entry('a#t', 'Rome', 'Rom')],
    ['a.csv', 'context,source,target,state,label,max_length,lines,location,still,previous\na#t,Rome,Rom,,,,,,,\n'],
    ['a.xlf', xliff(unit(1, 'a#t', 'Rom'))],
  ])('keeps the line breaks of %s', (file, text) => {
    const former = text.replaceAll('\n', '\r\n');
    const read = readUnits(file, former);
    if (!read.ok) throw new Error(JSON.stringify(read.diagnostics));
    const written = writeUnits(file, read.value, { source: 'en', target: 'de' }, former);
    expect(written.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    expect(readUnits(file, written)).toMatchObject({ ok: true, value: [{ context: 'a#t', target: 'Rom' }] });
    expect(writeUnits(file, read.value, { source: 'en', target: 'de' }, written)).toBe(written);
  });

  it('gives a PO file without a header one', () => {
    const former = entry('a#t', 'Rome', 'Rom').trimStart();
    const read = readUnits('a.po', former);
    if (!read.ok) throw new Error(JSON.stringify(read.diagnostics));
    const written = writeUnits('a.po', read.value, { source: 'en', target: 'de' }, former);
    expect(written).toContain('Language: de');
    expect(written).toContain('msgstr "Rom"');
  });
});
