import { describe, expect, it } from 'vitest';
import type { OutputStore, Renderer } from '../../../src/service/sessions/ports.ts';
import { type RenderRequest, type RenderSteps, renderRequest } from '../../../src/service/sessions/render-request.ts';
import { SharedRenders } from '../../../src/service/sessions/single-flight.ts';
import { scenesOfMapping } from '../../support/scenes-of-mapping.ts';
import {
  ACME,
  boundHere,
  exampleSources,
  heldRenderer,
  instantRenderer,
  SMALL,
  smallRequest,
} from '../../support/small-sessions.ts';

const PHOTO = '(Footage)/USER/photo.png';
const DIGEST = 'd'.repeat(64) as never;

/** Output store that has the digests of `stored`. */
function outputsWith(stored = new Set<string>()): Pick<OutputStore, 'find' | 'save'> {
  const files = (name: string) => [{ video_url: `${name}.mp4`, thumbnails: [], bytes: 5, sha256: DIGEST }];
  return {
    find: async (digest, name) => (stored.has(digest) ? files(name) : null),
    async save(digest, name) {
      stored.add(digest);
      return files(name);
    },
  };
}

function requestOf(photo = 'https://example.com/photo.png'): RenderRequest {
  const { mapping } = smallRequest({ [PHOTO]: { source: { remote_url: photo } } });
  const { video, templates } = scenesOfMapping(SMALL, mapping);
  return { tenant: ACME, video, templates, furtherOutputs: [] };
}

/** Renders requests with one set of ports and records their steps in order. */
function openRequests<Used extends Renderer>(renderer: Used) {
  const taken: string[] = [];
  const step = (name: string): void => void taken.push(name);
  const ports = {
    sources: exampleSources,
    bindTemplate: boundHere,
    renderer,
    outputs: outputsWith(),
    renders: new SharedRenders(),
  };
  const render = (request: RenderRequest, name: string, steps: Partial<RenderSteps> = {}) =>
    renderRequest(request, name, ports, {
      signal: new AbortController().signal,
      onSources: (sources) => step(`sources ${sources.map(({ status }) => status).join()}`),
      onBound: async () => step('bound'),
      takeSlot: async () => step('slot'),
      onPhase: step,
      onRendered: () => step('rendered'),
      ...steps,
    });
  return { taken, render, ports };
}

describe('renderRequest()', () => {
  it('takes its steps in order, and none after the lookup for a video that is stored', async () => {
    const { taken, render } = openRequests(instantRenderer());
    const first = await render(requestOf(), 'first');
    expect([first?.files[0]?.video_url, first?.isAllNew]).toEqual(['first.mp4', true]);
    expect(taken.splice(0)).toEqual(['sources fetched', 'bound', 'slot', 'rendering', 'uploading', 'rendered']);
    const second = await render(requestOf(), 'second');
    expect([second?.files[0]?.video_url, second?.isAllNew]).toEqual(['second.mp4', false]);
    expect(taken).toEqual(['sources fetched', 'bound']);
  });

  it('reports the sources before it fails with their errors', async () => {
    const { taken, render } = openRequests(instantRenderer());
    const failing = render(requestOf('https://example.com/gone.png'), 'failing');
    await expect(failing).rejects.toMatchObject({
      errors: [{ error: { code: 'asset_unreachable', editable: PHOTO } }],
    });
    expect(taken).toEqual(['sources failed']);
  });

  it('renders nothing when other jobs finish the request', async () => {
    const { taken, render, ports } = openRequests(instantRenderer());
    expect(await render(requestOf(), 'split', { handOver: async () => true })).toBeNull();
    expect(taken).toEqual(['sources fetched', 'bound', 'slot']);
    expect(ports.renderer.renders).toBe(0);
  });

  it('finds a video that another request stored while it waited for a slot', async () => {
    const { taken, render, ports } = openRequests(instantRenderer());
    const takeSlot = async (): Promise<void> => void (await render(requestOf(), 'meanwhile'));
    expect(await render(requestOf(), 'waiting', { takeSlot })).toMatchObject({
      files: [{ video_url: 'waiting.mp4' }],
      isAllNew: false,
    });
    expect(taken.filter((name) => name === 'rendered')).toHaveLength(1);
    expect(ports.renderer.renders).toBe(1);
  });

  it('rejects with the reason of its signal and stops the render that only it needs', async () => {
    const renderer = heldRenderer();
    const { render } = openRequests(renderer);
    const controller = new AbortController();
    const rendering = render(requestOf(), 'stopped', { signal: controller.signal });
    await expect.poll(() => renderer.held.length).toBe(1);
    controller.abort(new Error('enough'));
    await expect(rendering).rejects.toThrow('enough');
    expect(renderer.held[0]?.signal.aborted).toBe(true);
  });
});
