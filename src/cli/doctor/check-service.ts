import { ReelformError } from '../../diagnostic.ts';
import { loadLibav } from '../../engine/codec/libav.ts';
import type { Config } from '../../project/config.ts';
import type { DoctorCheck } from '../../report/terminal/doctor-text.ts';
import { sandboxFromEnvironment } from '../../sandbox/sandbox.ts';
import { ServiceError } from '../../service/service-error.ts';
import { type Io, isCi } from '../io.ts';
import { openRemoteService } from '../service/open-remote-service.ts';

/** What renders: the encoder of this machine, or a service that answers and takes the token. */
export async function checkService(config: Config, io: Io): Promise<DoctorCheck[]> {
  if (config.service === 'embedded') return [await checkEncoder(), await checkSandbox(io)];
  const { origin } = new URL(config.service.url);
  return [await checkRemote(config, origin, io), checkTokenOrigin(origin, io)];
}

async function checkEncoder(): Promise<DoctorCheck> {
  const name = 'Encoder';
  return told(name, async () => {
    loadLibav();
    return { name, status: 'ok', message: 'installed' };
  });
}

function checkSandbox(io: Io): Promise<DoctorCheck> {
  const name = 'Sandbox';
  return told(name, async () => {
    const { description, gap } = sandboxFromEnvironment(io.env);
    if (gap === null) return { name, status: 'ok', message: description };
    const hint = 'Render templates and files of people you do not trust in a container';
    return { name, status: 'warning', message: `${description}: ${gap}`, hint };
  });
}

async function checkRemote(config: Config, origin: string, io: Io): Promise<DoctorCheck> {
  const name = 'Service';
  return told(name, async () => {
    const service = openRemoteService({ config }, io);
    const styleVersion = [...config.templates.values()].find(({ kind }) => kind === 'style_version');
    try {
      if (styleVersion?.kind === 'style_version') await service.getStyleVersion(styleVersion.id);
      // Any session will do: a service that says that it is not there has taken the token.
      else await service.getRenderSession('rs_doctor');
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status >= 500) throw error;
      if (styleVersion?.kind === 'style_version') {
        const message = `${origin} takes the token, and has no style version ${styleVersion.id} for it`;
        return { name, status: 'error', message, hint: 'Look at "templates" in reelform.yaml' };
      }
    }
    return { name, status: 'ok', message: `${origin} answers, and takes the token` };
  });
}

function checkTokenOrigin(origin: string, io: Io): DoctorCheck {
  const name = 'Token origin';
  if ((io.env.REELFORM_TOKEN_ORIGIN ?? '').trim() !== '') return { name, status: 'ok', message: 'limited' };
  const message = 'REELFORM_TOKEN_ORIGIN is not set: a change of reelform.yaml can send the token anywhere';
  const status = isCi(io.env) ? 'warning' : 'ok';
  return {
    name,
    status,
    message,
    ...(status === 'warning' && { hint: `Set it to ${origin} where pull requests run` }),
  };
}

/** What the check says, or what was thrown, in its words. */
async function told(name: string, check: () => Promise<DoctorCheck>): Promise<DoctorCheck> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof ReelformError) return { name, status: 'error', message: error.message, hint: error.hint };
    if (error instanceof ServiceError) return { name, status: 'error', message: error.message };
    throw error;
  }
}
