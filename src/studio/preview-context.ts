import { DraftRenderer } from './drafts.ts';
import { DrawQueue } from './draw-queue.ts';
import { EditLog } from './edit-log.ts';
import type { EditContext } from './edits.ts';
import { EventStream } from './event-stream.ts';
import { LiveState } from './live-state.ts';
import { PageRun } from './page-run.ts';
import type { PreviewPorts } from './ports.ts';
import type { DraftEvent } from './protocol.ts';
import { SoundMeter } from './sound-meter.ts';
import { Stills } from './stills.ts';

/** The components of the server, for its routes and for a gallery. */
export interface PreviewContext extends EditContext {
  readonly ports: PreviewPorts;
  readonly events: EventStream;
  readonly live: LiveState;
  readonly queue: DrawQueue;
  readonly stills: Stills;
  readonly drafts: DraftRenderer;
  readonly meter: SoundMeter;
  readonly run: PageRun;
}

/** Creates the components of a server. Reads nothing yet. */
export function createPreviewContext(ports: PreviewPorts): PreviewContext {
  const events = new EventStream();
  const live = new LiveState(ports, events);
  const queue = new DrawQueue(ports.capacity);
  const stills = new Stills(ports, queue);
  const drafts = new DraftRenderer(ports, stills, queue, (state) =>
    events.send('draft', { fingerprint: state.fingerprint, state } satisfies DraftEvent),
  );
  const meter = new SoundMeter(ports, stills, queue);
  const run = new PageRun(ports, live, events);
  return { root: ports.root, ports, events, live, queue, stills, drafts, meter, run, log: new EditLog(ports.root) };
}
