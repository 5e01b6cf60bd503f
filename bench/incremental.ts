import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { segmentRanges } from '../src/engine/segments/segment.ts';
import { segmentKeys } from '../src/service/sessions/segment-keys.ts';
import { FolderSegmentStore } from '../src/service/sessions/segments/folder-segment-store.ts';
import type { RenderInput, VideoInput } from '../src/template/render-input.ts';
import { sceneVideo, type TestScene } from '../test/support/scene-videos.ts';
import { type Measured, renderCached } from './cached-render.ts';
import { recordFigure } from './record-figure.ts';
import { templateInput } from './template-input.ts';

/**
 * Measures what the segment cache saves, in processor time of all processes, starting them included: an edited headline,
 * rows that differ in four of thirty seconds, a render without a change, and one edited scene of several.
 * `npm run bench:incremental [-- --template templates/launch --text t_01 --rows 6 --rounds 3 --scenes 12]`, with `--rows 0` only scenes
 */
const { values } = parseArgs({
  options: {
    template: { type: 'string', default: 'templates/launch' },
    text: { type: 'string', default: 't_01' },
    rows: { type: 'string', default: '6' },
    rounds: { type: 'string', default: '3' },
    scenes: { type: 'string', default: '12' },
  },
});
const rounds = Number(values.rounds);
const rows = Number(values.rows);
const scenes = Number(values.scenes);
/** Rows that the figures are projected to. */
const PROJECTED_ROWS = 500;
const folder = await mkdtemp(join(tmpdir(), 'rf-incremental-'));
let folders = 0;

function emptyStore(): FolderSegmentStore {
  folders += 1;
  return new FolderSegmentStore({ folder: join(folder, String(folders)), maxBytes: 1e10, now: () => Date.now() });
}

function tell(name: string, value: string): void {
  recordFigure('', name, value);
  console.log(`${name.padEnd(52)} ${value}`);
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;
const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;

/** The smallest of several measurements: other work on the machine only adds to processor time. */
function least(all: readonly Measured[]): Measured {
  return all.reduce((best, one) => (one.cpuMs < best.cpuMs ? one : best));
}

const headline = (text: string): RenderInput => templateInput(values.template, { [values.text]: text });

async function measureEdit(name: string, inputOf: (text: string) => VideoInput): Promise<void> {
  const [full, edited, same]: Measured[][] = [[], [], []];
  for (let round = 0; round < rounds; round++) {
    const store = emptyStore();
    full!.push(await renderCached([inputOf('Before')], store));
    edited!.push(await renderCached([inputOf('After')], store));
    same!.push(await renderCached([inputOf('After')], store));
  }
  const [all, some, none] = [least(full!), least(edited!), least(same!)];
  tell(name, '');
  tell('  full render', `${seconds(all.cpuMs)} of processor time, ${all.rendered} segments`);
  const frames = changedFrames(inputOf);
  const share = `${percent(some.cpuMs / all.cpuMs)} of a full render`;
  tell('  edited', `${seconds(some.cpuMs)}, ${share}, ${some.rendered} segments with ${percent(frames)} of the frames`);
  tell('  nothing changed', `${seconds(none.cpuMs)}, ${percent(none.cpuMs / all.cpuMs)}, ${startedEncoders(none)}`);
}

/** Several scenes of the template that fade, of which one in the middle has the text and a length, and perhaps another before all. */
function sceneInput({ text = 'Before', isLonger = false, isInserted = false }): VideoInput {
  const transition = { type: 'fade', duration: 0.4 } as const;
  const list = Array.from({ length: scenes }, (_, at): TestScene => {
    const isEdited = at === Math.floor(scenes / 2);
    const of = headline(isEdited ? text : `Scene ${at}`);
    const duration = of.frameCount / of.fps + 1;
    return {
      id: `scene-${at}`,
      of,
      ...(isEdited && isLonger && { duration }),
      ...(at > 0 && { transition }),
    };
  });
  return sceneVideo(isInserted ? [{ id: 'first', of: headline('First') }, ...list] : list);
}

async function measureInserted(): Promise<void> {
  const store = emptyStore();
  await renderCached([sceneInput({})], store);
  const { reused, rendered } = await renderCached([sceneInput({ isInserted: true })], store);
  const added = segmentRanges(sceneVideo([{ id: 'first', of: headline('First') }])).length;
  tell('a scene inserted before all', `${reused} segments reused, ${rendered} rendered; the scene has ${added}`);
}

/** Share of the frames that lie in segments which an edit changes: the least that an edit can cost. */
function changedFrames(inputOf: (text: string) => VideoInput): number {
  const [before, after] = ['Before', 'After'].map((text) => inputOf(text));
  const known = new Set(segmentKeys(before!, 'bench'));
  const keys = segmentKeys(after!, 'bench');
  const ranges = segmentRanges(after!).filter((_, at) => !known.has(keys[at]!));
  return ranges.reduce((sum, { first, end }) => sum + end - first, 0) / after!.frameCount;
}

function startedEncoders({ tasks }: Measured): string {
  const { segments = 0, video = 0 } = tasks;
  return `${segments + video} encoders started`;
}

/** The template with a text that is seen from second 4 on for a third of the video: in two of its segments of two seconds. */
function thirdInput(text: string): RenderInput {
  const renderInput = templateInput(values.template, {});
  const { fr, ip, op } = renderInput.animation;
  const first = ip + 4 * fr;
  return withText(renderInput, text, { ip: first, op: first + (op - ip) / 3, st: ip });
}

/** Thirty seconds of the template in a loop, with a text of the row from second 10 to 14. */
function rowInput(row: number): RenderInput {
  const renderInput = templateInput(values.template, {});
  const { animation } = renderInput;
  const { fr, ip, op, w, h } = animation;
  const length = op - ip;
  const layers = Array.from({ length: Math.ceil((30 * fr) / length) }, (_, at) => ({
    ty: 0,
    ind: at + 2,
    refId: 'loop',
    w,
    h,
    ip: at * length,
    op: (at + 1) * length,
    st: at * length - ip,
    ks: {},
  }));
  const assets = [...(animation.assets ?? []), { id: 'loop', layers: animation.layers }];
  const loop = { ...animation, ip: 0, op: 30 * fr, assets, layers } as RenderInput['animation'];
  const long = { ...renderInput, frameCount: Math.round(30 * renderInput.fps), stills: [], animation: loop };
  return withText(long, `Row ${row}`, { ip: 10 * fr, op: 14 * fr, st: 0 });
}

/** Puts a text in the place of the edited one, without its animation, above all layers of an input for some time. */
function withText(renderInput: RenderInput, text: string, times: { ip: number; op: number; st: number }): RenderInput {
  const { layers } = headline(text).animation;
  const {
    parent: _,
    t,
    ...layer
  } = layers.find((one) => JSON.stringify(one).includes(`"${text}"`)) as {
    parent?: number;
    t: { d: object };
  };
  const own = { ...layer, t: { ...t, a: [] }, ...times, ind: 1_000 };
  return { ...renderInput, animation: { ...renderInput.animation, layers: [own, ...renderInput.animation.layers] } };
}

async function measureRows(): Promise<void> {
  const alone = least(await Promise.all([renderCached([rowInput(0)], emptyStore())]));
  const store = emptyStore();
  const few = await renderCached([0, 1].map(rowInput), store);
  const many = await renderCached(
    Array.from({ length: rows }, (_, at) => rowInput(at + 2)),
    store,
  );
  const start = (await renderCached([rowInput(0)], store)).cpuMs;
  const further = (many.cpuMs - start) / rows;
  tell('one row of 30 s, nothing cached', `${seconds(alone.cpuMs)}, ${alone.rendered} segments`);
  tell('two rows', `${seconds(few.cpuMs)}, ${few.rendered} segments rendered, ${few.reused} reused`);
  tell(
    `${rows} further rows`,
    `${seconds(many.cpuMs)}, ${many.rendered} segments rendered, ${many.reused} reused, ${seconds(further)} a row`,
  );
  const uncached = PROJECTED_ROWS * (alone.cpuMs - start) + start;
  const cached = alone.cpuMs + (PROJECTED_ROWS - 1) * further;
  tell(
    `${PROJECTED_ROWS} rows, projected from these`,
    `${seconds(cached)} instead of ${seconds(uncached)}: ${(uncached / cached).toFixed(1)} times less`,
  );
}

const { frameCount, fps } = headline('');
tell('video', `${values.template}, ${frameCount} frames, ${(frameCount / fps).toFixed(1)} s`);
try {
  if (rows > 0) {
    await measureEdit(`the text ${values.text}`, headline);
    await measureEdit('a text that is seen in a third of the video', thirdInput);
    await measureRows();
  }
  await measureEdit(`a scene of ${scenes}, edited`, (text) => sceneInput({ text }));
  await measureEdit(`a scene of ${scenes}, edited and longer`, (text) =>
    sceneInput({ text, isLonger: text === 'After' }),
  );
  await measureInserted();
} finally {
  await rm(folder, { recursive: true, force: true });
}
