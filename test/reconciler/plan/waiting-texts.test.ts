import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Video } from '../../../src/reconciler/definition/video.ts';
import type { LocaleSettings } from '../../../src/reconciler/locales/locale-settings.ts';
import type { Lock, LockEntry } from '../../../src/reconciler/lock/lock.ts';
import { type DesiredVideo, desiredVideo } from '../../../src/reconciler/plan/desired-video.ts';
import { planVideos } from '../../../src/reconciler/plan/plan-videos.ts';
import { runs } from '../../support/full-run.ts';
import { resolveScenes } from '../../support/resolve-scenes.ts';

const SETTINGS: LocaleSettings = {
  source: 'en',
  targets: ['de', 'fr', 'ja'],
  files: 'locales/{locale}.po',
  missing: 'skip',
  columns: ['claim'],
  ids: 'all',
};

/** State of a text in a catalogue. */
const state = fc.constantFrom('translated', 'untranslated', 'fuzzy', 'old source', 'absent');
type State = 'translated' | 'untranslated' | 'fuzzy' | 'old source' | 'absent';

const TEXTS = [
  ['a#@title', 'Spring'],
  ['a#intro.t_01', 'Hello'],
  ['a/tall#card.t_01', 'Short'],
  ['a#card.t_01', 'Long text'],
  ['a/lamp#${claim}', 'Light'],
  ['a/sofa#${claim}', 'Sit'],
] as const;

const DEFINITION = (hasMatrix: boolean): string => `title: Spring
each: {from: ./rows.csv, id: "\${slug}"}
${hasMatrix ? 'locales: all\nvariants: {wide: {}, tall: {scenes: {card: {resources: {t_01: Short}}}}}\n' : ''}scenes:
  - {template: intro, resources: {t_01: Hello}}
  - {template: card, resources: {t_01: Long text, t_02: "\${claim}"}}
`;

function catalogue(states: readonly State[], locale: string): string {
  const entries = TEXTS.flatMap(([context, source], index) => {
    const found = states[index]!;
    if (found === 'absent') return [];
    const target = found === 'untranslated' ? '' : `${locale} ${source}`;
    const flag = found === 'fuzzy' ? '#, fuzzy\n' : '';
    const id = found === 'old source' ? `${source} before` : source;
    return [
      `${flag}msgctxt ${JSON.stringify(context)}\nmsgid ${JSON.stringify(id)}\nmsgstr ${JSON.stringify(target)}\n`,
    ];
  });
  return ['msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n', ...entries].join('\n');
}

function stateOf(files: Readonly<Record<string, string>>): {
  desired: DesiredVideo[];
  texts: ReturnType<typeof resolveScenes>['texts'];
} {
  const all = { 'videos/rows.csv': 'slug,claim\nlamp,Light\nsofa,Sit\n', ...files };
  const { videos, texts, diagnostics } = resolveScenes(all, SETTINGS);
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  const context = { service: 'embedded', styleVersions: { intro: 'i', card: 'c' }, renderEpoch: 1, measures: null };
  return {
    desired: videos.map(({ video }) => desiredVideo(video, { ...context, assetDigest: () => 'x' as never })),
    texts,
  };
}

function lockOf(desired: readonly DesiredVideo[]): Lock {
  const entries = desired.map((video): [string, LockEntry] => [
    video.id,
    {
      fingerprint: video.fingerprint,
      inputs: video.inputs(),
      title: video.title,
      template: video.scenes[0]!.template,
      style_version: 'i',
      service: 'embedded',
      session: `rs_${video.id}`,
      video_url: `renders/${video.id}.mp4`,
      rendered_at: '2026-11-27T00:00:00Z',
    } as unknown as LockEntry,
  ]);
  return { videos: new Map(entries) } as unknown as Lock;
}

const shownTexts = ({ title, scenes }: Pick<Video, 'title' | 'scenes'>): string[] => [
  title,
  ...scenes.flatMap(({ resources }) =>
    [...resources.values()].flatMap((value) => (value.kind === 'text' ? [value.text] : [])),
  ),
];

describe('planVideos() with missing: skip', () => {
  it('renders no half-translated video and removes none, in any state of the catalogues', () => {
    const states = fc.array(state, { minLength: TEXTS.length, maxLength: TEXTS.length });
    const property = fc.property(
      fc.tuple(states, states, states),
      fc.tuple(states, states, states),
      (before, after) => {
        const filesOf = (found: readonly (readonly State[])[]): Record<string, string> => ({
          'videos/a.yaml': DEFINITION(true),
          ...Object.fromEntries(
            SETTINGS.targets.map((locale, index) => [`locales/${locale}.po`, catalogue(found[index]!, locale)]),
          ),
        });
        const first = stateOf(filesOf(before));
        const second = stateOf(filesOf(after));
        const plan = planVideos({
          desired: second.desired,
          texts: second.texts,
          lock: lockOf(first.desired),
          observations: { missingOutputs: new Set() },
        });
        expect(plan.changes.filter(({ action }) => action === 'forget')).toEqual([]);
        for (const { desired } of plan.changes) {
          const locale = desired!.matrix!.locale!;
          const isSource = (text: string): boolean => TEXTS.some(([, source]) => source === text);
          if (locale !== 'en') expect(shownTexts(desired!).filter(isSource)).toEqual([]);
        }
        // Every video is planned, or waits.
        const waiting = second.texts.filter(({ waits }) => waits).map(({ id }) => id);
        expect(new Set([...plan.changes.map(({ id }) => id), ...waiting]).size).toBe(2 * 2 * 4);
      },
    );
    fc.assert(property, { numRuns: runs(1000) });
  });

  it('renders nothing when variants and locales are added to rendered videos', () => {
    const before = stateOf({ 'videos/a.yaml': DEFINITION(false) });
    const after = stateOf({ 'videos/a.yaml': DEFINITION(true) });
    const { changes } = planVideos({
      desired: after.desired.filter(({ id }) => id.includes('wide')),
      texts: after.texts,
      lock: lockOf(before.desired),
      observations: { missingOutputs: new Set() },
    });
    expect(changes.map(({ id, action, previousId }) => `${action} ${previousId} → ${id}`)).toEqual([
      'move a/lamp → a/lamp/wide/en',
      'move a/sofa → a/sofa/wide/en',
    ]);
  });
});
