import type { StyleVersion } from '../../contract/wire/style-version.ts';
import { ReelformError } from '../../kernel/diagnostic.ts';
import { isMissing, type ServiceConnection } from './connection.ts';
import { type PushedStyleVersion, readStyleVersion, readStyleVersionState } from './read-answer.ts';

const STYLE_VERSIONS_PATH = '/v2/template_style_versions';

/** Returns the path of the specification of a style version. */
export function specsPath(id: string): string {
  return `${STYLE_VERSIONS_PATH}/${encodeURIComponent(id)}/specs`;
}

/** Reads the specification of a style version. */
export async function getStyleVersion(connection: ServiceConnection, id: string): Promise<StyleVersion> {
  const { name, answer } = await connection.read(specsPath(id));
  return readStyleVersion(name, answer.text);
}

/** Reads the state of an uploaded style version; null if the service has none with this id. */
export async function findStyleVersion(connection: ServiceConnection, id: string): Promise<PushedStyleVersion | null> {
  try {
    const { name, answer } = await connection.read(`${STYLE_VERSIONS_PATH}/${encodeURIComponent(id)}`);
    return readStyleVersionState(name, answer.text);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Uploads a template package. @throws ReelformError `service_lacks_uploads` */
export async function uploadStyleVersion(connection: ServiceConnection, zip: Uint8Array): Promise<PushedStyleVersion> {
  const { name, answer } = await connection.upload(STYLE_VERSIONS_PATH, zip, 'application/zip').catch((error) => {
    throw isMissing(error) ? lacksTemplates(connection.options.url) : error;
  });
  return readStyleVersionState(name, answer.text);
}

function lacksTemplates(url: string): ReelformError {
  return new ReelformError('service_lacks_uploads', `The service at ${url} does not accept templates`, {
    hint: 'Check the URL. If it is right, name a template style version of the service in reelform.yaml',
  });
}
