import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { onlyRestores, type Plan } from '../../../src/reconciler/plan/plan.ts';
import { type PlanTextOptions, planText } from '../../../src/report/terminal/plan-text.ts';
import { cellWidth } from '../../../src/report/wording/cell-width.ts';
import {
  anyWorld,
  color,
  desired,
  emptyLock,
  lasting,
  lockOf,
  plan,
  text,
  versions,
} from '../../reconciler/plan/videos.ts';
import { runs } from '../../support/full-run.ts';
import { documentOf, everyAction, hardValues, largePlan, soundAndVision } from '../example-plans.ts';

const plain: PlanTextOptions = { color: false, trueColor: false, columns: 80 };
const show = (shown: Plan, options: Partial<PlanTextOptions> = {}): string =>
  planText(documentOf(shown), { ...plain, ...options });
const city = (id: string) => desired(id, { resources: { t_01: text(id) } });

describe('planText()', () => {
  test('reports a plan without changes', () => {
    expect(show(plan([], emptyLock))).toBe('No changes. There are no videos.\n');
    expect(show(plan([city('berlin')], lockOf(city('berlin'))))).toBe('No changes. 1 video is up to date.\n');
    // An incomplete plan says nothing about videos outside the selection.
    expect(show({ ...plan([], emptyLock), complete: false })).toMatch(/^No changes\.\nPartial plan: /);
    const seven = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(city);
    expect(show(plan(seven, lockOf(...seven)))).toBe('No changes. 7 videos are up to date.\n');
  });

  test('shows every action', () => {
    expect(show(everyAction())).toMatchInlineSnapshot(`
      "Plan: 1 to create, 1 to update, 1 to move, 1 to adopt, 1 to relabel,
            1 to forget, 2 unchanged · 2 renders, 24 s of video

        = bergen          Oslo, in Bergen
          videos/bergen.yaml · new; the same as oslo

        ~ berlin          Summer Collection — Berlin
          videos/berlin.yaml · values changed
            title          Summer Sale — Berlin → Summer Collection — Berlin
            Headline       Summer Sale → Summer Collection
            Body           Everything we make for the [-beach-]{+sea+}, now for [-a
                           lot -]less than you think: until [-Sunday-]{+Saturday+}.
            Accent colour  #EEADA7 → #FF8800
            Hero image     images/hero.jpg (6c587db2 → d636df21)

        - lisbon          The video lisbon
          its definition was removed; the video is not deleted

        + paris           Summer Collection — Paris
          videos/paris.yaml · new

        ≈ rome            Rome
          videos/rome.yaml · not rendered again
            title       Roma → Rome
            label tier  none → a

        → stores/hamburg  Hamburg
          videos/stores/hamburg.yaml · was shops/hamburg, not rendered again

      1 video to restore, 12 s of video: this clone lacks the files, because renders/
      is normally not in git. reelform apply renders them again;
      --ignore-missing-outputs skips them.
        ↻ its video is missing: vienna
      "
    `);
  });

  test('shows clips, sounds, fonts and outputs', () => {
    expect(show(soundAndVision())).toMatchInlineSnapshot(`
      "Plan: 1 to update, 2 to adopt · 1 render, 12 s of video

        ~ all    The video all
          videos/all.yaml · values changed
            Clip                     a.mp4 (cover → from 1.5 s, volume 1)
            v_02                     a file (db0f8b31)
                                   → https://example.com/b.jpg (zoom-in, slow)
            a_01                     b.mp3 (d5e42b11, plain → cd475aa6, fade-in 1 s)
            Headline font            Inter-Bold → Inter-Black
            audio main               music.mp3 (plain → volume 0.5, loop)
            audio voice              none → voice.wav (185e7607)
            font Roboto-Bold         none → Inter-Bold
            output                   mp4 → webm, 720 pixels high, 25 fps, low quality
            audio old                sha256 26e61089 → none
            font Montserrat-Regular  Inter-Regular → none

        = small  The video small
          videos/small.yaml · different output settings; the same as whole
            output  mp4 → mp4, 360 pixels high

        = whole  The video whole
          videos/whole.yaml · different output settings; the same as small
            output  mp4, 360 pixels high → mp4
      "
    `);
  });

  test('shows values so that their differences are visible', () => {
    expect(show(hardValues())).toMatchInlineSnapshot(`
      "Plan: 1 to update · 1 render, 12 s of video

        ~ hard  The video hard
          videos/hard.yaml · values changed
            Headline    Hello → "Hello "
            Body        A first line⏎
                        and a second one, which is {+still +}long enough to be
                        compared word by word⏎
                        and a [-third-]{+fourth+}
            t_03        Spring is here, and with it a hundred new things that we would
                        like to show you today.
                      → Winter sale. Coats and boots, sledges and skis: forty per cent
                        off, everywhere, only now.
            t_04        \\u001b[31mred\\u001b[0m → \\u202egreen
            t_05        Cafe\\u{301} → Caf\\u{e9}
            t_06        100 km → 100␣km
            t_07        [-東京-]{+大阪+}の夏のコレクションは、海と空の色からはじまる物
                        語です。[-今-]{+来+}週末まで。
            t_08        Short
                      → "A text that is longer than the lockfile keeps. It goes on and
                        on. It goes on and on. It goes on and on. It goes on and on.
                        It goes on and on. It goes on and on. It goes on and on. It
                        goes on and on. It goes on and on. It goes on and on. It goes
                        on and on. It goes on and on. "
            t_09        "" → 👩‍👩‍👧 for all
            Hero image  images/hero.jpg (cover → contain background=0A0A0A)
            a           https://example.com/old.jpg → images/new.jpg (037bc25a)
            b           a file (82dcf60e) → https://example.com/b.jpg
            c           https://example.com/c.jpg (cover → cover focus_x=0.2)
            new         none → #11223380
            gone        00FF00 → none
      "
    `);
  });

  test('fits a narrow terminal', () => {
    expect(show(everyAction(), { columns: 44 })).toMatchInlineSnapshot(`
      "Plan: 1 to create, 1 to update, 1 to move,
            1 to adopt, 1 to relabel, 1 to forget,
            2 unchanged · 2 renders, 24 s of video

        = bergen          Oslo, in Bergen
          videos/bergen.yaml · new; the same as
          oslo

        ~ berlin          Summer Collection — Ber…
          videos/berlin.yaml · values changed
            title          Summer Sale — Berlin
                         → Summer Collection —
                           Berlin
            Headline       Summer Sale
                         → Summer Collection
            Body           Everything we make for
                           the [-beach-]{+sea+},
                           now for [-a lot -]less
                           than you think: until
                           [-Sunday-]{+Saturday+}.
            Accent colour  #EEADA7 → #FF8800
            Hero image     images/hero.jpg
                           (6c587db2 → d636df21)

        - lisbon          The video lisbon
          its definition was removed; the video is
          not deleted

        + paris           Summer Collection — Par…
          videos/paris.yaml · new

        ≈ rome            Rome
          videos/rome.yaml · not rendered again
            title       Roma → Rome
            label tier  none → a

        → stores/hamburg  Hamburg
          videos/stores/hamburg.yaml · was
          shops/hamburg, not rendered again

      1 video to restore, 12 s of video: this
      clone lacks the files, because renders/ is
      normally not in git. reelform apply renders
      them again; --ignore-missing-outputs skips
      them.
        ↻ its video is missing: vienna
      "
    `);
  });

  test('omits blank lines between videos without details', () => {
    const cities = ['berlin', 'oslo', 'stores/munich'].map(city);
    expect(show(plan(cities, lockOf(...cities), ['berlin', 'oslo', 'stores/munich']))).toMatchInlineSnapshot(`
      "No changes. 3 videos are unchanged.

      3 videos to restore, 36 s of video: this clone lacks the files, because renders/
      is normally not in git. reelform apply renders them again;
      --ignore-missing-outputs skips them.
        ↻ its video is missing: berlin, oslo, stores/munich
      "
    `);
  });

  test('moves a title below a long id, and breaks an id wider than a line', () => {
    const id = `campaigns/${'autumn-collection/'.repeat(4)}storefront`;
    expect(show(plan([city(id), city('a')], emptyLock))).toMatchInlineSnapshot(`
      "Plan: 2 to create · 2 renders, 24 s of video

        + a  The video a
          videos/a.yaml · new

        + campaigns/autumn-collection/autumn-collection/autumn-collection/autumn-colle
          ction/storefront
          The video campaigns/autumn-collection/autumn-collection/autumn-collection/a…
          videos/campaigns/autumn-collection/autumn-collection/autumn-collection/autum
          n-collection/storefront.yaml · new
      "
    `);
  });

  test('folds a large plan and notes it', () => {
    const folded = show(largePlan(1200));
    expect(
      folded.replace(/(?: {2}~ offers\/0[2-9].*\n.*\n.*\n\n)+/, '  [8 more like these]\n\n'),
    ).toMatchInlineSnapshot(`
      "Plan: 70 to create, 1,260 to update · 1,330 renders, 4:26:00 h of video

        + 70 videos in spring/
          new · spring/0, spring/1, spring/10 and 67 more

        ~ 1,200 videos, all with the same changes
          a value changed · stores/0000, stores/0001, stores/0002 and 1,197 more
            Accent colour  #EEADA7 → #FF8800

        ~ offers/00  The video offers/00
          videos/offers/00.yaml · a value changed
            Headline  Old offers/00 → New offers/00

        ~ offers/01  The video offers/01
          videos/offers/01.yaml · a value changed
            Headline  Old offers/01 → New offers/01

        [8 more like these]

        ~ offers/10  The video offers/10
          videos/offers/10.yaml · a value changed
            Headline  Old offers/10 → New offers/10

        ~ 49 more to update
          offers/11, offers/12, offers/13 and 46 more

      This plan is shortened: 1,310 videos not listed, values of 49 videos not shown.
      Use --verbose for all details.
      "
    `);
  });

  test('shows every video of a large plan when asked', () => {
    const shown = show(largePlan(100), { verbose: true });
    expect(shown.match(/^ {2}[+~] /gm)).toHaveLength(100 + 60 + 70);
    expect(shown).not.toContain('--verbose');
  });

  test('shows the reason', () => {
    const reasons: [string, ReturnType<typeof desired>, ReturnType<typeof desired>][] = [
      ['a value changed', city('x'), desired('x')],
      ['template launch changed', city('x'), desired('x', {}, { styleVersions: versions('tsv_2') })],
      ['different template', city('x'), desired('x', { template: 'story' }, { styleVersions: versions('tsv_2') })],
      ['different service', city('x'), desired('x', {}, { service: 'https://api.example.com' })],
      ['the rendering engine changed', desired('x', {}, { renderEpoch: 1 }), desired('x', {}, { renderEpoch: 2 })],
    ];
    for (const [words, was, is] of reasons) expect(show(plan([is], lockOf(was)))).toContain(`x.yaml · ${words}\n`);
    const remote = { service: 'https://api.example.com', renderEpoch: null };
    const is = desired('x', {}, { ...remote, styleVersions: versions('tsv_2') });
    expect(show(plan([is], lockOf(desired('x', {}, remote))))).toContain('different version of template launch');
  });

  test('reports a protected video that blocks the plan', () => {
    const lock = lockOf(desired('berlin', { protect: true }));
    expect(show(plan([], lock))).toContain('protected, but its definition was removed');
  });

  test('omits unknown durations', () => {
    const heading = show(plan([desired('x', {}, lasting(null))], emptyLock)).split('\n')[0];
    expect(heading).toBe('Plan: 1 to create · 1 render');
  });

  test('distinguishes two editables with the same label', () => {
    const was = desired('x', { resources: { t_01: text('a'), t_02: text('b') } });
    const is = desired('x', { resources: { t_01: text('c'), t_02: text('d') } });
    const shown = planText(
      documentOf(plan([is], lockOf(was)), () => 'Line'),
      plain,
    );
    expect(shown).toContain('      Line (t_01)  a → c\n      Line (t_02)  b → d\n');
  });

  test('shortens a package digest', () => {
    const [was, is] = ['1', '2'].map((digit) =>
      desired('x', {}, { styleVersions: versions(`tsv_${digit.repeat(64)}`) }),
    );
    expect(show(plan([is!], lockOf(was!)))).toContain('template version  tsv_11111111 → tsv_22222222');
  });

  test('writes colours that the terminal supports', () => {
    const was = desired('x', { resources: { c_01: color('EEADA7') } });
    const is = desired('x', { resources: { c_01: color('FF8800') } });
    const shown = (trueColor: boolean): string => show(plan([is], lockOf(was)), { color: true, trueColor });
    expect(shown(true)).toContain('\u001b[38;2;238;173;167m■\u001b[39m');
    expect(shown(true)).toContain('\u001b[38;2;255;136;0m■\u001b[39m #FF8800');
    expect(shown(false)).toContain('\u001b[38;5;208m■\u001b[39m #FF8800');
  });

  test('writes escape codes only on request, around the same words', () => {
    expect(show(everyAction())).not.toContain('\u001b');
    const colored = show(everyAction(), { color: true, trueColor: true });
    expect(colored).toContain('\u001b[33m~\u001b[39m \u001b[1mberlin\u001b[22m');
    const words = (shown: string): string => shown.replaceAll(/\[-|-\]|\{\+|\+\}|■ /g, '').replaceAll(/\s+/g, ' ');
    expect(words(stripVTControlCharacters(colored))).toBe(words(show(everyAction())));
  });

  test('marks removals and additions by colour', () => {
    const colored = show(everyAction(), { color: true });
    expect(colored).toContain('\u001b[31m\u001b[9mbeach\u001b[29m\u001b[39m\u001b[32msea\u001b[39m');
  });

  test('escapes user text and keeps every line within the width', () => {
    const nasty = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 250 }),
      fc
        .array(fc.constantFrom('word ', '\u001b[2J', '\r', '\n', '夏', '👩‍👧', '\u202e', '\u200b', 'x'.repeat(30)), {
          maxLength: 40,
        })
        .map((pieces) => pieces.join('')),
    );
    const columns = fc.integer({ min: 40, max: 120 });
    fc.assert(
      fc.property(nasty, nasty, nasty, columns, fc.boolean(), (before, after, title, columns, isColored) => {
        const [was, is] = [before, after].map((words) =>
          desired('x', { title, labels: { [title]: words }, resources: { t_01: text(words.toWellFormed()) } }),
        );
        const shown = show(plan([is!], lockOf(was!)), { columns, color: isColored });
        const visible = isColored ? shown.replaceAll(/\u001b\[\d+m/g, '') : shown;
        expect(visible).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
        for (const line of visible.split('\n')) expect(cellWidth(line)).toBeLessThanOrEqual(Math.max(columns, 40));
      }),
      { numRuns: runs(100) },
    );
  });

  test('names every video that changes', () => {
    fc.assert(
      fc.property(anyWorld, ({ videos, lock, missing }) => {
        const made = plan(videos, lock, missing);
        const shown = show(made);
        const [shownRestores = ''] = /^\d+ videos? to restore.*$/ms.exec(shown) ?? [];
        for (const change of made.changes) {
          if (onlyRestores(change)) expect(shownRestores).toMatch(new RegExp(`[ ,]${change.id}(,|\\n|$)`));
          else if (change.action !== 'noop') expect(shown).toContain(` ${change.id}  `);
        }
      }),
    );
  });
});
