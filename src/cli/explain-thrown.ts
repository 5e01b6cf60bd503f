import { EXIT, ReelformError } from '../diagnostic.ts';
import { fileSystemError } from '../file-system-error.ts';
import { errorText, internalErrorText, serviceErrorText } from '../report/terminal/error-text.ts';
import { ServiceError } from '../service/service-error.ts';
import { VERSION } from './global-options.ts';
import type { Io } from './io.ts';

/** Says what ended a command, once, and gives its exit status. */
export function explainThrown(error: unknown, io: Io): number {
  if (error instanceof ReelformError) {
    io.stderr.write(errorText(error));
    return error.exitCode;
  }
  if (error instanceof ServiceError) {
    io.stderr.write(serviceErrorText(error));
    return EXIT.error;
  }
  const refused = fileSystemError(error);
  if (refused !== null) return explainThrown(refused, io);
  io.stderr.write(internalErrorText(error, VERSION));
  return EXIT.error;
}
