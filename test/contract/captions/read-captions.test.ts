import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Cue } from '../../../src/contract/captions/cue.ts';
import { editCaptions } from '../../../src/contract/captions/edit-captions.ts';
import { readCaptions } from '../../../src/contract/captions/read-captions.ts';
import { writeCaptions } from '../../../src/contract/captions/write-captions.ts';
import type { Diagnostic } from '../../../src/kernel/diagnostic.ts';

const FOLDER = join(import.meta.dirname, 'files');
const names = readdirSync(FOLDER).filter((name) => /^\d\d-/.test(name));
/** Files that are not UTF-8 are refused before they are read as captions. */
const texts = names.flatMap((name): [string, string][] => {
  try {
    return [
      [name, new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(join(FOLDER, name)))],
    ];
  } catch {
    return [];
  }
});

describe('readCaptions()', () => {
  it('has 44 files of 3 formats, and 5 in other encodings', () => {
    expect([texts.length, names.length]).toEqual([44, 49]);
  });

  it.each(texts)('reads or reports everything in %s', (name, text) => {
    const { cues, diagnostics } = readCaptions(name, text);
    const lines = [...cues.map(printed), ...diagnostics.map((found) => printedFinding(text, found))];
    expect(`\n${lines.join('\n')}\n`).toMatchSnapshot();
  });

  it.each(texts)('gives the ranges of times and texts in %s', (name, text) => {
    for (const { at, ...cue } of readCaptions(name, text).cues) {
      const [start, end] = [text.slice(...at.start), text.slice(...at.end)];
      expect(start).toMatch(/^-?[\d:.,]+$/);
      expect(end).toMatch(/^[\d:.,]+$/);
      const [word = ''] = /[A-Za-zÀ-я一-龯ぁ-ん]/.exec(cue.text) ?? [];
      expect(text.slice(...at.text)).toContain(word);
      expect(at.cue[0]).toBeLessThanOrEqual(at.start[0]);
      expect(at.cue[1]).toBeGreaterThanOrEqual(at.text[1]);
    }
  });

  it('reports what is left out, changed, shown at once, or no captions at all', () => {
    const codes = texts.flatMap(([name, text]) => readCaptions(name, text).diagnostics.map(({ code }) => code));
    expect([...new Set(codes)].sort()).toEqual(['captions_changed', 'captions_invalid', 'cue_dropped', 'cues_overlap']);
  });

  it('takes the format from the content of a file without an ending', () => {
    const read = (text: string) =>
      readCaptions('https://example.com/captions', text).cues.map(({ text: words }) => words);
    expect(read('WEBVTT\n\n00:01.000 --> 00:02.000\na &lt;b')).toEqual(['a <b']);
    expect(read('1\n00:00:01,000 --> 00:00:02,000\n{\\an8}b\n')).toEqual(['b']);
    expect(read('[Events]\nDialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,c')).toEqual(['c']);
  });
});

describe('writeCaptions()', () => {
  const good = texts.map(([name, text]): [string, readonly Cue[]] => [
    name,
    readCaptions(name, text).cues.map(withoutPlace),
  ]);

  it.each(good)('keeps every text and time of %s in WebVTT', (_, cues) => {
    if (cues.length === 0) return;
    const written = writeCaptions(cues, 'vtt');
    expect(readCaptions('a.vtt', written).cues.map(withoutPlace)).toEqual(cues);
  });

  it.each(good)('keeps every text and time of %s in SubRip', (_, cues) => {
    if (cues.length === 0) return;
    const read = (text: string) => readCaptions('a.srt', text).cues.map(withoutPlace);
    const plain = cues.map(({ words: _words, speaker: _speaker, ...cue }) => cue);
    expect(read(writeCaptions(plain, 'srt'))).toEqual(plain);
  });

  const word = fc.stringMatching(/^[a-zA-Z0-9&<>.,!'é漢ß-]{1,8}$/);
  const cue = fc
    .record({
      start: fc.integer({ min: 0, max: 400_000_000 }),
      gaps: fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 2, maxLength: 12 }),
      texts: fc.array(word, { minLength: 6, maxLength: 6 }),
      isTimed: fc.boolean(),
      place: fc.constantFrom(undefined, 'top' as const, 'middle' as const),
      speaker: fc.option(word, { nil: undefined }),
    })
    .map(({ start, gaps, texts: words, isTimed, place, speaker }): Cue => {
      const times = gaps.map((_, index) => gaps.slice(0, index).reduce((sum, gap) => sum + gap, start));
      const count = Math.floor(times.length / 2);
      const timed = words.slice(0, count).map((text, index) => {
        return { text, start: times[index * 2]! / 1000, end: times[index * 2 + 1]! / 1000 };
      });
      return {
        start: start / 1000,
        end: times.at(-1)! / 1000,
        text: timed.map(({ text }) => text).join(' '),
        ...(isTimed ? { words: timed } : {}),
        ...(place === undefined ? {} : { place }),
        ...(speaker === undefined ? {} : { speaker }),
      };
    });

  it('gives the same cues when WebVTT is read again', () => {
    fc.assert(
      fc.property(cue, (written) => {
        const { cues, diagnostics } = readCaptions('a.vtt', writeCaptions([written], 'vtt'));
        expect(diagnostics).toEqual([]);
        expect(cues.map(withoutPlace)).toEqual([written]);
      }),
      // The speaker and its bracket would be an arrow.
      { examples: [[{ start: 0, end: 1, text: '.', speaker: '--' }]] },
    );
  });
});

describe('editCaptions()', () => {
  const [, vtt] = texts.find(([name]) => name.startsWith('04'))!;

  it('changes a time and a text, and keeps every other byte', () => {
    const edited = editCaptions('a.vtt', vtt, [
      { kind: 'change', index: 1, end: 3.25 },
      { kind: 'change', index: 0, text: 'Hi & bye' },
    ]);
    const expected = vtt.replace('00:00:03.000', '00:00:03.250').replace('Hello', 'Hi &amp; bye');
    expect(edited).toBe(expected);
  });

  it.each(texts)('returns %s as it is without edits, and after an edit and its reverse', (name, text) => {
    expect(editCaptions(name, text, [])).toBe(text);
    const { cues } = readCaptions(name, text);
    for (const [index, { at, start, end }] of cues.entries()) {
      const later = editCaptions(name, text, [{ kind: 'change', index, start: start + 0.01, end: end + 0.01 }]);
      const changed = cues.find(({ at: found }) => found.cue[0] === at.cue[0])!;
      expect(later.length).toBeGreaterThan(0);
      expect(text.slice(0, changed.at.cue[0])).toBe(later.slice(0, changed.at.cue[0]));
      expect(later.endsWith(text.slice(at.cue[1]))).toBe(true);
    }
  });

  it('keeps the notation of the file', () => {
    const edit = (name: string, text: string) =>
      editCaptions(name, text, [{ kind: 'change', index: 0, start: 1.25, text: 'x\ny' }]);
    expect(edit('a.vtt', 'WEBVTT\r\n\r\n00:01.000 --> 00:02.000 line:0\r\n<v Ann>a\r\n')).toBe(
      'WEBVTT\r\n\r\n00:01.250 --> 00:02.000 line:0\r\n<v Ann>x\r\ny\r\n',
    );
    expect(edit('a.srt', '\ufeff7\n00:00:01,000 --> 00:00:02,000\n{\\an8}<i>a</i>\n')).toBe(
      '\ufeff7\n00:00:01,250 --> 00:00:02,000\n{\\an8}x\ny\n',
    );
    const ass = '[Events]\nDialogue: 0,0:00:01.00,0:00:02.00,Top,Ann,0,0,0,,{\\an8\\k50}a\n';
    expect(edit('a.ass', ass)).toBe('[Events]\nDialogue: 0,0:00:01.25,0:00:02.00,Top,Ann,0,0,0,,{\\an8}x\\Ny\n');
  });

  it('moves the times of words with their cue, and keeps them in a text of as many words', () => {
    const karaoke = 'WEBVTT\n\n00:01.000 --> 00:02.000\n<c>one</c> <00:01.500>two\n';
    const edit = (change: object) => editCaptions('a.vtt', karaoke, [{ kind: 'change', index: 0, ...change }]);
    expect(edit({ start: 3, end: 4 })).toBe('WEBVTT\n\n00:03.000 --> 00:04.000\n<c>one</c> <00:03.500>two\n');
    expect(edit({ text: 'uno dos' })).toBe('WEBVTT\n\n00:01.000 --> 00:02.000\nuno <00:00:01.500>dos\n');
    expect(edit({ text: 'one, two, three' })).toBe('WEBVTT\n\n00:01.000 --> 00:02.000\none, two, three\n');
  });

  it('adds and removes cues', () => {
    const srt = '1\n00:00:01,000 --> 00:00:02,000\na\n\n2\n00:00:03,000 --> 00:00:04,000\nb\n';
    const cue = { start: 2, end: 2.5, text: 'new' };
    expect(editCaptions('a.srt', srt, [{ kind: 'remove', index: 0 }])).toBe('2\n00:00:03,000 --> 00:00:04,000\nb\n');
    expect(editCaptions('a.srt', srt, [{ kind: 'add', after: 0, cue }])).toBe(
      srt.replace('a\n', 'a\n\n2\n00:00:02,000 --> 00:00:02,500\nnew\n'),
    );
    const ass = '[Events]\nDialogue: 0,0:00:01.00,0:00:02.00,Top,Ann,0,0,0,,a\n';
    expect(editCaptions('a.ass', ass, [{ kind: 'add', after: 0, cue }])).toBe(
      `${ass}Dialogue: 0,0:00:02.00,0:00:02.50,Top,Ann,0,0,0,,new\n`,
    );
    expect(() => editCaptions('a.srt', srt, [{ kind: 'remove', index: 2 }])).toThrow(RangeError);
  });
});

function withoutPlace({ at: _, ...cue }: Cue & { readonly at?: unknown }): Cue {
  return cue;
}

function printed({ start, end, text, words, speaker, place }: Cue): string {
  const details = [speaker, place, words?.map((word) => `${word.text} ${word.start}-${word.end}`).join(', ')];
  return [`${start}-${end} ${JSON.stringify(text)}`, ...details.filter((detail) => detail !== undefined)].join(' | ');
}

function printedFinding(text: string, { code, message, at }: Diagnostic): string {
  const line = text.slice(0, at?.start).split(/\r\n|\n|\r/).length;
  return `line ${line}: ${code}: ${message}`;
}
