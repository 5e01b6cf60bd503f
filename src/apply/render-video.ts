import type { Video } from '../definition/video.ts';
import { ReelformError } from '../diagnostic.ts';
import { type Sha256, sha256 } from '../digest.ts';
import { type RenderService, sessionEnd } from '../service/render-service.ts';
import type { RenderSession } from '../service/wire.ts';
import type { ApplyPorts } from './ports.ts';
import { localFiles, sessionRequest } from './session-request.ts';

/** One video to render and where its result goes. */
export interface RenderTask {
  readonly video: Video;
  readonly styleVersion: string;
  /** Below the service's output directory, without ending. */
  readonly outputName: string;
  /** The digest that each local file had when the plan was made. */
  readonly digestOf: (path: string) => Sha256 | undefined;
}

/**
 * Sees to the template, uploads, posts once, and looks until the session has ended, rendered or failed.
 *
 * @throws ReelformError `changed_since_plan`, before anything is posted; whatever the service threw
 */
export async function renderVideo(
  task: RenderTask,
  service: RenderService,
  ports: ApplyPorts,
  onProgress: (percent: number) => void,
): Promise<RenderSession> {
  await ports.ensureStyleVersion(task.styleVersion);
  const urls = await uploadFiles(task, service, ports);
  const request = sessionRequest(task.video, task.styleVersion, (path) => urls.get(path)!);
  const options = { idempotencyKey: ports.newKey(), outputName: task.outputName };
  let session = await service.createRenderSession(request, options);
  let percent = -1;
  while (sessionEnd(session.status) === null) {
    if (session.render_progress > percent) {
      percent = session.render_progress;
      onProgress(percent);
    }
    await ports.clock.wait(service.pollIntervalMs);
    session = await service.getRenderSession(session.id);
  }
  return session;
}

/** The bytes that are sent are the bytes that were planned. */
async function uploadFiles(task: RenderTask, service: RenderService, ports: ApplyPorts): Promise<Map<string, string>> {
  const urls = new Map<string, string>();
  for (const path of localFiles(task.video)) {
    const bytes = await ports.readFile(path);
    const digest = sha256(bytes);
    if (digest !== task.digestOf(path)) {
      throw new ReelformError('changed_since_plan', `${path} changed after the plan was made`, {
        hint: 'Run apply again',
      });
    }
    const { remote_url } = await service.uploadSource({ sha256: digest, bytes, name: path });
    urls.set(path, remote_url);
  }
  return urls;
}
