import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { expect, it, onTestFinished } from 'vitest';
import { count, tell } from '../support/proof.ts';
import { makeRepository } from '../support/repository.ts';
import { smallAnimation } from '../support/small-package.ts';

const RUNS = count(150, 2);
/** Kills in a run, at most. */
const KILLS = count(3, 2);
const COMMAND = join(import.meta.dirname, '../../dist/cli/main.js');

/** Three scenes of two or more segments each: the second is longer than its template and slides over the first. */
const FILM = `title: Film
scenes:
  - { id: first, template: small, resources: { t_01: First, c_01: "#EEADA7" } }
  - id: second
    template: small
    resources: { t_01: Second, c_01: "#3355AA" }
    duration: 5
    transition: { type: slide, duration: 0.5 }
  - { id: third, template: small, resources: { t_01: Third, c_01: "#22AA55" }, transition: { type: fade, duration: 0.4 } }
`;

/** A repository with a video of scenes and one of a template, whose pictures take some time to draw. */
function openRepository(): string {
  const animation = JSON.stringify(smallAnimation())
    .replaceAll('"op":10', '"op":40')
    .replace('"w":64,"h":36', '"w":320,"h":180');
  const root = makeRepository({ 'templates/small/animation.json': animation, 'videos/film.yaml': FILM });
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const other of ['oslo', 'rome']) rmSync(join(root, `videos/${other}.yaml`));
  return root;
}

function checkout(root: string): string {
  const copy = realpathSync(mkdtempSync(join(tmpdir(), 'reelform-test-')));
  cpSync(root, copy, { recursive: true });
  return copy;
}

const apply = (root: string) =>
  execa({ reject: false, all: true, cwd: root, env: { CI: 'true' } })(COMMAND, ['apply', '--auto-approve']);

/** Returns the finished segments by name, with the number of their file: a segment that is rendered again gets another. */
function segmentsOf(root: string): Map<string, number> {
  const folder = join(root, '.reelform/segments');
  if (!existsSync(folder)) return new Map();
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /[0-9a-f]{64}$/.test(name));
  return new Map(names.map((name) => [name, statSync(join(folder, name)).ino]));
}

function outputsOf(root: string): [name: string, bytes: Buffer][] {
  const names = readdirSync(join(root, 'renders'), { recursive: true, encoding: 'utf8' }).sort();
  return names
    .filter((name) => /\.\w{3,4}$/.test(name))
    .map((name) => [name, readFileSync(join(root, 'renders', name))]);
}

/** Kills a moment after a condition is true, unless the signal is aborted before. */
async function killOnce(isReached: () => boolean, kill: () => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && !isReached()) await sleep(20);
  await sleep(Math.random() * 200);
  if (!signal.aborted) kill();
}

it(`kill -9 of reelform apply while it renders scenes itself, restarted until done, ${RUNS} runs: nothing is lost or rendered twice`, async () => {
  expect(existsSync(COMMAND), 'build first').toBe(true);
  const pristine = openRepository();
  const whole = checkout(pristine);
  expect(await apply(whole)).toMatchObject({ exitCode: 0 });
  const reference = outputsOf(whole);
  const segments = [...segmentsOf(whole).keys()].sort();
  expect(segments.length).toBeGreaterThan(6);

  const figures = { runs: 0, kills: 0, killsWhileRendering: 0, keptSegments: 0, renderedTwice: 0, unfinished: 0 };
  for (; figures.runs < RUNS; figures.runs += 1) {
    const root = checkout(pristine);
    let kept = new Map<string, number>();
    for (let kills = 0; ; ) {
      const child = apply(root);
      const isOver = new AbortController();
      if (kills < KILLS && (kills === 0 || Math.random() < 0.8)) {
        const target = Math.floor(Math.random() * (segments.length + 1));
        const isReached = (): boolean => segmentsOf(root).size >= target;
        void killOnce(isReached, () => child.kill('SIGKILL'), isOver.signal);
      }
      const { all, exitCode, signal } = await child;
      isOver.abort();
      const present = segmentsOf(root);
      figures.renderedTwice += [...kept].filter(([name, file]) => present.get(name) !== file).length;
      figures.keptSegments += kept.size;
      kept = present;
      if (signal !== 'SIGKILL') {
        expect(exitCode, String(all)).toBe(0);
        break;
      }
      kills += 1;
      figures.kills += 1;
      if (present.size > 0 && present.size < segments.length) figures.killsWhileRendering += 1;
    }
    expect([...kept.keys()].sort()).toEqual(segments);
    expect(outputsOf(root)).toEqual(reference);
    const lock = JSON.parse(readFileSync(join(root, 'reelform.lock.json'), 'utf8'));
    expect(Object.keys(lock.videos)).toEqual(['berlin', 'film']);
    expect(lock.videos.film.scenes).toMatchObject([{ length: 4 }, { length: 5 }, { length: 4 }]);
    const names = readdirSync(root, { recursive: true, encoding: 'utf8' });
    figures.unfinished += names.filter((name) => name.includes('.unfinished-')).length;
    rmSync(root, { recursive: true });
  }
  tell(`embedded: ${JSON.stringify(figures)}; ${segments.length} segments each`);
  expect(figures.renderedTwice).toBe(0);
});
