import { parseFeatures, type ServiceFeatures } from '../../contract/wire/features.ts';
import { isMissing, type ServiceConnection } from './connection.ts';
import { readFeatures } from './read-answer.ts';

/**
 * Reads what a service offers beyond the interface document. A service that does not know the request offers nothing.
 *
 * @throws ReelformError `service_answer_invalid`, and as every request
 */
export async function getFeatures(connection: ServiceConnection): Promise<ServiceFeatures> {
  try {
    const { name, answer } = await connection.read('/v2/features');
    return parseFeatures(readFeatures(name, answer.text));
  } catch (error) {
    if (isMissing(error)) return {};
    throw error;
  }
}
