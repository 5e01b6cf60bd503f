import { EXIT, hasErrors } from '../../diagnostic.ts';
import { loadProject } from '../../project/load-project.ts';
import { diagnosticsJson } from '../../report/diagnostics-json.ts';
import { validText } from '../../report/validate-text.ts';
import { directoryOf, tellDiagnostics } from '../diagnose.ts';
import type { GlobalOptions } from '../global-options.ts';
import type { Io } from '../io.ts';

/** `reelform validate`: all that is wrong in the repository, at once. */
export async function validateCommand(options: GlobalOptions & { readonly json?: boolean }, io: Io): Promise<number> {
  const { diagnostics, videos, templates, source } = await loadProject({ cwd: directoryOf(options, io) });
  const valid = !hasErrors(diagnostics);
  if (options.json === true) {
    const document = {
      format_version: '1.0',
      valid,
      videos: videos.length,
      diagnostics: diagnosticsJson(diagnostics, source),
    };
    io.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
  } else {
    tellDiagnostics(diagnostics, source, options, io);
    if (valid) io.stdout.write(validText(videos.length, templates.size));
  }
  return valid ? EXIT.ok : EXIT.error;
}
