import pLimit from 'p-limit';
import { EMBEDDED, type EncoderChoice } from '../../engine/h264/open-encoder.ts';
import type { LintFinding } from '../../engine/lint/lint-finding.ts';
import type { RenderedPart, SegmentRange } from '../../engine/render-part.ts';
import type { Rendering } from '../../engine/render-scene.ts';
import { SceneError } from '../../engine/scene-error.ts';
import type { ComparedStill, Comparison, StillImage } from '../../engine/stills/still-protocol.ts';
import { openSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import type { Scene } from '../../template/scene.ts';
import type { Renderer, RenderOptions } from '../ports.ts';
import { DEFAULT_LIMITS, type RenderLimits, UsageWatch } from './process-limits.ts';
import { RenderChild } from './render-child.ts';

export interface RenderPoolOptions extends Partial<RenderLimits> {
  /** Processes at once; each takes about 0.5 GB for 1080p. */
  readonly size: number;
  /** Of H.264; the embedded one when absent. */
  readonly encoder?: EncoderChoice;
  /** A process is replaced after so many renders, so that what native code leaks does not add up. */
  readonly rendersPerProcess?: number;
  /** Everything that the processes see of an environment. Windows needs `SystemRoot`. */
  readonly environment?: Readonly<Record<string, string>>;
  /** That the processes run in; what the system has when absent. */
  readonly sandbox?: Sandbox;
}

export interface RenderPool extends Renderer {
  /** Further renders wait for a free process. Rejects as `RenderChild.render`, when its process is gone. */
  render(scene: Scene, options?: RenderOptions): Promise<Rendering>;
  /** Some segments of the scene's video; like `render` in all else. */
  renderPart(scene: Scene, segments: SegmentRange, options?: RenderOptions): Promise<RenderedPart>;
  /** The video that its parts are joined to; like `render` in all else. */
  joinParts(scene: Scene, parts: readonly RenderedPart[], options?: RenderOptions): Promise<Rendering>;
  /** The scene's stills alone, in its order; like `render` in all else. */
  renderStills(scene: Scene, options?: RenderOptions): Promise<readonly StillImage[]>;
  /** Stills of two scenes, drawn and compared by the same process; like `render` in all else. */
  compareStills(comparison: Comparison, options?: RenderOptions): Promise<readonly ComparedStill[]>;
  /** What a viewer would notice of the scene; like `render` in all else. */
  lint(scene: Scene, options?: RenderOptions): Promise<readonly LintFinding[]>;
  /** Ends all processes at once; renders under way or waiting reject with `render_crashed`. */
  close(): Promise<void>;
}

/**
 * Renders scenes in sandboxed child processes, each used again for the same owner while it is healthy. What crashes in one, or takes more than its
 * limits, ends that render alone. The first process starts with the first render; idle ones keep the parent alive until
 * `close`, and die with it.
 */
export function createRenderPool({
  size,
  rendersPerProcess = 50,
  environment = {},
  encoder = EMBEDDED,
  sandbox = openSandbox('auto'),
  ...limits
}: RenderPoolOptions): RenderPool {
  const limit = pLimit(size);
  const watch = new UsageWatch();
  const idle: RenderChild[] = [];
  const children = new Set<RenderChild>();
  let isClosed = false;

  const start = (owner: string): RenderChild => {
    // Processes that wait for another owner give up their memory.
    while (idle.length > size - limit.activeCount) void discard(idle.shift()!);
    const childLimits = { ...DEFAULT_LIMITS, ...limits };
    const child = new RenderChild({ environment, limits: childLimits, watch, encoder, sandbox, owner });
    children.add(child);
    return child;
  };
  const release = async (child: RenderChild): Promise<void> => {
    if (child.isFit && child.renderCount < rendersPerProcess) {
      idle.push(child);
    } else {
      await discard(child);
    }
  };
  const discard = async (child: RenderChild): Promise<void> => {
    await child.stop();
    children.delete(child);
  };
  const takeIdle = (owner: string): RenderChild | undefined => {
    const index = idle.findLastIndex((child) => child.owner === owner);
    if (index < 0) return undefined;
    const [child] = idle.splice(index, 1) as [RenderChild];
    if (child.isFit) return child;
    void discard(child);
    return takeIdle(owner);
  };
  const run = <T>({ signal, owner = '' }: RenderOptions, work: (child: RenderChild) => Promise<T>): Promise<T> =>
    unlessAbortedBefore(signal, (begin) =>
      limit(async () => {
        begin();
        if (isClosed) throw new SceneError('render_crashed', 'The render pool was closed');
        const child = takeIdle(owner) ?? start(owner);
        try {
          return await work(child);
        } finally {
          await release(child);
        }
      }),
    );

  return {
    render: (scene, options = {}) => run(options, (child) => child.render(scene, options)),
    renderPart: (scene, segments, options = {}) => run(options, (child) => child.renderPart(scene, segments, options)),
    joinParts: (scene, parts, options = {}) => run(options, (child) => child.joinParts(scene, parts, options)),
    renderStills: (scene, options = {}) => run(options, (child) => child.renderStills(scene, options)),
    compareStills: (comparison, options = {}) => run(options, (child) => child.compareStills(comparison, options)),
    lint: (scene, options = {}) => run(options, (child) => child.lint(scene, options)),
    async close() {
      isClosed = true;
      await Promise.all([...children].map((child) => child.stop()));
      children.clear();
      idle.length = 0;
    },
  };
}

/** Lets go of work that waits for its turn as soon as the signal is aborted; from `begin` on, aborting is its own affair. */
async function unlessAbortedBefore<T>(
  signal: AbortSignal | undefined,
  queue: (begin: () => void) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  let onAbort: () => void = () => undefined;
  const begin = (): void => {
    signal?.removeEventListener('abort', onAbort);
    signal?.throwIfAborted();
  };
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(signal!.reason as Error);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
  const result = queue(begin);
  // It rejects as well, when its turn comes: to nobody.
  result.catch(() => undefined);
  return Promise.race([result, aborted]);
}
