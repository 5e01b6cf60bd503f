import { cpuUsage } from 'node:process';
import { timelineOf } from '../src/reconciler/definition/video-timeline.ts';
import { planVideos } from '../src/reconciler/plan/plan-videos.ts';
import { decodeVideos, encodeVideos } from '../src/reconciler/plan-cache/cached-videos.ts';
import { desiredScenes, lengths, scene, sceneVideo, TEMPLATES } from '../test/reconciler/plan/scene-videos.ts';
import { lockOf, text, track } from '../test/reconciler/plan/videos.ts';

/**
 * Compares the plan of videos of six scenes with that of one-template videos with as many values, in turns: timeline, fingerprint, plan
 * cache and comparison with the lockfile, in milliseconds of processor time. The timeline is asked for as a command does: for the findings
 * of the definition, for those of its sounds, for the plan and for the inputs. Usage: node bench/run.mjs bench/plan-scenes.ts
 */
const VIDEOS = 500;
const SCENES = 6;
const VALUES = 4;
const TURNS = 9;

const valuesOf = (video: number, first: number, count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`t_${first + at}`, text(`Value ${first + at} of ${video}`)]),
  );

const plain = (video: number) => [scene('card', { resources: valuesOf(video, 0, SCENES * VALUES) })];
const several = (video: number) =>
  Array.from({ length: SCENES }, (_, at) =>
    scene(['intro', 'card', 'loop', 'outro'][at % 4]!, {
      id: `scene-${at}`,
      resources: valuesOf(video, at * VALUES, VALUES),
      ...(at === 1 && { duration: 'content' as const, audio: { voice: track('voice/6.3.mp3') } }),
      ...(at > 0 && { transition: { type: 'fade' as const, duration: 0.4 } }),
    }),
  );

function measure(scenesOf: typeof plain): number {
  const videos = Array.from({ length: VIDEOS }, (_, at) => sceneVideo(`video-${at}`, scenesOf(at)));
  const lock = lockOf(...videos.map((video) => desiredScenes(video)));
  const before = cpuUsage();
  const planned = videos.map((video) => {
    // A video of one template has no timeline.
    const isPlain = video.scenes.length === 1;
    const asked = isPlain ? [] : [() => null, lengths].map((known) => timelineOf(video, TEMPLATES, known));
    const made = desiredScenes(video);
    const inputs = isPlain ? undefined : timelineOf(video, TEMPLATES, lengths);
    if (asked.includes(null) || inputs === null) throw new Error('A template is not known');
    return made;
  });
  const desired = decodeVideos(encodeVideos(planned));
  const { changes } = planVideos({ desired, lock, observations: { missingOutputs: new Set() } });
  const { user, system } = cpuUsage(before);
  if (changes.some(({ action }) => action !== 'noop')) throw new Error('The plan is not empty');
  return (user + system) / 1000;
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
const turns = Array.from({ length: TURNS }, () => [measure(plain), measure(several)] as const);
const [one, six] = [median(turns.map(([first]) => first)), median(turns.map(([, second]) => second))];
console.log(
  `${VIDEOS} videos: one template ${one.toFixed(0)} ms, six scenes ${six.toFixed(0)} ms, ratio ${(six / one).toFixed(2)}`,
);
