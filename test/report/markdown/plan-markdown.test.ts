import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { escapeMarkdown, markdownCode } from '../../../src/report/markdown/markdown-text.ts';
import { planMarkdown, STAGES, stagedMarkdown } from '../../../src/report/markdown/plan-markdown.ts';
import { anyWorld, desired, emptyLock, lockOf, plan, text } from '../../reconciler/plan/videos.ts';
import { runs } from '../../support/full-run.ts';
import { documentOf, everyAction, largePlan } from '../example-plans.ts';
import { brokenMarkdown } from '../well-formed.ts';

const nasty = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(
      fc.constantFrom(
        ...'<>&"\'`*_~[]()#|\\@!:$-+./ \n\u001b\u200b',
        '</code>',
        '</summary>',
        '<img src=x onerror=alert(1)>',
        '@octocat',
        '#12',
        'GH-7',
        'octo/cat#3',
        'https://example.com',
        'www.example.com',
        'a@example.com',
        ':tada:',
        '[x](javascript:alert(1))',
        '&lt;',
        '```',
        '|',
      ),
    )
    .map((pieces) => pieces.join('')),
);

describe('escapeMarkdown()', () => {
  test.each([
    ['plain words, 10 % (more) - really!', 'plain words, 10 % (more) - really!'],
    ['**bold** _it_ ~~no~~', '&#42;&#42;bold&#42;&#42; &#95;it&#95; &#126;&#126;&#8203;no&#126;&#126;'],
    ['<b>&amp;', '&#60;b&#62;&#38;amp;'],
    ['[a](b)', '&#91;a&#93;(b)'],
    ['a | b', 'a &#124; b'],
    ['`code`', '&#96;code&#96;'],
    ['@octocat', '&#64;&#8203;octocat'],
    ['#12 !34 $5 ~bug %v1', '&#35;&#8203;12 !&#8203;34 &#36;&#8203;5 &#126;&#8203;bug %&#8203;v1'],
    ['GH-12', 'GH-&#8203;12'],
    ['at 5f2c1aa9', 'at 5f2c1a&#8203;a9'],
    ['https://example.com', 'https&#58;&#8203;//example.com'],
    ['www.example.com', 'www&#8203;&#46;example.com'],
    [':tada:', '&#58;&#8203;tada&#58;'],
    ['$x$', '&#36;x&#36;'],
    ['a\nb', 'a⏎b'],
    ['\u001b[2J', '&#92;u001b&#91;2J'],
  ])('escapes %j', (words, escaped) => {
    expect(escapeMarkdown(words)).toBe(escaped);
  });

  test('leaves no markup, mention or link', () => {
    fc.assert(
      fc.property(nasty, (words) => {
        const code = markdownCode(words).slice('<code>'.length, -'</code>'.length).replaceAll('<!-- -->', '');
        for (const escaped of [escapeMarkdown(words), code]) {
          expect(escaped.replaceAll(/&#\d+;/g, '')).not.toMatch(/[&#<>`*_~[\]|\\@:$\n\r\u001b]|www\./i);
        }
      }),
      { numRuns: runs(500) },
    );
  });
});

describe('planMarkdown()', () => {
  test('reports a plan without changes', () => {
    const berlin = desired('berlin');
    expect(planMarkdown(documentOf(plan([berlin], lockOf(berlin))))).toBe(
      '### Reelform plan: no changes\n\nNo changes. 1 video is up to date.\n',
    );
    expect(planMarkdown(documentOf(plan([], emptyLock)))).toContain('There are no videos');
  });

  test('shows every action', () => {
    expect(planMarkdown(documentOf(everyAction()))).toMatchInlineSnapshot(`
      "### Reelform plan: 1 to create, 1 to update, 1 to move, 1 to adopt, 1 to relabel, 1 to forget, 2 unchanged

      2 renders, 24 s of video.

      | | Video | Why |
      |:--|:--|:--|
      | <code>+</code>&nbsp;create | <code>paris</code><br>Summer Collection — Paris | new |
      | <code>&#126;</code>&nbsp;update | <code>berlin</code><br>Summer Collection — Berlin | values changed: title, Headline, Body, Accent colour, Hero image |
      | <code>→</code>&nbsp;move | <code>stores/hamburg</code><br>Hamburg | was shops/hamburg, not rendered again |
      | <code>=</code>&nbsp;adopt | <code>bergen</code><br>Oslo, in Bergen | new; the same as oslo |
      | <code>≈</code>&nbsp;relabel | <code>rome</code><br>Rome | not rendered again; changed: title, label tier |
      | <code>-</code>&nbsp;forget | <code>lisbon</code><br>The video lisbon | its definition was removed; the video is not deleted |

      <details><summary>1 video to restore, 12 s of video: this clone lacks the files, because renders/ is normally not in git. reelform apply renders them again; --ignore-missing-outputs skips them.</summary>

      - its video is missing: <code>vienna</code>

      </details>

      <details><summary>What changes about 2 videos</summary>

      **<code>berlin</code>**

      | | Before | After |
      |:--|:--|:--|
      | title | Summer Sale — Berlin | Summer Collection — Berlin |
      | Headline | Summer Sale | Summer Collection |
      | Body | Everything we make for the <del>beach</del>, now for <del>a lot </del>less than you think&#58; until <del>Sunday</del>. | Everything we make for the <ins>sea</ins>, now for less than you think&#58; until <ins>Saturday</ins>. |
      | Accent colour | \`#EEADA7\` | \`#FF8800\` |
      | Hero image<br><code>images/hero.jpg</code> | <code>6c587db2</code> | <code>d636df21</code> |

      **<code>rome</code>**

      | | Before | After |
      |:--|:--|:--|
      | title | Roma | Rome |
      | label tier | _none_ | a |

      </details>
      "
    `);
  });

  test('folds a large plan', () => {
    const lines = planMarkdown(documentOf(largePlan(1200))).split('\n');
    expect(lines.slice(0, 8).join('\n')).toMatchInlineSnapshot(`
      "### Reelform plan: 70 to create, 1,260 to update

      1,330 renders, 4:26:00 h of video.

      | | Video | Why |
      |:--|:--|:--|
      | <code>+</code>&nbsp;create | 70 videos in <code>spring/</code><br><code>spring/0</code>, <code>spring/1</code>, <code>spring/10</code> and 67 more | new |
      | <code>&#126;</code>&nbsp;update | 1,200 videos<br><code>stores/0000</code>, <code>stores/0001</code>, <code>stores/0002</code> and 1,197 more | a value changed: Accent colour |"
    `);
    expect(lines).toContain('**<code>stores/0000</code> and 1,199 more**');
    const all = planMarkdown(documentOf(largePlan(60)), { verbose: true, budget: 900_000 });
    expect(all.match(/^\| <code>/gm)).toHaveLength(60 + 60 + 70);
  });

  test('lists problems first, with their locations, errors before warnings', () => {
    const document = documentOf(everyAction());
    const problem = (severity: string, line: number | null) => ({
      code: 'text_too_long',
      severity,
      message: 'A | title',
      hint: 'Shorten it',
      file: line && 'videos/a.yaml',
      line,
      column: line && 3,
      end_line: line,
      end_column: line && 9,
    });
    const shown = planMarkdown({ ...document, diagnostics: [problem('warning', null), problem('error', 7)] });
    expect(shown.split('\n').slice(4, 8).join('\n')).toMatchInlineSnapshot(`
      "| | Problem | Where |
      |:--|:--|:--|
      | ❌&nbsp;error | A &#124; title<br><sub>Shorten it</sub> | <code>videos/a.yaml&#58;7&#58;3</code><br><code>text&#95;too&#95;long</code> |
      | ⚠️&nbsp;warning | A &#124; title<br><sub>Shorten it</sub> | <code>text&#95;too&#95;long</code> |"
    `);
    expect(
      planMarkdown({ ...document, summary: {}, changes: [], complete: false, diagnostics: [problem('error', 7)] }),
    ).toMatch(/^### Reelform plan: 1 error\n\nCorrect these errors to plan\.\n\n\| /);
    const many = Array.from({ length: 70 }, () => problem('error', 7));
    expect(planMarkdown({ ...document, diagnostics: many })).toContain('And 20 more like these.');
  });

  test('marks changed words in long texts and omits unchanged ones to save space', () => {
    const words = (what: string): string => `${'Before. '.repeat(7)}${what}${' And after.'.repeat(7)}`;
    const was = desired('x', { resources: { t_01: text(words('old')) } });
    const is = desired('x', { resources: { t_01: text(words('new')) } });
    const document = documentOf(plan([is], lockOf(was)));
    const whole = planMarkdown(document);
    expect(whole).toContain(`<ins>new</ins>${' And after.'.repeat(7)} |`);
    const short = stagedMarkdown(document, { budget: whole.length - 1 });
    expect(short).toMatchObject({ stage: 'shortened' });
    expect(short.text).toContain('| …Before. Before. Before. <ins>new</ins> And after.');
  });

  test('shortens in stages, and names each time what is omitted and where to find it', () => {
    const ids = Array.from({ length: 40 }, (_, index) => `v${String(index).padStart(2, '0')}`);
    const made = (words: string) =>
      ids.map((id) => desired(id, { resources: { t_01: text(`${words} ${id} is what it says. `.repeat(5)) } }));
    const document = documentOf(plan(made('New'), lockOf(...made('Old'))));
    const rest = { summary: 'https://github.com/o/r/actions/runs/1', artifact: 'https://example.com/plan.html' };
    const places = `Full plan: [the summary of the job](<${rest.summary}>), [the plan page](<${rest.artifact}>).`;
    const seen = new Set<string>();
    for (let budget = 30_000; budget >= 400; budget = Math.floor(budget * 0.93)) {
      const { text: shown, stage } = stagedMarkdown(document, { budget, rest });
      // One plan per stage, because rendering takes time.
      if (!seen.has(stage)) expect(brokenMarkdown(shown), `${stage} at ${budget}`).toEqual([]);
      seen.add(stage);
      expect(shown.length, `${stage} at ${budget}`).toBeLessThanOrEqual(budget);
      expect(shown.startsWith('### Reelform plan: 40 to update\n\n40 renders, 8:00 min of video.\n')).toBe(true);
      if (stage !== 'whole') expect(shown).toContain(places);
      const rows = shown.match(/^\| <code>&#126;/gm)?.length ?? 0;
      if (stage === 'some') {
        const alone = shown.includes('What changes about <code>') ? 1 : 0;
        const details = shown.match(/^\*\*<code>v/gm)?.length ?? alone;
        expect(shown).toContain(`what changed about ${40 - details} video${details === 39 ? '' : 's'} is not shown`);
      }
      if (stage === 'table' && rows < 40) {
        const missing = rows === 39 ? '1 video' : `${40 - rows} videos`;
        expect(shown).toContain(`: ${missing} and what changed are not shown.`);
      }
    }
    expect([...seen]).toEqual(['whole', 'some', 'table', 'counts']);
  });

  test.each([1, 40, 2000])(
    'stays within its budget with %d videos of long words, down to the counts alone',
    (count) => {
      const ids = Array.from({ length: count }, (_, index) => `v${index}`);
      const made = (words: string) =>
        ids.map((id) =>
          desired(id, {
            title: `${id} ${'&<|@'.repeat(20)}`,
            resources: { t_01: text(`${words} ${id} ${'|@x_'.repeat(60)}`) },
          }),
        );
      const document = documentOf(plan(made('New'), lockOf(...made('Old'))));
      const diagnostics = ids.map((id) => ({
        code: 'text_overflow',
        severity: 'warning',
        message: `${id} ${'|'.repeat(900)}`,
      }));
      for (const verbose of [false, true]) {
        const comment = planMarkdown({ ...document, diagnostics }, { verbose });
        expect(comment.length).toBeLessThanOrEqual(60_000);
        const summary = planMarkdown({ ...document, diagnostics }, { verbose, unit: 'bytes', budget: 900 * 1024 });
        expect(Buffer.byteLength(summary)).toBeLessThanOrEqual(900 * 1024);
        expect(summary.length).toBeGreaterThanOrEqual(comment.length);
      }
    },
  );

  test('stays within any budget of at least 400, in characters and bytes', () => {
    const budgets = fc.integer({ min: 400, max: 20_000 });
    fc.assert(
      fc.property(anyWorld, nasty, budgets, fc.boolean(), ({ videos, lock, missing }, words, budget, verbose) => {
        const was = desired('nasty', { resources: { t_01: text('x') } });
        const is = desired('nasty', { title: words, resources: { t_01: text(words.toWellFormed().repeat(30)) } });
        const both = { ...lock, videos: new Map([...lock.videos, ...lockOf(was).videos]) };
        const document = documentOf(plan([...videos, is], both, missing), () => undefined);
        expect(planMarkdown(document, { budget, verbose }).length).toBeLessThanOrEqual(budget);
        const bytes = planMarkdown(document, { budget, verbose, unit: 'bytes' });
        expect(Buffer.byteLength(bytes)).toBeLessThanOrEqual(budget);
      }),
      { numRuns: runs(25) },
    );
    expect(STAGES).toHaveLength(5);
  });
});
