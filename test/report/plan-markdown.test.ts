import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { escapeMarkdown, markdownCode } from '../../src/report/escape-markdown.ts';
import { planMarkdown } from '../../src/report/plan-markdown.ts';
import { anyWorld, color, desired, emptyLock, lockOf, plan, text } from '../plan/videos.ts';
import { everyAction, label, largePlan } from './example-plans.ts';

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
    ['**bold** _it_ ~~no~~', '&#42;&#42;bold&#42;&#42; &#95;it&#95; &#126;&#126;no&#126;&#126;'],
    ['<b>&amp;', '&#60;b&#62;&#38;amp;'],
    ['[a](b)', '&#91;a&#93;(b)'],
    ['a | b', 'a &#124; b'],
    ['`code`', '&#96;code&#96;'],
    ['@octocat', '&#64;&#8203;octocat'],
    ['#12', '&#35;&#8203;12'],
    ['GH-12', 'GH-&#8203;12'],
    ['https://example.com', 'https&#58;//example.com'],
    ['www.example.com', 'www&#46;example.com'],
    [':tada:', '&#58;&#8203;tada&#58;'],
    ['$x$', '&#36;x&#36;'],
    ['a\nb', 'a⏎b'],
    ['\u001b[2J', '&#92;u001b&#91;2J'],
  ])('of %j', (words, escaped) => {
    expect(escapeMarkdown(words)).toBe(escaped);
  });

  test('leaves nothing that could be markup, a mention or a link', () => {
    fc.assert(
      fc.property(nasty, (words) => {
        for (const escaped of [escapeMarkdown(words), markdownCode(words).slice('<code>'.length, -'</code>'.length)]) {
          expect(escaped.replaceAll(/&#\d+;/g, '')).not.toMatch(/[&#<>`*_~[\]|\\@:$\n\r\u001b]|www\./i);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('planMarkdown()', () => {
  test('says that nothing is to be done', () => {
    const berlin = desired('berlin');
    expect(planMarkdown(plan([berlin], lockOf(berlin)))).toBe(
      '### Reelform plan: no changes\n\nNo changes. 1 video is up to date.\n',
    );
  });

  test('shows every action', () => {
    expect(planMarkdown(everyAction(), { label })).toMatchInlineSnapshot(`
      "### Reelform plan: 1 to create, 1 to update, 1 to move, 1 to adopt, 1 to restore, 1 to relabel, 1 to forget, 1 unchanged

      3 renders, 36 s of video.

      | | Video | Title | Why |
      |---|---|---|---|
      | <code>=</code>&nbsp;adopt | <code>bergen</code> | Oslo, in Bergen | new; the same as oslo |
      | <code>&#126;</code>&nbsp;update | <code>berlin</code> | Summer Collection — Berlin | values changed: title, Headline, Body, Accent colour, Hero image |
      | <code>-</code>&nbsp;forget | <code>lisbon</code> | The video lisbon | no definition has it any more; its video stays where it is |
      | <code>+</code>&nbsp;create | <code>paris</code> | Summer Collection — Paris | new |
      | <code>≈</code>&nbsp;relabel | <code>rome</code> | Rome | not rendered again: title, label tier |
      | <code>→</code>&nbsp;move | <code>stores/hamburg</code> | Hamburg | was shops/hamburg, not rendered again |
      | <code>↻</code>&nbsp;restore | <code>vienna</code> | Summer Sale — Vienna | its video is missing |

      <details><summary><code>berlin</code></summary>

      | | Before | After |
      |---|---|---|
      | title | Summer Sale — Berlin | Summer Collection — Berlin |
      | Headline | Summer Sale | Summer Collection |
      | Body | Everything we make for the <del>beach</del>, now for <del>a lot </del>less than you think&#58; until <del>Sunday</del>. | Everything we make for the <ins>sea</ins>, now for less than you think&#58; until <ins>Saturday</ins>. |
      | Accent colour | \`#EEADA7\` | \`#FF8800\` |
      | Hero image<br><code>images/hero.jpg</code> | <code>6c587db2</code> | <code>d636df21</code> |

      </details>

      <details><summary><code>rome</code></summary>

      | | Before | After |
      |---|---|---|
      | title | Roma | Rome |
      | label tier | _none_ | a |

      </details>
      "
    `);
  });

  test('folds a large plan', () => {
    const lines = planMarkdown(largePlan(1200), { label }).split('\n');
    expect(lines.slice(0, 8).join('\n')).toMatchInlineSnapshot(`
      "### Reelform plan: 70 to create, 1,260 to update

      1,330 renders, 4:26:00 h of video.

      | | Video | Title | Why |
      |---|---|---|---|
      | <code>+</code>&nbsp;create | 70 videos in <code>spring/</code><br><code>spring/0</code>, <code>spring/1</code>, <code>spring/10</code> and 67 more | | new |
      | <code>&#126;</code>&nbsp;update | 1,200 videos<br><code>stores/0000</code>, <code>stores/0001</code>, <code>stores/0002</code> and 1,197 more | | a value changed: Accent colour |"
    `);
    expect(lines).toContain('<details><summary><code>stores/0000</code> and 1,199 more</summary>');
  });

  test('says what stands against the plan, the first few', () => {
    const protectedVideos = Array.from({ length: 7 }, (_, index) =>
      desired(`v${index}`, { protect: true, resources: { t_01: text(String(index)) } }),
    );
    const lines = planMarkdown(plan([], lockOf(...protectedVideos))).split('\n');
    expect(lines.filter((line) => line.startsWith('**protected&#95;video**'))).toHaveLength(5);
    expect(lines).toContain('And 2 more like these.');
  });

  test('leaves out the values first when room is short, then videos, and counts both', () => {
    const many = Array.from({ length: 20 }, (_, index) => `v${String(index).padStart(2, '0')}`);
    const was = many.map((id) => desired(id, { resources: { t_01: text(`Old ${id}`) } }));
    const is = many.map((id) => desired(id, { resources: { t_01: text(`New ${id}`) } }));
    const made = plan(is, lockOf(...was));
    const shown = (maxLength: number): string => planMarkdown(made, { maxLength });
    expect(shown(60_000)).not.toContain('Too long');
    const values = shown(4000).match(/<details>/g)!.length;
    expect(shown(4000).match(/^\| <code>/gm)).toHaveLength(20);
    expect(shown(4000)).toContain(`_Too long for this place: what changed about ${20 - values} videos not shown._`);
    expect(shown(1500)).toMatch(
      /_Too long for this place: \d+ videos of the plan left out, and what changed about \d+ /,
    );
  });

  test('keeps to the room that it has', () => {
    const large = largePlan(2000);
    fc.assert(
      fc.property(anyWorld, nasty, fc.integer({ min: 1500, max: 20_000 }), ({ videos, lock, missing }, words, room) => {
        const was = desired('nasty', { resources: { t_01: text('x') } });
        const is = desired('nasty', { title: words, resources: { t_01: text(words.toWellFormed().repeat(30)) } });
        const made = plan(
          [...videos, is],
          { ...lock, videos: new Map([...lock.videos, ...lockOf(was).videos]) },
          missing,
        );
        expect(planMarkdown({ ...made, diagnostics: [] }, { maxLength: room }).length).toBeLessThanOrEqual(room);
        expect(planMarkdown(large, { maxLength: room }).length).toBeLessThanOrEqual(room);
      }),
      { numRuns: 30 },
    );
  });

  test('has no line of its own for text of the user', () => {
    const structure = (words: string): string[] => {
      const was = desired('x', { title: 'a', resources: { t_01: text('b'), c_01: color('000000') } });
      const is = desired('x', {
        title: `t${words}`,
        labels: { [`l${words}`]: words },
        resources: { t_01: text(`v${words}`) },
      });
      const lines = planMarkdown(plan([is], lockOf(was)), { label: () => words }).split('\n');
      return lines.map((line) => (line.startsWith('|') ? `${line.split('|').length} cells` : line));
    };
    fc.assert(
      fc.property(nasty, (words) => {
        expect(structure(words)).toEqual(structure('words'));
      }),
    );
  });

  test('shows a video that the lock knows under a hostile id', () => {
    const lock = lockOf(desired('<script>|@octocat', { title: '[x](http://example.com)' }));
    expect(planMarkdown(plan([], lock))).toContain(
      '| <code>-</code>&nbsp;forget | <code>&#60;script&#62;&#124;&#64;octocat</code> | &#91;x&#93;(http&#58;//example.com) |',
    );
    expect(planMarkdown(plan([], emptyLock))).toContain('There are no videos');
  });
});
