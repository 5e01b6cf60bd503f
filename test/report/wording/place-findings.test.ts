import { describe, expect, it } from 'vitest';
import type { LintFinding } from '../../../src/engine/lint-finding.ts';
import type { Video } from '../../../src/reconciler/definition/video.ts';
import { lintDiagnostics } from '../../../src/report/wording/glyph-diagnostics.ts';
import { placeFindings, safeAreasOf } from '../../../src/report/wording/place-findings.ts';
import type { LintSettings } from '../../../src/template/lint-severities.ts';
import { scene, sceneVideo } from '../../reconciler/plan/scene-videos.ts';
import { track } from '../../reconciler/plan/videos.ts';

const TEXT = `title: Spring
transition: { type: fade, duration: 0.4 }
scenes:
  - template: intro
    resources: { t_01: Spring }
  - id: product
    template: card
    each: data.csv
    resources:
      t_01: Lamp
    duration: 6
  - template: outro
    audio: { voice: { source: voice.mp3 } }
    duration: content
`;
const VIDEO: Video = {
  ...sceneVideo('rome', [
    scene('intro'),
    scene('card', { id: 'product/lamp', duration: 6 }),
    scene('outro', { duration: 'content', audio: { voice: track('voice.mp3') } }),
  ]),
  path: 'videos/rome.yaml',
};
const RULES: Record<string, LintSettings> = {
  intro: { low_contrast: 'off', safe_area: 'tiktok' },
  card: { low_contrast: 'error', hold_moves: 'error' },
  outro: {},
};
const context = {
  lint: { text_leftover: 'error', flashes: 'off' } as LintSettings,
  packageOf: (name: string) => ({ manifest: { lint: RULES[name]! } }) as never,
  filled: new Map(),
  source: () => TEXT,
};
const at = { frame: 3, seconds: 0.1, still: null, box: null };
const contrast = (id: string): LintFinding => {
  return { code: 'low_contrast', editable: `${id}.t_01`, scene: id, ...at, ratio: 2, needed: 3 };
};
const placed = (...findings: LintFinding[]): unknown[] =>
  placeFindings(findings, VIDEO, context).map(({ finding: { code }, target }) => {
    return [code, target.severity, TEXT.slice(target.at!.start, target.at!.end)];
  });

describe('placeFindings()', () => {
  it('judges each scene by its own template, and the repository before both', () => {
    expect(placed(contrast('intro'), contrast('product/lamp'), contrast('outro'))).toEqual([
      ['low_contrast', 'error', 'Lamp'],
      ['low_contrast', 'warning', expect.stringMatching(/^template: outro/)],
    ]);
    const leftover = { editable: 'intro.t_01', scene: 'intro', ...at, kind: 'markup', leftover: 'Spr' } as const;
    expect(placed({ code: 'text_leftover', ...leftover })).toEqual([['text_leftover', 'error', 'Spring']]);
    expect(safeAreasOf(VIDEO, context)).toEqual(['tiktok', null, null]);
  });

  it('locates a hold at the length of its scene, and a transition where it is written', () => {
    const hold = { code: 'hold_moves', editable: null, heldSeconds: 2, changedShare: 0.1, ...at } as const;
    const empty = { code: 'transition_from_empty', editable: null, before: 'intro', ...at } as const;
    expect(placed({ ...hold, scene: 'product/lamp' }, { ...empty, scene: 'product/lamp' })).toEqual([
      ['hold_moves', 'error', '6'],
      ['transition_from_empty', 'warning', 'transition'],
    ]);
  });

  it('locates captions at the line of their cue, else where they are written', () => {
    const cues = [
      { start: 0, end: 0.05, text: 'Light' },
      { start: 0.05, end: 1, text: 'Light' },
      { start: 0.05, end: 1, text: 'lands' },
      { start: 0.05, end: 1, text: 'lands' },
    ];
    const origins = cues.map((_, start) => ({ file: 'en.vtt', start, end: start + 1 }));
    const whole: Video = { ...VIDEO, captions: { cues }, captionOrigins: new Map([['', origins]]) };
    const text = TEXT.replace('title:', 'captions: { from: en.vtt }\ntitle:');
    const spanOf = (video: Video, caption: string, sceneId = 'intro'): unknown => {
      const defect = { code: 'caption_over_text', editable: null, caption, captions: 2, scene: sceneId } as const;
      const finding: LintFinding = { ...defect, ...at, other: null, otherText: 'Lamp' };
      const [{ target } = {}] = placeFindings([finding], video, { ...context, source: () => text });
      const { file, start, end } = target!.at!;
      return file === 'en.vtt' ? start : text.slice(start, end);
    };
    expect(spanOf(whole, 'Light')).toBe(1);
    expect(spanOf(whole, 'lands')).toBe('captions');
    const scenes = VIDEO.scenes.map((part) =>
      part.id === 'intro' ? { ...part, captions: { cues: cues.slice(2) } } : part,
    );
    const ofScene: Video = { ...VIDEO, scenes, captionOrigins: new Map([['intro', origins]]) };
    expect(spanOf(ofScene, 'lands')).toBe('captions');
    const distinct = scenes.map((part) =>
      part.id === 'intro' ? { ...part, captions: { cues: cues.slice(1, 3) } } : part,
    );
    expect(spanOf({ ...ofScene, scenes: distinct }, 'lands')).toBe(1);
  });

  it('describes captions by their words and number', () => {
    const ofCaptions = { editable: null, caption: 'Light\nthat lands', captions: 3, scene: 'intro', ...at } as const;
    const found: LintFinding[] = [
      { code: 'caption_over_text', ...ofCaptions, other: 't_01', otherText: 'Lamp' },
      { code: 'caption_outside_safe_area', ...ofCaptions, captions: 1, area: 'tiktok', edges: ['bottom'] },
      { code: 'caption_low_contrast', ...ofCaptions, part: 'text', ratio: 1.239, needed: 3 },
      { code: 'caption_low_contrast', ...ofCaptions, captions: 1, part: 'active_word', ratio: 2, needed: 4.5 },
      { code: 'text_overflow', ...ofCaptions, text: 'Light', beyond: 'box', overflow: 0.5 },
      { code: 'glyph_missing', ...ofCaptions, characters: ['字'], font: 'Inter' },
    ];
    expect(lintDiagnostics(placeFindings(found, VIDEO, context)).map(({ message }) => message)).toEqual([
      'The caption "Light that lands" of rome lies over t_01, at 0.1 s; 3 captions do',
      'The caption "Light that lands" of rome lies outside the safe area tiktok (bottom), at 0.1 s',
      'The caption "Light that lands" of rome has a contrast of 1.23:1 with its background, at 0.1 s; it needs 3:1; 3 captions have too little',
      'The spoken word of the caption "Light that lands" of rome has a contrast of 2.00:1 with its background, at 0.1 s; it needs 4.5:1',
      'The caption "Light that lands" of rome does not fit into the lines of its style by 50 %, at 0.1 s',
      'No font contains 字 of the caption "Light that lands" in rome, at 0.1 s',
    ]);
  });

  it('leaves the tracks of a scene that is as long as its content to the timeline', () => {
    const cut = { code: 'sound_cut', ...at, lengthSeconds: 5, playedSeconds: 2 } as const;
    const names = ['outro.audio_tracks.voice', 'product/lamp.audio_tracks.voice', 'outro.t_01'];
    const found = names.map((editable): LintFinding => ({ ...cut, editable, scene: editable.split('.')[0]! }));
    expect(placed(...found).map((finding) => (finding as unknown[])[2])).toEqual([
      expect.stringMatching(/^id: product/),
      expect.stringMatching(/^template: outro/),
    ]);
  });

  it('describes where a viewer sees it', () => {
    const rules = { ...context, lint: {} };
    const hold = { code: 'hold_moves', editable: null, heldSeconds: 2, changedShare: 0.0123, ...at } as const;
    const empty = { code: 'transition_from_empty', editable: null, before: 'intro', ...at } as const;
    const flashes = { code: 'flashes', editable: null, kind: 'general', flashes: 5, ...at } as const;
    const scened = [hold, empty, flashes].map((finding): LintFinding => ({ ...finding, scene: 'product/lamp' }));
    expect(lintDiagnostics(placeFindings(scened, VIDEO, rules)).map(({ message, hint }) => [message, hint])).toEqual([
      [
        'product/lamp of rome holds its picture for 2.0 s where it moves, at 0.1 s: 1.2 % of its pixels change from frame to frame',
        'Write another duration, or say in "timing" of its template.yaml where it can hold, loop or stretch. To see it: reelform render rome --frame 3',
      ],
      [
        'The transition of product/lamp of rome has nothing to replace, at 0.1 s: intro ends with an empty picture',
        'Write at: before in the transition, so that it shows the end of intro while it moves. To see it: reelform render rome --frame 3',
      ],
      [
        'rome has 5 flashes in one second, from 0.1 s in product/lamp; more than 3 can cause seizures',
        'Slow the change down, or make the flashing area smaller. To see it: reelform render rome --frame 3',
      ],
    ]);
  });
});
