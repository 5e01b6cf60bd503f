import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PlanDocument } from '../../src/reconciler/plan/plan-document.ts';
import { planHtml } from '../../src/report/html/plan-html.ts';
import { planMarkdown } from '../../src/report/markdown/plan-markdown.ts';
import { color, desired, lockOf, place, plan, text } from '../reconciler/plan/videos.ts';
import { runs } from '../support/full-run.ts';
import { documentOf } from './example-plans.ts';
import { HOSTILE_TEXTS } from './hostile-texts.ts';
import { examplePreview } from './html/preview.ts';
import { elementsOf, renderMarkdown } from './well-formed.ts';

/** Returns a plan that contains the same words everywhere. */
function planOf(hostileText: string): PlanDocument {
  const words = hostileText.toWellFormed();
  const short = words.slice(0, 150).toWellFormed();
  const was = desired('x', {
    title: 'a',
    template: 'launch',
    resources: { t_01: text('b'), t_02: text(`${short} was`), c_01: color('000000') },
  });
  const is = desired('x', {
    title: `t${words}`,
    labels: { [`l${words}`]: words },
    deliver: [place(`s3://videos/${words}`)],
    resources: { t_01: text(words), t_02: text(`${short} is`), c_01: color('FFFFFF') },
  });
  const gone = { ...desired('gone'), id: `g${words}` as (typeof is)['id'], title: `t${words}` };
  const document = documentOf(plan([is], lockOf(was, gone)), () => `n${words}`);
  const problem = {
    code: words,
    severity: 'error',
    message: words,
    hint: words,
    file: words,
    line: 1,
    column: 1,
    end_line: 1,
    end_column: 2,
  };
  return { ...document, diagnostics: [problem] };
}

/** Returns the words of a page as a reader sees them. */
const wordsOf = (html: string): string =>
  html
    .replaceAll(/<!-- -->/g, '')
    .replaceAll(/<[^>]*>/g, '\n')
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');

/** Omits `del` and `ins`, which depend on common parts of the words. */
const shape = (html: string): string[] => elementsOf(html).filter((name) => !/^\/?(?:del|ins)$/.test(name));

function expectInert(words: string): void {
  const markdown = planMarkdown(planOf(words), { budget: 900_000 });
  const html = renderMarkdown(markdown);
  expect(shape(html)).toEqual(PLAIN);
  const outside = html.replaceAll(/<code>.*?<\/code>/gs, '<code></code>');
  const shown = wordsOf(outside);
  // Patterns that a forge replaces in the rendered text.
  expect(shown).not.toMatch(/@[\w-]|#\d|\bG[HL]-\d|\b[0-9a-f]{7,40}\b|:\/\/|www\.|:[\w+-]+:/i);
  expect(markdown).not.toMatch(/^\s*::|##\[/m);
  expect(html).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
  // Inside code a forge replaces only links.
  expect(html).not.toMatch(/:\/\/|\bwww\.|@[\w-]/i);
}

const PLAIN = shape(renderMarkdown(planMarkdown(planOf('words'))));

describe('planMarkdown() of hostile texts', () => {
  it('has a corpus of at least 60 texts', () => expect(HOSTILE_TEXTS.length).toBeGreaterThanOrEqual(60));

  it('uses only the listed elements', () => {
    const elements = [
      'h3',
      'p',
      'table',
      'thead',
      'tbody',
      'tr',
      'th',
      'td',
      'code',
      'br',
      'sub',
      'details',
      'summary',
      'em',
    ];
    expect([...new Set(PLAIN.map((name) => name.replace('/', '')))].sort()).toEqual(elements.sort());
  });

  it.each(HOSTILE_TEXTS.map((words) => [words]))('renders %j as plain words', (words) => {
    expectInert(words);
  });

  it('renders any text as plain words', () => {
    const pieces = fc.array(fc.constantFrom(...HOSTILE_TEXTS.filter((text) => text.length < 40)), { maxLength: 4 });
    const any = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 30 }),
      pieces.map((all) => all.join('')),
    );
    fc.assert(fc.property(any, expectInert), { numRuns: runs(15) });
  });
});

describe('planHtml() of hostile texts', () => {
  it('has the same elements and attributes for any text', () => {
    const skeleton = (html: string): string[] =>
      [...html.replaceAll(/="[^"]*"/g, '=').matchAll(/<(\/?[a-z][a-z0-9]*)([^>]*)>/gi)]
        .filter((match) => !/^\/?(?:del|ins)$/.test(match[1]!))
        .map((match) => `${match[1]} ${[...match[2]!.matchAll(/\s([a-z-]+)=/g)].map((name) => name[1]).join(' ')}`);
    const page = (words: string): string => {
      const { videos, ...preview } = examplePreview();
      const [still] = videos.get('berlin')!.stills;
      const looked = { stills: [{ ...still!, editables: [words] }], isVisible: true, unseen: [] };
      const leftOut = [{ id: `g${words.toWellFormed()}`, reason: 'budget' as const }];
      return planHtml(planOf(words), { preview: { ...preview, leftOut, videos: new Map([['x', looked]]) } });
    };
    const plain = skeleton(page('words'));
    for (const words of HOSTILE_TEXTS) expect(skeleton(page(words)), JSON.stringify(words)).toEqual(plain);
  });
});
