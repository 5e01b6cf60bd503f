import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LocaleTexts } from '../../../src/reconciler/definition/locale-texts.ts';
import type { DesiredVideo } from '../../../src/reconciler/plan/desired-video.ts';
import { checkPolicies, findWords, foldWords, matchesPattern } from '../../../src/reconciler/policy/check-policies.ts';
import { type Policy, planChecks } from '../../../src/reconciler/policy/policy.ts';
import { desired, emptyLock, lasting, lockOf, plan, text, track, url, type VideoParts } from '../plan/videos.ts';

/** Checks a new video with these parts; returns the location and level of each finding. */
function found(policy: Policy, parts: VideoParts = {}): string[] {
  const findings = checkPolicies([policy], plan([desired('dune', parts)], emptyLock));
  return findings.map(({ place, level }) => [level, place?.file, ...(place?.path ?? [])].join(' '));
}

const at = (...path: string[]): string => ['deny videos/dune.yaml', ...path].join(' ');

describe('checkPolicies()', () => {
  it('max_duration: uses the duration of the template', () => {
    expect(found({ level: 'deny', rule: 'max_duration', seconds: 12 })).toEqual([]);
    expect(found({ level: 'deny', rule: 'max_duration', seconds: 11.9 })).toEqual([at('template')]);
  });

  it('max_text_length: counts graphemes', () => {
    const parts = { resources: { t_01: text('👨‍👩‍👧‍👦'.repeat(3)), t_02: text('four') } };
    expect(found({ level: 'deny', rule: 'max_text_length', characters: 3 }, parts)).toEqual([at('resources', 't_02')]);
  });

  it('forbid_words: checks the title and texts', () => {
    const parts = { title: 'TODO', resources: { t_01: text('todo!'), t_02: text('toddler') } };
    const places = [at('title'), at('resources', 't_01')];
    expect(found({ level: 'deny', rule: 'forbid_words', words: ['todo'] }, parts)).toEqual(places);
  });

  it('title_pattern, require_label, require_deliver', () => {
    expect(found({ level: 'deny', rule: 'title_pattern', pattern: '*, the lamp' })).toEqual([at('title')]);
    const labels: Policy = {
      level: 'deny',
      rule: 'require_label',
      labels: { owner: '*', season: '20[0-9][0-9]', __proto__: '*' },
    };
    expect(found(labels, { labels: { season: 'winter' } })).toEqual([at('labels'), at('labels', 'season')]);
    expect(found({ level: 'deny', rule: 'require_deliver' })).toEqual([at()]);
    const deliver = [{ to: 's3://videos/', credential: null }];
    expect(found({ level: 'deny', rule: 'require_deliver' }, { deliver })).toEqual([]);
  });

  it('require_loudness: checks the loudness of videos with sound', () => {
    const policy: Policy = { level: 'deny', rule: 'require_loudness', loudness: 'ebu-r128' };
    const audio = new Map([['music', track('a.mp3')]]);
    expect(found(policy)).toEqual([]);
    expect(found(policy, { audio })).toEqual([at('audio')]);
    expect(found(policy, { audio, loudness: { target: -23, true_peak: -1 } })).toEqual([]);
    expect(found(policy, { audio, loudness: { target: -23, true_peak: -3 } })).toEqual([]);
    expect(found(policy, { audio, loudness: { target: -23, true_peak: -0.5 } })).toEqual([at('loudness')]);
    expect(found(policy, { audio, loudness: { target: -22.7, true_peak: -1 } })).toEqual([at('loudness')]);
    expect(found({ ...policy, tolerance: 0.3 }, { audio, loudness: { target: -22.7, true_peak: -1 } })).toEqual([]);
    const ofTv: Policy = { ...policy, labels: { channel: 'tv*' } };
    expect(found(ofTv, { audio })).toEqual([]);
    expect(found(ofTv, { audio, labels: { channel: 'tv-de' } })).toEqual([at('audio')]);
  });

  it('require_translations: checks all videos of the plan, also those that wait', () => {
    const policy: Policy = { level: 'deny', rule: 'require_translations', labels: { campaign: 'launch*' } };
    const lacks = (id: string, parts: Partial<LocaleTexts>): LocaleTexts => ({
      id: id as LocaleTexts['id'],
      path: 'videos/spring.yaml',
      definition: 'spring',
      locale: 'de',
      labels: { campaign: 'launch-2026' },
      untranslated: 0,
      stale: 0,
      fallbacks: 0,
      waits: true,
      first: { state: 'stale', name: 't_01', used: 'en', at: { file: 'videos/spring.yaml', start: 0, end: 1 } },
      ...parts,
    });
    const texts = [
      lacks('spring/a/de', { untranslated: 2, stale: 1 }),
      lacks('spring/b/de', { stale: 1, waits: false }),
      lacks('spring/c/de', { fallbacks: 1, waits: false }),
      lacks('spring/d/de', { untranslated: 1, labels: { campaign: 'draft' } }),
      lacks('spring/e/de', { untranslated: 1, labels: {} }),
    ];
    const of = (checked: Policy): string[] =>
      checkPolicies([checked], { ...plan([], emptyLock), texts }).map(({ message }) => message);
    const found = [
      'The translation of spring/a/de to de is incomplete: 3 texts, 1 stale',
      'The translation of spring/b/de to de is incomplete: 1 text, 1 stale',
    ];
    expect(of(policy)).toEqual(found);
    expect(of({ level: 'deny', rule: 'require_translations' })).toHaveLength(4);
  });

  it.each([
    ['https://cdn.example.com/a.png', []],
    ['https://CDN.example.com:8443/a.png', []],
    ['https://a.b.example.org/a.png', []],
    ['https://example.org/a.png', [at('resources', 'photo')]],
    ['https://evilexample.org/a.png', [at('resources', 'photo')]],
    ['https://cdn.example.com@evil.test/a.png', [at('resources', 'photo')]],
    ['https://cdn.example.com.evil.test/a.png', [at('resources', 'photo')]],
    ['https://evil.test\\@cdn.example.com/a.png', [at('resources', 'photo')]],
  ])('allow_sources: %s', (address, expected) => {
    const policy: Policy = { level: 'deny', rule: 'allow_sources', hosts: ['cdn.example.com', '*.example.org'] };
    expect(found(policy, { resources: { photo: url(address) } })).toEqual(expected);
  });

  it('allow_sources: accepts files of the repository', () => {
    expect(
      found({ level: 'deny', rule: 'allow_sources', hosts: [] }, { audio: new Map([['m', track('a.mp3')]]) }),
    ).toEqual([]);
  });

  it('max_cost: checks the whole plan; an unknown cost is only a warning', () => {
    const prices = { currency: 'EUR', perRender: 0.5, perSecond: 0.1 };
    const of = (...seconds: (number | null)[]): ReturnType<typeof checkPolicies> => {
      const videos = seconds.map((length, index) =>
        desired(`v${index}`, { resources: { t_01: text(`${index}`) } }, lasting(length)),
      );
      return checkPolicies([{ level: 'deny', rule: 'max_cost', amount: 3.4 }], { ...plan(videos, emptyLock), prices });
    };
    expect(of()).toEqual([]);
    expect(of(12, 12)).toEqual([]);
    expect(of(12, 12.1)).toMatchObject([{ level: 'deny', video: null, message: expect.stringContaining('3.41 EUR') }]);
    expect(of(12, null)).toMatchObject([{ level: 'warn' }]);
  });

  it('ignores videos that are only restored', () => {
    const [a, b] = [desired('a'), desired('b', { resources: { t_01: text('B') } })];
    const policies: Policy[] = [
      { level: 'deny', rule: 'max_renders', count: 0 },
      { level: 'deny', rule: 'max_cost', amount: 0 },
      { level: 'deny', rule: 'forbid_words', words: ['video'] },
    ];
    const prices = { currency: 'EUR', perRender: 1, perSecond: 0 };
    const restored = { ...plan([a, b], lockOf(a, b), ['a', 'b']), prices };
    expect(checkPolicies(policies, restored)).toEqual([]);
    const retitled = plan([desired('a', { title: 'A new video' }), b], lockOf(a, b), ['a']);
    expect(checkPolicies(policies, retitled)).toMatchObject([{ rule: 'forbid_words', video: 'a' }]);
  });

  it('checks only changed videos, and reports the plan before its videos', () => {
    const policies: Policy[] = [
      { rule: 'title_pattern', pattern: 'No*', level: 'warn' },
      { rule: 'max_renders', count: 1, level: 'deny' },
      { rule: 'require_deliver', level: 'deny' },
    ];
    const [same, a, b, gone] = ['same', 'a', 'b', 'gone'].map((id) =>
      desired(id, { resources: { t_01: text(id) } }),
    ) as [DesiredVideo, DesiredVideo, DesiredVideo, DesiredVideo];
    const changed = plan([same, b, a], lockOf(same, gone));
    const findings = checkPolicies(policies, changed);
    expect(findings.map(({ rule, level, video }) => `${rule} ${level} ${video}`)).toEqual([
      'max_renders deny null',
      ...['a', 'b'].flatMap((id) => [`title_pattern warn ${id}`, `require_deliver deny ${id}`]),
    ]);
    const kept: Policy = { rule: 'max_duration', seconds: 60, level: 'deny' };
    expect(planChecks([kept, policies[1]!], findings)).toEqual([
      { rule: 'max_duration', status: 'pass', level: 'deny', video: null, message: null },
      { rule: 'max_renders', status: 'fail', level: 'deny', video: null, message: expect.stringContaining('2 videos') },
    ]);
  });
});

describe('matchesPattern()', () => {
  it.each([
    ['Dune, the table lamp', 'Dune*', true],
    ['Dune, the table lamp', '*lamp', true],
    ['Dune, the table lamp', '*, the * lamp', true],
    ['Dune', 'dune', false],
    ['Dune!', 'Dune', false],
    ['', '*', true],
    ['', '?', false],
    ['2026-Q3', '20[0-9][0-9]-Q[1-4]', true],
    ['2026-Q5', '20[0-9][0-9]-Q[1-4]', false],
    ['a!', 'a[!a-z]', true],
    ['ab', 'a[!a-z]', false],
    ['[a]', '\\[a]', true],
    ['a*b', 'a\\*b', true],
    ['axb', 'a\\*b', false],
    ['[', '[', true],
    ['é', '?', true],
    ['e\u0301', '?', true],
    ['😀', '?', true],
    ['aXbXcXd', 'a*X*X*d', true],
  ])('%j like %j: %j', (text, pattern, expected) => {
    expect(matchesPattern(text, pattern)).toBe(expected);
  });

  it('agrees with an equivalent regular expression', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 12 });
    const patterns = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), maxLength: 8 });
    fc.assert(
      fc.property(letters, patterns, (text, pattern) => {
        const same = new RegExp(`^${pattern.replaceAll('*', '.*').replaceAll('?', '.')}$`, 's');
        expect(matchesPattern(text, pattern)).toBe(same.test(text));
      }),
    );
  });

  it('terminates where a regular expression would backtrack exponentially', () => {
    expect(matchesPattern('a'.repeat(5_000), `${'a*'.repeat(100)}b`)).toBe(false);
  });
});

describe('findWords()', () => {
  it.each([
    ['Lorem ipsum!', 'lorem', true],
    ['LOREM', 'Lorem', true],
    ['lore', 'lorem', false],
    ['candle', 'can', false],
    ["can't", 'can', false],
    ['Can? Candle.', 'can', true],
    ['the best\n  ever', 'Best ever', true],
    ['the best everything', 'best ever', false],
    ['Große Straße', 'STRASSE', true],
    ['ｆｒｅｅ', 'free', true],
    ['f\u00ADr\u200Bee', 'free', true],
    ['Cafe\u0301', 'café', true],
    ['ΛΟΓΟΣ', 'λόγος', false],
    ['ΛΌΓΟΣ', 'λόγος', true],
    ['これは無料です', '無料', true],
    ['100% free', '100%', true],
    ['x'.repeat(1_000), 'x', false],
  ])('%j says %j: %j', (text, word, expected) => {
    expect(findWords(text, [foldWords(word)])).toEqual(expected ? [foldWords(word)] : []);
  });
});
