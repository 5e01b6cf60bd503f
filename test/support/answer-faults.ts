import type { RenderSession } from '../../src/contract/wire/render-session.ts';
import type { RunClock } from '../../src/reconciler/apply/session-watcher.ts';
import type { Fault } from './interface-service.ts';
import { run, type World, world } from './run-world.ts';
import { type SeededRandom, seededRandom } from './seeded-random.ts';
import { textVideo } from './text-video.ts';

/** How a service answers about the session of one video. */
type AnswerFault =
  /** Rendered without a URL, until a time or for all runs with faults. */
  | { readonly kind: 'late-url'; readonly forMs: number }
  | { readonly kind: 'no-url' }
  /** Reported as failed in the first run, and rendered later. */
  | { readonly kind: 'mended' }
  /** Some or all answers of one kind are about something else. */
  | {
      readonly kind: 'confused';
      readonly of: 'post' | 'get' | 'list';
      readonly change: Change;
      readonly share: number;
    };

type Change = (session: RenderSession) => Partial<RenderSession>;

const CHANGES: readonly Change[] = [
  () => ({ id: 'session-1' }),
  () => ({ title: 'v0' }),
  () => ({ title: 'somebody else' }),
  ({ mapping }) => ({ mapping: { ...mapping, template_style_version_id: 'tsv_2' } }),
  ({ mapping }) => ({ mapping: { ...mapping, resources: { t_01: { source: { text: 'other' } } } } }),
];

/** Answers to a POST that prove nothing, with and without a session. */
const POST_FAULTS: readonly Fault[] = [
  { kind: 'cut' },
  { kind: 'cut', afterDoing: true },
  ...[408, 409, 425, 499, 500, 502, 503].flatMap((status): Fault[] =>
    [false, true].map((afterDoing) => ({ kind: 'answer', status, afterDoing })),
  ),
];

const VIDEOS = 5;
const FAULTY_RUNS = 4;
const DAY_MS = 86_400_000;

/** Counts of the scenarios, and the mistakes: none is expected. */
export interface AnswerFigures {
  scenarios: number;
  runs: number;
  killed: number;
  videos: number;
  sessions: number;
  rendered: number;
  /** Videos that only a person can decide about at the end. */
  unknown: number;
  paidTwice: number;
  toldWrongly: number;
  /** Videos that are neither recorded nor unknown after a run without faults. */
  lost: number;
}

export function newAnswerFigures(): AnswerFigures {
  const none = { paidTwice: 0, toldWrongly: 0, lost: 0 };
  return { scenarios: 0, runs: 0, killed: 0, videos: 0, sessions: 0, rendered: 0, unknown: 0, ...none };
}

/**
 * Applies one repository several times while the service answers wrongly, late or not at all, the access token and the
 * clock change, and runs are killed; then without faults. Adds the results to the figures.
 *
 * @returns the mistakes, for the message of a failure
 */
export async function answerScenario(seed: number, figures: AnswerFigures): Promise<string[]> {
  const random = seededRandom(seed);
  const chance = (percent: number): boolean => random.below(100) < percent;
  const here = await world({
    keepsKeys: chance(60),
    lists: chance(50),
    looks: 1 + random.below(4),
    otherTokens: ['rf_other'],
  });
  const { service } = here;
  const videos = Array.from({ length: VIDEOS }, (_, index) => textVideo(`v${index}`));
  const faults = new Map(videos.map(({ id }) => [id as string, chance(75) ? faultOf(random) : null]));
  const startedAt = here.clock.now();
  let isFaulty = true;
  let runs = 0;
  service.alters = (kind, session) => {
    const fault = isFaulty ? faults.get(session.title) : null;
    const isRendered = session.status === 'preview_rendered';
    switch (fault?.kind) {
      case 'late-url':
        return isRendered && here.clock.now() - startedAt < fault.forMs ? { ...session, video_url: null } : session;
      case 'no-url':
        return isRendered ? { ...session, video_url: null } : session;
      case 'mended':
        return isRendered && runs < 1 ? { ...session, status: 'preview_failed', video_url: null } : session;
      case 'confused':
        return kind === fault.of && chance(fault.share) ? { ...session, ...fault.change(session) } : session;
      default:
        return session;
    }
  };
  const mistakes: string[] = [];
  for (; runs <= FAULTY_RUNS; runs += 1) {
    isFaulty = runs < FAULTY_RUNS;
    const postFaults = isFaulty
      ? Array.from({ length: random.pick([0, 1, 2, 3, 60]) }, () => random.pick(POST_FAULTS))
      : [];
    service.force('POST /v2/render_sessions', ...postFaults);
    const clock = chance(isFaulty ? 40 : 20) ? wrongClock(here.clock, random) : here.clock;
    let eventsLeft = isFaulty && chance(40) ? random.below(30) : Number.POSITIVE_INFINITY;
    if (chance(30)) await here.clock.wait(random.pick([0.5, 2]) * DAY_MS);
    figures.runs += 1;
    const done = run(here, videos, {
      clock,
      ...(isFaulty && chance(20) && { token: 'rf_other' }),
      onEvent: () => {
        eventsLeft -= 1;
        if (eventsLeft < 0) throw new Error('killed');
      },
    });
    const result = await done.catch((error: Error) => {
      if (error.message !== 'killed') throw error;
      return null;
    });
    if (result === null) figures.killed += 1;
    mistakes.push(...wrongRecords(here));
    if (isFaulty || result === null) continue;
    const unknown = new Set<string>(result.outcome.unknown.map(({ id }) => id));
    const lost = videos.filter(({ id }) => !here.lock.value.videos.has(id) && !unknown.has(id));
    figures.unknown += unknown.size;
    figures.lost += lost.length;
    mistakes.push(...lost.map(({ id }) => `${id} is lost`));
  }
  const titles = [...service.sessions.values()].map(({ title }) => title);
  const twice = titles.filter((title, index) => titles.indexOf(title) !== index);
  figures.scenarios += 1;
  figures.videos += VIDEOS;
  figures.sessions += titles.length;
  figures.rendered += here.lock.value.videos.size;
  figures.paidTwice += twice.length;
  figures.toldWrongly += wrongRecords(here).length;
  await here.service.close();
  return [...mistakes, ...twice.map((title) => `${title} was paid for twice`)].map((text) => `seed ${seed}: ${text}`);
}

function faultOf(random: SeededRandom): AnswerFault {
  switch (random.below(5)) {
    case 0:
      return { kind: 'late-url', forMs: 1_000 * random.pick([2, 20, 100, 400]) };
    case 1:
      return { kind: 'no-url' };
    case 2:
      return { kind: 'mended' };
    default: {
      const of = random.pick(['post', 'get', 'list'] as const);
      return { kind: 'confused', of, change: random.pick(CHANGES), share: random.pick([30, 100]) };
    }
  }
}

/** Returns a clock that is wrong by days, from the beginning or from a moment of the run on. */
function wrongClock(clock: RunClock, random: SeededRandom): RunClock {
  const offsetMs = random.pick([-3, -1.5, -0.5, 0.5, 1.5, 3]) * DAY_MS;
  let readsLeft = random.pick([0, 0, 5, 30]);
  return {
    ...clock,
    now: () => {
      readsLeft -= 1;
      return clock.now() + (readsLeft < 0 ? offsetMs : 0);
    },
  };
}

/** Returns the recorded videos whose session is that of another video, or whose URL is not that of their session. */
function wrongRecords({ lock, service }: World): string[] {
  return [...lock.value.videos].flatMap(([id, { session, video_url }]) => {
    const isRight = service.sessions.get(session)?.title === id && video_url.endsWith(`/videos/${session}.mp4`);
    return isRight ? [] : [`${id} is recorded as ${session}, ${video_url}`];
  });
}
