import { describe, expect, it } from 'vitest';
import { timelineDiagnostics } from '../../../src/reconciler/definition/timeline-diagnostics.ts';
import { timelineOf } from '../../../src/reconciler/definition/video-timeline.ts';
import { FACTS, printedProblems, resolveScenes, scenesOf } from '../../support/resolve-scenes.ts';

const ROWS = 'slug,name,campaign\nlamp,Lamp,spring\nsofa,Sofa,autumn\n';
const OTHERS = {
  'data/rows.csv': ROWS,
  'data/none.csv': 'slug,name\n',
  'videos/_base.yaml': 'scenes:\n  - {template: intro, resources: {t_01: One}}\n  - {id: end, template: plain}\n',
  'videos/_card.yaml': 'template: card\ntitle: B\nresources: {t_01: Card}\n',
};
const CIRCLE = { 'videos/_circle.yaml': 'template: plain\nextends: ./_circle.yaml\n' };
const files = (lines: readonly string[]) => ({
  'videos/a.yaml': `title: A\n${lines.join('\n')}\n`,
  ...OTHERS,
  ...(lines.join().includes('_circle') ? CIRCLE : {}),
});
const CARD = 'resources: {t_01: x}';
/** A scene for each row of spring: of the lamp, not of the sofa. */
const SPRING = '{from: data/rows.csv, where: {campaign: spring}, id: "${slug}"}';

/** Each with its codes, and the definition. The snapshots show what a terminal prints. */
const MISTAKES: readonly (readonly [name: string, codes: string, lines: readonly string[]])[] = [
  [
    'both forms',
    'definition_invalid definition_invalid',
    ['template: plain', 'fit: cover', 'scenes: [{template: plain}]'],
  ],
  ['no template', 'missing_property', ['scenes:', '  - {id: a, duration: 5}']],
  ['an unknown template', 'unknown_template', ['scenes:', '  - {template: crad}']],
  ['no scenes', 'definition_invalid', ['scenes: []']],
  ['a scene that is a text', 'definition_invalid', ['scenes: [intro]']],
  ['a property of the video', 'unknown_property', ['scenes:', '  - {template: plain, title: B}']],
  ['a misspelt property', 'unknown_property', ['scenes:', '  - {template: plain, durations: 5}']],
  ['a missing value', 'missing_editable', ['scenes:', '  - {template: plain}', '  - {template: card}']],
  [
    'a wrong value',
    'text_too_long',
    ['scenes:', '  - template: intro', '    resources: {t_01: A text of more than 20}'],
  ],
  ['an unknown key', 'unknown_editable', ['scenes:', '  - {template: plain, resources: {t_02: x}}']],
  [
    'a key that no scene has',
    'unknown_editable unknown_font',
    ['resources: {t_03: x}', 'fonts: {Intre: Roboto}', 'scenes: [{template: plain}]'],
  ],
  ['two scenes of one template', 'duplicate_scene', ['scenes:', '  - {template: plain}', '  - {template: plain}']],
  [
    'ids that differ in case',
    'duplicate_scene',
    ['scenes:', '  - {template: plain}', '  - {id: Plain, template: plain}'],
  ],
  [
    'ids that are not valid',
    'invalid_id invalid_id invalid_id',
    [
      'scenes:',
      '  - {id: a b, template: plain}',
      '  - {id: "${x}", template: plain}',
      '  - {id: Outputs, template: plain}',
    ],
  ],
  [
    'ids of rows',
    'invalid_id invalid_id',
    ['scenes:', '  - {template: plain, each: {from: data/rows.csv, id: "${name}!"}}'],
  ],
  ['equal ids of rows', 'duplicate_scene', ['scenes:', '  - {template: plain, each: {from: data/rows.csv, id: x}}']],
  ['no rows', 'data_invalid', ['scenes:', '  - {template: plain, each: {from: data/none.csv, id: "${slug}"}}']],
  ['no inline rows', 'data_invalid', ['scenes:', '  - {template: plain, each: {from: [], id: "${slug}"}}']],
  [
    'a missing data file',
    'missing_file',
    ['scenes:', '  - {template: plain, each: {from: data/lost.csv, id: "${slug}"}}'],
  ],
  [
    'an unknown column',
    'unknown_variable',
    ['scenes:', '  - {template: plain, each: {from: data/rows.csv, id: "${slug}"}, resources: {t_01: "${nam}"}}'],
  ],
  [
    'a condition on an unknown column',
    'unknown_variable',
    ['scenes:', '  - {template: plain, each: {from: data/rows.csv, where: {campain: spring}, id: "${slug}"}}'],
  ],
  [
    'a condition without rows',
    'unknown_variable unknown_variable',
    ['when: "${offer}"', 'scenes:', '  - {template: plain, when: {offer: yes}}'],
  ],
  [
    'a condition of a required value',
    'definition_invalid',
    ['scenes:', '  - {template: card, resources: {t_01: {source: {text: x}, when: no}}}'],
  ],
  [
    'conditions that leave out all',
    'video_empty',
    ['scenes:', '  - {template: plain, when: no}', '  - {template: intro, when: ""}'],
  ],
  [
    'rows that are all left out',
    'rows_left_out',
    ['each: {from: data/rows.csv, where: {campaign: winter}, id: "${slug}"}', 'template: plain'],
  ],
  [
    'hidden columns',
    'column_hidden',
    [
      'each: {from: data/rows.csv, id: "${slug}"}',
      'scenes:',
      '  - {id: p, template: plain, each: {from: data/rows.csv, id: "${slug}"}, resources: {t_01: "${name}"}}',
    ],
  ],
  ['an override of an unknown scene', 'unknown_scene', ['extends: ./_base.yaml', 'scenes:', '  ned: {duration: 5}']],
  ['an override of nothing', 'definition_invalid', ['scenes:', '  end: {template: plain}']],
  ['an override of an id', 'unknown_property', ['extends: ./_base.yaml', 'scenes:', '  end: {id: other}']],
  ['a scene that extends a file of a video', 'definition_invalid', ['scenes:', '  - {extends: ./_card.yaml}']],
  ['a circle of extends', 'extends_cycle', ['scenes:', '  - {extends: ./_circle.yaml}']],
  ['a missing fragment', 'missing_file', ['scenes:', '  - {extends: ./_lost.yaml}']],
  [
    'an unknown poster',
    'unknown_scene',
    ['poster: plian.stillcut_01', 'scenes:', '  - {template: plain}', '  - {template: intro, resources: {t_01: x}}'],
  ],
  [
    'a poster of a row that is no row of the scene',
    'unknown_scene',
    ['poster: p/lmap.stillcut_01', 'scenes:', `  - {id: p, template: plain, each: ${SPRING}}`],
  ],
  [
    'a poster of a row that does not pass',
    'still_left_out',
    ['poster: p/sofa.stillcut_01', 'scenes:', `  - {id: p, template: plain, each: ${SPRING}}`],
  ],
  [
    'a poster of a row of a scene without rows that pass',
    'still_left_out',
    [
      'poster: p/sofa.stillcut_01',
      'scenes:',
      '  - {template: plain}',
      '  - {id: p, template: plain, each: {from: data/rows.csv, where: {campaign: winter}, id: "${slug}"}}',
    ],
  ],
  [
    'a poster of a scene that is left out',
    'still_left_out',
    ['poster: end.stillcut_01', 'scenes:', '  - {template: plain}', '  - {id: end, template: plain, when: no}'],
  ],
  [
    'a poster of a row of a scene that is left out',
    'still_left_out',
    [
      'poster: p/lamp.stillcut_01',
      'scenes:',
      '  - {template: plain}',
      `  - {id: p, template: plain, when: no, each: ${SPRING}}`,
    ],
  ],
  ['an unknown stillcut', 'unknown_stillcut', ['poster: stillcut_02', 'template: plain']],
  ['too short', 'scene_too_short', ['scenes:', '  - {template: plain}', `  - {template: card, ${CARD}, duration: 2}`]],
  ['too short, one template', 'scene_too_short', ['template: plain', 'duration: 4']],
  ['too long', 'scene_too_long', ['scenes:', '  - {template: plain}', `  - {template: card, ${CARD}, duration: 9.5}`]],
  ['too long without places', 'scene_too_long', ['template: still', 'duration: 6']],
  [
    'no length',
    'definition_invalid definition_invalid',
    ['scenes:', '  - {template: plain, duration: 0}', '  - {id: b, template: plain, duration: contents}'],
  ],
  ['less than a frame', 'duration_invalid', ['template: plain', 'duration: 0.001']],
  ['min above max', 'duration_invalid', ['template: plain', 'duration: {content: true, min: 8, max: 6}']],
  ['content without content', 'content_empty', ['template: plain', 'duration: content']],
  ['a loop without a number of passes', 'loop_held', ['template: loop', 'duration: 6']],
  [
    'a transition that is too long',
    'transition_too_long',
    ['scenes:', '  - {template: plain}', '  - {id: b, template: plain, transition: {type: fade, duration: 6}}'],
  ],
  [
    'a default transition that is too long',
    'transition_shortened',
    ['transition: {type: fade, duration: 6}', 'scenes:', '  - {template: plain}', '  - {id: b, template: plain}'],
  ],
  [
    'a transition of the first scene',
    'transition_first',
    ['scenes:', '  - {template: plain, transition: {type: fade, duration: 1}}', '  - {id: b, template: plain}'],
  ],
  [
    'transitions with wrong fields',
    'definition_invalid definition_invalid missing_property definition_invalid',
    [
      'scenes:',
      '  - {template: plain}',
      '  - {id: b, template: plain, transition: {type: fad, duration: 1}}',
      '  - {id: c, template: plain, transition: fade}',
      '  - {id: d, template: plain, transition: {type: fade}}',
      '  - {id: e, template: plain, transition: {type: fade, duration: 1, direction: left}}',
    ],
  ],
  ['another shape', 'fit_missing', ['scenes:', '  - {template: plain}', '  - {template: tall}']],
  ['another rate', 'rate_differs', ['scenes:', '  - {template: plain}', '  - {template: film}']],
  ['a template of a wrong rate', 'rate_unsupported', ['scenes:', '  - {template: plain}', '  - {template: slow}']],
  ['a wrong rate and size', 'definition_invalid definition_invalid', ['rate: 500', 'size: [1920]', 'template: plain']],
  [
    'two scenes that fill',
    'fill_twice',
    [
      'duration: 30',
      'scenes:',
      '  - {template: plain, duration: fill}',
      '  - {id: b, template: plain, duration: fill}',
    ],
  ],
  [
    'a scene that fills nothing',
    'fill_without_duration',
    ['scenes:', '  - {template: plain, duration: fill}', '  - {id: b, template: plain}'],
  ],
  [
    'a scene that fills too little',
    'scene_too_short',
    ['duration: 8', 'scenes:', '  - {template: plain}', '  - {id: b, template: plain, duration: fill}'],
  ],
  [
    'scenes that miss the duration',
    'duration_missed',
    ['duration: 12', 'scenes:', '  - {template: plain}', '  - {id: b, template: plain}'],
  ],
  [
    'a duration of the video that is no number',
    'definition_invalid',
    ['duration: content', 'scenes:', '  - {template: plain}'],
  ],
  [
    'a duration of the video that is no number, beside another wrong property',
    'definition_invalid missing_property',
    ['duration: content', 'transition: {type: fade}', 'scenes:', '  - {template: plain}'],
  ],
  [
    'a duration of the video that no scene could have, once',
    'missing_property',
    ['duration: {max: 3}', 'scenes:', '  - {template: plain}'],
  ],
  ['a video that is too long', 'video_too_long', ['template: plain', 'duration: 1801']],
  ['a template of a service', 'template_unmeasured', ['scenes:', '  - {template: plain}', '  - {template: remote}']],
  [
    'parts of a template that a scene is too short for',
    'still_left_out sound_unused',
    ['scenes:', '  - {template: plain}', '  - {template: heard, shorten: cut, duration: 1.5}'],
  ],
  [
    'more stills than a video can have',
    'still_left_out',
    [
      'scenes:',
      '  - template: plain',
      `    each: {id: "\${n}", from: [${Array.from({ length: 24 }, (_, n) => `{n: ${n}}`).join(', ')}]}`,
    ],
  ],
  [
    '201 scenes',
    'too_many_scenes',
    [
      'scenes:',
      '  - template: plain',
      `    each: {id: "\${n}", from: [${Array.from({ length: 201 }, (_, n) => `{n: ${n}}`).join(', ')}]}`,
    ],
  ],
];

describe('mistakes in scenes', () => {
  it.each(MISTAKES)('reports %s', (_, codes, lines) => {
    const { diagnostics } = resolveScenes(files(lines));
    expect(diagnostics.map(({ code }) => code).join(' ')).toBe(codes);
    expect(diagnostics.every(({ at, hint }) => at !== undefined && hint !== '')).toBe(true);
    expect(printedProblems(files(lines))).toMatchSnapshot();
  });

  it('reports all mistakes of a definition at once', () => {
    const lines = [
      'resources: {t_09: x}',
      'labels: {a: [b]}',
      'scenes:',
      '  - {template: intro, duration: 1}',
      '  - {template: tall}',
      '  - {template: plain, resources: {t_01: [b]}}',
    ];
    const { diagnostics } = resolveScenes(files(lines));
    expect(diagnostics.map(({ code }) => code)).toEqual([
      ...['unknown_editable', 'definition_invalid', 'missing_editable', 'scene_too_short', 'fit_missing', 'wrong_kind'],
    ]);
  });

  it.each(['"${campaign}"', '{campaign: spring}'])(
    'says that a condition does not see rows of its scene: %s',
    (when) => {
      const scene = `  - {id: p, template: plain, each: {from: data/rows.csv, id: "\${slug}"}, when: ${when}}`;
      const [problem, ...others] = resolveScenes(files(['scenes:', scene])).diagnostics;
      expect(others).toEqual([]);
      expect(problem).toMatchObject({
        code: 'unknown_variable',
        message: 'The condition of the scene p sees the columns of the definition, not those of its own rows',
        hint: 'Write "where" in its "each" to leave out rows',
      });
    },
  );

  it('accepts the transition of rows, of which the first has none', () => {
    const transition = 'transition: {type: fade, duration: 1}';
    const each = 'each: {from: data/rows.csv, WHERE id: "${slug}"}';
    const codes = (where: string): unknown => {
      const scene = `  - {id: p, template: plain, ${each.replace('WHERE', where)}, ${transition}}`;
      return resolveScenes(files(['scenes:', scene])).diagnostics.map(({ code }) => code);
    };
    expect(codes('')).toEqual([]);
    expect(codes('where: {campaign: spring},')).toEqual(['transition_first']);
  });

  it.each([
    ['tail_shortened', '{content: true, max: 6.2}', 6],
    ['sound_cut', '{content: true, max: 5.5}', 6],
    ['content_unlimited', 'content', null],
    ['content_unknown', '{content: true, max: 8}', null],
    ['video_too_long', 'content', 1801],
  ] as const)('describes %s once lengths of sounds are known', (code, duration, seconds) => {
    const lines = [
      'scenes:',
      '  - {template: plain}',
      `  - {id: b, template: plain, audio: {voice: a.mp3}, duration: ${duration}}`,
    ];
    const [video] = scenesOf(files(lines));
    const length = seconds === null ? null : { samples: 48_000 * seconds, rate: 48_000 };
    const { findings } = timelineOf(video!, FACTS, () => length)!;
    const at = (...place: unknown[]) => ({ file: place.join(' '), start: 0, end: 1 });
    const described = timelineDiagnostics(findings, video!, at);
    expect(described.map((problem) => problem.code)).toContain(code);
    expect(
      described.map(({ severity, message, hint, at: place }) => ({ severity, message, hint, at: place?.file })),
    ).toMatchSnapshot();
  });
});
