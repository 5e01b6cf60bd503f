import { describe, expect, it } from 'vitest';
import { gitlabCodeQuality, gitlabTerraform } from '../../../src/report/json/gitlab-reports.ts';
import { githubAnnotations, githubOutputs, withoutCommands } from '../../../src/report/terminal/forge-text.ts';
import { desired, lockOf, plan } from '../../reconciler/plan/videos.ts';
import { documentOf, everyAction } from '../example-plans.ts';

const document = documentOf(everyAction());
const problem = (changes: object = {}) => ({
  code: 'text_overflow',
  severity: 'error',
  message: 'Too long',
  hint: null,
  file: 'videos/a.yaml',
  line: 3,
  column: 5,
  end_line: 3,
  end_column: 9,
  ...changes,
});
const nowhere = { file: null, line: null, column: null, end_line: null, end_column: null };

describe('githubAnnotations()', () => {
  it('locates each problem relative to the git repository', () => {
    const diagnostics = [
      problem({ severity: 'warning', hint: 'Shorten it' }),
      problem({ end_line: 4 }),
      problem(nowhere),
    ];
    expect(githubAnnotations({ ...document, diagnostics }, 'shop/')).toBe(
      [
        '::error title=text_overflow,file=shop/videos/a.yaml,line=3,endLine=4::Too long',
        '::error title=text_overflow::Too long',
        '::warning title=text_overflow,file=shop/videos/a.yaml,line=3,endLine=3,col=5,endColumn=9::Too long. Shorten it',
        '',
      ].join('\n'),
    );
  });

  it('escapes text that could be another command', () => {
    const words = '100%,\r\n::add-mask::x: y';
    expect(githubAnnotations({ ...document, diagnostics: [problem({ message: words, file: words })] }, '')).toBe(
      '::error title=text_overflow,file=100%25%2C%0D%0A%3A%3Aadd-mask%3A%3Ax%3A y,line=3,endLine=3,col=5,endColumn=9::100%25,%0D%0A::add-mask::x: y\n',
    );
  });

  it('writes at most ten of a kind, the last of which counts the rest', () => {
    const lines = (count: number): string[] =>
      githubAnnotations({ ...document, diagnostics: Array.from({ length: count }, () => problem()) }, '').split('\n');
    expect(lines(10)).toHaveLength(11);
    expect(lines(2000)).toHaveLength(11);
    expect(lines(2000)[9]).toBe('::error::1,991 more like these: see the summary of the job');
  });
});

it('githubOutputs() writes each output between two delimiters', () => {
  expect(githubOutputs({ ...document, diagnostics: [problem()] }, 'end')).toBe(
    `plan_id<<end\n${document.plan_id}\nend\nhas_changes<<end\ntrue\nend\nrenders<<end\n2\nend\nrestores<<end\n1\nend\nerrors<<end\n1\nend\ndenied<<end\nfalse\nend\n`,
  );
});

it('githubOutputs() and gitlabTerraform() do not count a restore as a change', () => {
  const restored = documentOf(plan([desired('a')], lockOf(desired('a')), ['a']));
  expect(githubOutputs(restored, 'end')).toContain(
    'has_changes<<end\nfalse\nend\nrenders<<end\n0\nend\nrestores<<end\n1\n',
  );
  expect(JSON.parse(gitlabTerraform(restored))).toEqual({ create: 0, update: 0, delete: 0 });
});

it('withoutCommands() disables commands before the text and enables them after it', () => {
  expect(withoutCommands('::error::x', 't')).toBe('::stop-commands::t\n::error::x\n::t::\n');
});

it('gitlabTerraform() counts created, updated and deleted entries', () => {
  expect(JSON.parse(gitlabTerraform(document))).toEqual({ create: 1, update: 4, delete: 1 });
});

it('gitlabCodeQuality() gives every problem a location and a fingerprint independent of lines', () => {
  const read = (...diagnostics: object[]) =>
    JSON.parse(gitlabCodeQuality({ ...document, diagnostics } as never, 'shop/'));
  const [first, second, third] = read(
    problem(),
    problem({ line: 9, end_line: 9 }),
    problem({ ...nowhere, severity: 'warning' }),
  );
  expect(first).toEqual({
    description: 'Too long',
    check_name: 'text_overflow',
    severity: 'major',
    fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
    location: { path: 'shop/videos/a.yaml', lines: { begin: 3, end: 3 } },
  });
  expect(second.fingerprint).not.toBe(first.fingerprint);
  expect(third).toMatchObject({ severity: 'minor', location: { path: 'shop/reelform.yaml', lines: { begin: 1 } } });
  expect(read(problem({ line: 30, end_line: 30 }))[0].fingerprint).toBe(first.fingerprint);
});
