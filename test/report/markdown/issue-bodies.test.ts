import { describe, expect, it } from 'vitest';
import { NOTHING_DONE } from '../../../src/reconciler/apply/events.ts';
import { problemsOf } from '../../../src/report/json/diagnostics-json.ts';
import { applyMarkdown } from '../../../src/report/markdown/apply-markdown.ts';
import { driftMarkdown, failuresMarkdown } from '../../../src/report/markdown/issue-bodies.ts';
import { lockPullWords } from '../../../src/report/markdown/lock-commit.ts';
import { desired, lockOf } from '../../reconciler/plan/videos.ts';
import { HOSTILE_TEXTS } from '../hostile-texts.ts';
import { brokenMarkdown, elementsOf, renderMarkdown } from '../well-formed.ts';

const HOSTILE = '|`</details>@octocat ';
const IDS = Array.from({ length: 300 }, (_, index) => `v${index}`.padEnd(200, '_'));
const LONG = HOSTILE.repeat(60);
const URL_ = `https://example.com/${'%7C'.repeat(500)}`;
const AT = {
  commit: 'a'.repeat(40),
  commitUrl: null,
  runUrl: 'https://github.com/o/r/actions/runs/1',
  filesUrl: 'https://github.com/o/r/blob/main/',
};

const diagnostics = IDS.map(() => ({
  code: 'text_overflow',
  severity: 'error',
  message: LONG,
  hint: LONG,
  file: 'videos/a.yaml',
  line: 1,
}));
const troubles = IDS.map((id) => {
  const failure = {
    code: 'render_failed',
    message: LONG,
    hint: LONG,
    editable: 't_01',
    file: 'videos/a.yaml',
    line: 1,
    column: 1,
  };
  return { what: 'not rendered' as const, ids: [id], title: LONG, failures: Array(9).fill(failure), places: [] };
});
const outcome = { ...NOTHING_DONE, failed: IDS.map((id) => ({ id: id as never, failures: [] })), elapsedMs: 1000 };
const lock = lockOf(...IDS.map((id) => desired(id, { title: LONG })));
const LONG_CHANGES = IDS.map((id) => ({ editable: id, field: LONG, before: LONG, after: LONG }));
const SPECS = IDS.map((id) => ({ kind: 'changed' as const, template: id, styleVersion: id, changes: LONG_CHANGES }));
const BODIES = {
  'the issue and the comment of failures': failuresMarkdown(
    { outcome, troubles, problems: problemsOf({ diagnostics }) },
    AT,
  ),
  'the issue of drift': driftMarkdown(
    {
      checked: 300,
      findings: IDS.map((id) => ({ id, what: 'video_gone', url: URL_ })),
      notes: [],
      unclear: [],
      specs: SPECS,
    },
    AT.runUrl,
  ),
  'the pull request of the lockfile': lockPullWords({
    change: { recorded: IDS, removed: [] },
    lock,
    file: 'site/reelform.lock.json',
    target: 'main',
  }).body,
} as const;

describe('issue texts with hundreds of long names and messages', () => {
  it.each(Object.entries(BODIES))('%s: within 65,536 characters, complete, with space for a marker', (_, body) => {
    expect(body!.length).toBeLessThanOrEqual(65_000);
    expect(body!.length).toBeGreaterThan(20_000);
    expect(body).toMatch(/And [\d,]+ (?:videos )?more/);
    expect(brokenMarkdown(body!)).toEqual([]);
  });

  it('stays within the remaining size of an apply summary', () => {
    const run = { outcome, document: null, done: [], troubles, diagnostics, published: null, filesUrl: AT.filesUrl };
    const summary = applyMarkdown(run, 60_000);
    expect(Buffer.byteLength(summary)).toBeLessThanOrEqual(60_000);
    expect(brokenMarkdown(summary)).toEqual([]);
  });
});

/** Returns every text that a run, a drift check and a lockfile publish, with these words inserted. */
function bodiesOf(texts: readonly string[]): string[] {
  const problem = (words: string) => ({
    code: words,
    severity: 'error',
    message: words,
    hint: words,
    file: `f${words}`,
    line: 1,
  });
  const met = texts.map((words) => {
    const failure = {
      code: words,
      message: words,
      hint: words,
      editable: words,
      source: words,
      file: `f${words}`,
      line: 1,
      column: 1,
    };
    return {
      what: 'not rendered' as const,
      ids: [`v${words}`],
      title: `t${words}`,
      failures: [failure as never],
      places: [],
    };
  });
  const problems = texts.map(problem);
  const recorded = texts.map((words, index) => `v${index}${words}`);
  const known = lockOf(...recorded.map((id, index) => desired(id, { title: `t${texts[index]}` })));
  return [
    failuresMarkdown(
      { outcome, troubles: met, problems: problemsOf({ diagnostics: problems }) },
      { ...AT, filesUrl: null },
    )!,
    driftMarkdown(
      {
        checked: 1,
        findings: recorded.map((id) => ({ id, what: 'video_gone', url: id })),
        notes: [],
        unclear: [],
        specs: texts.map((words) => ({
          kind: 'changed',
          template: words,
          styleVersion: words,
          changes: [{ editable: words, field: words, before: words, after: words }],
        })),
      },
      null,
    )!,
    lockPullWords({
      change: { recorded, removed: recorded.map((id) => `r${id}`) },
      lock: known,
      file: 'a',
      target: 'main',
    }).body,
    applyMarkdown(
      {
        outcome: NOTHING_DONE,
        document: null,
        done: [],
        troubles: met,
        diagnostics: problems,
        published: null,
        filesUrl: null,
      },
      900_000,
    ),
  ];
}

it('renders hostile texts as plain words in issues, pull requests and summaries', () => {
  const texts = HOSTILE_TEXTS.map((words) => words.toWellFormed().slice(0, 150).toWellFormed()).filter(
    (words) => words.trim() !== '',
  );
  for (let from = 0; from < texts.length; from += 15) {
    const some = texts.slice(from, from + 15);
    const plain = bodiesOf(some.map(() => 'words'));
    for (const [index, body] of bodiesOf(some).entries()) {
      const html = renderMarkdown(body);
      expect(elementsOf(html), body).toEqual(elementsOf(renderMarkdown(plain[index]!)));
      expect(html).not.toMatch(/:\/\/(?!github\.com\/o\/r\/)|\bwww\.|@[\w-]/i);
      expect(body).not.toMatch(/^\s*::|##\[/m);
    }
  }
});

describe('driftMarkdown()', () => {
  it('names the command that records the new URL of an expired link', () => {
    const findings = [
      { id: 'oslo', what: 'link_expired' as const, url: 'https://x.example/oslo.mp4?signature=secret' },
    ];
    const text = driftMarkdown({ checked: 2, findings, notes: [], unclear: [], specs: [] }, null);
    expect(text).toContain(
      '`reelform apply --refresh` renders lost videos again and records the new URLs of expired links.',
    );
    expect(text).toContain('its URL has expired, and the session has a new URL');
    expect(text).not.toContain('secret');
  });
});
