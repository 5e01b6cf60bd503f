import { sha256 } from '../../src/kernel/digest.ts';
import type { VideoResource } from '../../src/reconciler/definition/video.ts';
import type { Plan } from '../../src/reconciler/plan/plan.ts';
import { type LabelLookup, type PlanDocument, planDocument } from '../../src/reconciler/plan/plan-document.ts';
import { diagnosticsJson } from '../../src/report/json/diagnostics-json.ts';
import {
  applied,
  clip,
  color,
  desired,
  emptyLock,
  file,
  font,
  lockOf,
  plan,
  sound,
  text,
  track,
  url,
} from '../reconciler/plan/videos.ts';

const LABELS: Readonly<Record<string, string>> = {
  t_01: 'Headline',
  t_02: 'Body',
  c_01: 'Accent colour',
  '(Footage)/USER/hero.jpg': 'Hero image',
  v_01: 'Clip',
  f_01: 'Headline font',
};

export const label: LabelLookup = (_, key) => (Object.hasOwn(LABELS, key) ? LABELS[key] : undefined);

/** Returns the document of a plan, with the labels above. */
export const documentOf = (plan: Plan, lookup: LabelLookup = label): PlanDocument =>
  planDocument(
    plan,
    '0.1.0',
    diagnosticsJson(plan.diagnostics, () => undefined),
    lookup,
  );

const HERO = '(Footage)/USER/hero.jpg';
const image = (resource: VideoResource, transform: object): VideoResource =>
  ({ ...resource, transform }) as VideoResource;
const edited = { assetDigest: (path: string) => sha256(`${path}, edited`) };

/** Returns a plan with one change of every kind, as after a week of work. */
export function everyAction(): Plan {
  const berlin = {
    t_01: text('Summer Sale'),
    t_02: text('Everything we make for the beach, now for a lot less than you think: until Sunday.'),
    c_01: color('EEADA7'),
    [HERO]: file('images/hero.jpg'),
  };
  const lock = lockOf(
    desired('berlin', { title: 'Summer Sale — Berlin', resources: berlin }),
    desired('vienna', { title: 'Summer Sale — Vienna', resources: { t_01: text('Wien') } }),
    desired('shops/hamburg', { title: 'Hamburg', resources: { t_01: text('Hamburg') } }),
    desired('rome', { title: 'Roma', labels: { region: 'south' }, resources: { t_01: text('Roma') } }),
    desired('lisbon', { resources: { t_01: text('Lisboa') } }),
    desired('oslo', { resources: { t_01: text('Oslo') } }),
  );
  const videos = [
    desired(
      'berlin',
      {
        title: 'Summer Collection — Berlin',
        resources: {
          t_01: text('Summer Collection'),
          t_02: text('Everything we make for the sea, now for less than you think: until Saturday.'),
          c_01: color('FF8800'),
          [HERO]: file('images/hero.jpg'),
        },
      },
      edited,
    ),
    desired('paris', { title: 'Summer Collection — Paris' }),
    desired('vienna', { title: 'Summer Sale — Vienna', resources: { t_01: text('Wien') } }),
    desired('stores/hamburg', { title: 'Hamburg', resources: { t_01: text('Hamburg') } }),
    desired('rome', { title: 'Rome', labels: { region: 'south', tier: 'a' }, resources: { t_01: text('Roma') } }),
    desired('oslo', { resources: { t_01: text('Oslo') } }),
    desired('bergen', { title: 'Oslo, in Bergen', resources: { t_01: text('Oslo') } }),
  ];
  return plan(videos, lock, ['vienna']);
}

/** Returns a plan with values that are hard to show. */
export function hardValues(): Plan {
  const was: Record<string, VideoResource> = {
    t_01: text('Hello'),
    t_02: text('A first line\nand a second one, which is long enough to be compared word by word\nand a third'),
    t_03: text('Spring is here, and with it a hundred new things that we would like to show you today.'),
    t_04: text('\u001b[31mred\u001b[0m'),
    t_05: text('Cafe\u0301'),
    t_06: text('100 km'),
    t_07: text('東京の夏のコレクションは、海と空の色からはじまる物語です。今週末まで。'),
    t_08: text('Short'),
    t_09: text(''),
    [HERO]: file('images/hero.jpg'),
    a: url('https://example.com/old.jpg'),
    b: file('images/b.jpg'),
    c: url('https://example.com/c.jpg'),
    gone: color('00FF00'),
  };
  const is: Record<string, VideoResource> = {
    t_01: text('Hello '),
    t_02: text('A first line\nand a second one, which is still long enough to be compared word by word\nand a fourth'),
    t_03: text('Winter sale. Coats and boots, sledges and skis: forty per cent off, everywhere, only now.'),
    t_04: text('\u202egreen'),
    t_05: text('Café'),
    t_06: text('100\u00a0km'),
    t_07: text('大阪の夏のコレクションは、海と空の色からはじまる物語です。来週末まで。'),
    t_08: text(`A text that is longer than the lockfile keeps. ${'It goes on and on. '.repeat(12)}`),
    t_09: text('👩‍👩‍👧 for all'),
    [HERO]: image(file('images/hero.jpg'), { crop_strategy: 'contain', background: '0A0A0A' }),
    a: file('images/new.jpg'),
    b: url('https://example.com/b.jpg'),
    c: image(url('https://example.com/c.jpg'), { crop_strategy: 'cover', focus_x: 0.2 }),
    new: color('11223380'),
  };
  return plan([desired('hard', { resources: is })], lockOf(desired('hard', { resources: was })));
}

/** Returns a plan with new, changed and removed clips, sounds, fonts and outputs. */
export function soundAndVision(): Plan {
  const cover = { crop_strategy: 'cover' } as const;
  const before = {
    resources: { v_01: clip('a.mp4'), v_02: clip('b.mp4'), a_01: sound('a.mp3'), f_01: font('Inter-Bold') },
    audio: new Map([
      ['main', track('music.mp3')],
      ['old', track('old.mp3', { volume: 0.5 })],
    ]),
    fonts: new Map([['Montserrat-Regular', 'Inter-Regular']]),
  };
  const after = {
    resources: {
      v_01: clip('a.mp4', { ...cover, trim_strategy: 'manual', trim_start_time: 1.5, volume: 1 }),
      v_02: image(url('https://example.com/b.jpg'), { ...cover, animate_strategy: 'zoom-in', animate_speed: 'slow' }),
      a_01: sound('b.mp3', { fade_in: 1 }),
      f_01: font('Inter-Black'),
    },
    audio: new Map([
      ['main', track('music.mp3', { volume: 0.5, loop: true })],
      ['voice', track('voice.wav')],
    ]),
    fonts: new Map([['Roboto-Bold', 'Inter-Bold']]),
    output: { format: 'webm', height: 720, fps: 25, quality: 'low' } as const,
  };
  const small = { output: { height: 360 } };
  return plan(
    [desired('all', after), desired('small', small), desired('whole')],
    lockOf(desired('all', before), desired('small'), desired('whole', small)),
  );
}

/**
 * Returns a plan of `count` stores whose accent changed in one shared file, together with the other changes of a large
 * repository.
 */
export function largePlan(count: number): Plan {
  const stores = Array.from({ length: count }, (_, index) => `stores/${String(index).padStart(4, '0')}`);
  const store = (id: string, accent: string) =>
    desired(id, { path: 'videos/stores.yaml', resources: { t_01: text(id), c_01: color(accent) } });
  const offers = Array.from({ length: 60 }, (_, index) => `offers/${String(index).padStart(2, '0')}`);
  const offer = (id: string, words: string) => desired(id, { resources: { t_01: text(`${words} ${id}`) } });
  const lock = applied(
    emptyLock,
    plan([...stores.map((id) => store(id, 'EEADA7')), ...offers.map((id) => offer(id, 'Old'))], emptyLock),
  );
  const arrivals = Array.from({ length: 70 }, (_, index) =>
    desired(`spring/${index}`, { resources: { t_01: text(`Spring ${index}`) } }),
  );
  const changed = [...stores.map((id) => store(id, 'FF8800')), ...offers.map((id) => offer(id, 'New')), ...arrivals];
  return plan(changed, lock);
}
