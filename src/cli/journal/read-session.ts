import { ReelformError } from '../../diagnostic.ts';
import type { RenderService } from '../../service/render-service.ts';
import { ServiceError } from '../../service/service-error.ts';
import type { RenderSession } from '../../wire/render-session.ts';

/**
 * The session that somebody named, as the service has it now.
 *
 * @throws ReelformError `session_gone`; whatever else the service threw
 */
export async function readSession(service: RenderService, id: string): Promise<RenderSession> {
  try {
    return (await service.getRenderSession(id)).session;
  } catch (error) {
    if (!(error instanceof ServiceError && error.status === 404)) throw error;
    throw new ReelformError('session_gone', `${service.name} does not have the session ${id}`, {
      hint: 'Look at its id again',
    });
  }
}
