import type { Config } from '../../reconciler/project/config.ts';
import { sandboxFromEnvironment } from '../../service/sandbox/sandbox.ts';
import {
  chooseEncoder,
  createRenderPool,
  type RenderPool,
  renderCapacity,
} from '../../service/sessions/processes/render-pool.ts';
import type { TaskRunner } from '../../service/sessions/processes/tasks.ts';
import type { Io } from '../io.ts';

/** Opens the render processes of a command, one per slot. `encoder` is that of reelform.yaml. */
export function openCommandPool(io: Io, encoder?: Config['encoder']): RenderPool {
  return (io.createRenderPool ?? createRenderPool)({
    size: renderCapacity(),
    sandbox: sandboxFromEnvironment(io.env),
    ...(encoder !== undefined && { encoder: chooseEncoder(encoder, io.env) }),
  });
}

/**
 * Runs tasks in a pool with the encoder of reelform.yaml.
 *
 * @throws ReelformError `settings_invalid`
 */
export function withEncoder(pool: RenderPool, configured: Config['encoder'], io: Io): TaskRunner {
  const encoder = chooseEncoder(configured, io.env);
  return { run: (kind, input, options) => pool.run(kind, input, { ...options, encoder }) };
}
