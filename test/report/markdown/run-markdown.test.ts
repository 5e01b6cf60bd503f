import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { describe, expect, it } from 'vitest';
import { type ApplyOutcome, NOTHING_DONE } from '../../../src/reconciler/apply/events.ts';
import type { VideoId } from '../../../src/reconciler/definition/video.ts';
import { problemsOf } from '../../../src/report/json/diagnostics-json.ts';
import { groupFailures } from '../../../src/report/json/failure-groups.ts';
import { type AppliedRun, applyMarkdown } from '../../../src/report/markdown/apply-markdown.ts';
import { failuresMarkdown } from '../../../src/report/markdown/issue-bodies.ts';
import { lockPullWords } from '../../../src/report/markdown/lock-commit.ts';
import { markdownLink } from '../../../src/report/markdown/markdown-text.ts';
import { versionOf } from '../../support/lock-branches.ts';
import { documentOf, everyAction } from '../example-plans.ts';
import { HOSTILE_TEXTS } from '../hostile-texts.ts';

const render = (markdown: string): string =>
  micromark(markdown, { extensions: [gfm()], htmlExtensions: [gfmHtml()], allowDangerousHtml: true });

const shape = (html: string): string[] =>
  [...html.replaceAll(/<!--.*?-->/gs, '').matchAll(/<(\/?[a-z][a-z0-9]*)[^>]*>/g)].map((match) => match[1]!);

/** Every fifth text that is not empty and short enough not to be truncated. */
const TEXTS = HOSTILE_TEXTS.filter((text, index) => text !== '' && text.length < 100 && index % 5 === 0);

const FROM = { commit: 'c'.repeat(40), commitUrl: null, runUrl: null, filesUrl: 'https://github.com/a/b/blob/main/' };

/** Returns three reports of a run that contains the same words everywhere. */
function pages(given: string): string[] {
  const words = given.toWellFormed();
  const ids = ['a', 'b'].map((end) => `${words}x${end}` as VideoId);
  const failure = { code: words, message: words, hint: words, editable: words, source: words, retryable: false };
  const failed = ids.map((id, index) => ({ id, failures: [{ ...failure, message: `${words} ${index}` }] }));
  const [id] = ids as [VideoId];
  const outcome: ApplyOutcome = {
    ...NOTHING_DONE,
    rendered: 1,
    failed,
    undelivered: failed,
    unknown: [{ id, askedAt: words, session: words, code: words }],
    inProgress: [{ id, session: words }],
    skipped: [id],
    endedBy: 'failure',
  };
  const changes = ids.map((id) => ({ id: id, path: `videos/${words}.yaml`, title: words }));
  const troubles = groupFailures(outcome, { changes, source: () => 'resources: {}\n' });
  const nowhere = { line: null, column: null, end_line: null, end_column: null };
  const diagnostics = ids.map(() => ({
    code: words,
    severity: 'error',
    message: words,
    hint: words,
    file: words,
    ...nowhere,
  }));
  const deliveries = [{ to: `s3://videos/${words}`, url: `https://cdn.example.com/${words}` }];
  const run: AppliedRun = {
    outcome,
    troubles,
    diagnostics,
    filesUrl: FROM.filesUrl,
    document: documentOf(everyAction()),
    done: ids.flatMap((id) => [
      { kind: 'video-rendered', id: id, videoUrl: `https://videos.example.com/${words}`, deliveries, elapsedMs: 1 },
      { kind: 'video-rendered', id: id, videoUrl: `renders/${words}`, elapsedMs: 1 },
    ]),
    published: null,
  };
  const entry = { ...versionOf('a', 1), title: words, video_url: `https://videos.example.com/${words}` };
  const lock = { videos: new Map(ids.map((id) => [id as string, entry])), extra: {} };
  const pull = lockPullWords({
    change: { recorded: ids, removed: ids },
    lock,
    file: `${words}/reelform.lock.json`,
    target: words,
  });
  return [applyMarkdown(run, 900 * 1024), failuresMarkdown({ ...run, problems: problemsOf(run) }, FROM)!, pull.body];
}

const PLAIN = pages('words').map((page) => shape(render(page)));

describe('reports of a run', () => {
  it.each(TEXTS.map((words) => [words]))('renders %j as plain words', (words) => {
    for (const [index, page] of pages(words).entries()) {
      const html = render(page);
      // A link may be missing; all other elements must be equal.
      const withoutA = (all: readonly string[]): string[] => all.filter((name) => !/^\/?a$/.test(name));
      expect(withoutA(shape(html))).toEqual(withoutA(PLAIN[index]!));
      for (const [, url] of html.matchAll(/href="([^"]*)"/g)) {
        expect(url).toMatch(/^https:\/\/(?:cdn\.example\.com|videos\.example\.com|github\.com\/a\/b\/blob\/main)\//);
      }
      expect(page).not.toMatch(/^\s*::|##\[/m);
      const outside = html
        .replaceAll(/<code>.*?<\/code>|<a [^>]*>/gs, '')
        .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));
      expect(outside.replaceAll(/<[^>]*>/g, '\n')).not.toMatch(/@[\w-]|#\d|\b[0-9a-f]{7,40}\b|:\/\/|www\./i);
    }
  });

  it('links only to web pages without a password', () => {
    for (const url of [
      'javascript:alert(1)',
      'file:///etc/passwd',
      'https://a:b@example.com/',
      'renders/a.mp4',
      '//x/y',
      `https://x/${'y'.repeat(3000)}`,
    ]) {
      expect(markdownLink('words', url), url).toBeNull();
    }
    expect(render(markdownLink('words', 'https://x/a|b>c?d=`&amp;lt;e\\f')!)).toBe(
      '<p><a href="https://x/a%7Cb%3Ec?d=%60&amp;amp;lt;e%5Cf">words</a></p>',
    );
  });
});
