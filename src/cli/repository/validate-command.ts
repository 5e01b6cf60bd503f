import { type Diagnostic, EXIT, hasErrors } from '../../diagnostic.ts';
import { loadProject, type Project } from '../../project/load-project.ts';
import { diagnosticsJson } from '../../report/json/diagnostics-json.ts';
import { validText } from '../../report/terminal/repository-text.ts';
import { unreadableFont } from '../../report/wording/package-diagnostic.ts';
import { directoryOf, tellDiagnostics } from '../diagnose.ts';
import type { GlobalOptions } from '../global-options.ts';
import type { Io } from '../io.ts';

const WOFF = /^wOF[F2]$/;

/** `reelform validate`: all that is wrong in the repository, at once. */
export async function validateCommand(options: GlobalOptions & { readonly json?: boolean }, io: Io): Promise<number> {
  const project = await loadProject({ cwd: directoryOf(options, io) });
  const { videos, templates, source } = project;
  const diagnostics = [...project.diagnostics, ...(await damagedFonts(project, io))];
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

/** Fonts of templates whose packed content is damaged: what only unpacking tells. */
async function damagedFonts({ templates }: Project, io: Io): Promise<Diagnostic[]> {
  const packed = [...templates.values()].flatMap(({ package: template }) =>
    template === null
      ? []
      : [...template.fonts.values(), ...template.extraFonts.values()]
          .filter(({ bytes }) => WOFF.test(String.fromCharCode(...bytes.subarray(0, 4))))
          .map((font) => ({ ...font, folder: template.folder })),
  );
  if (packed.length === 0) return [];
  const { unreadableFonts } = await import('../template/unreadable-fonts.ts');
  const found: Diagnostic[] = [];
  for (const folder of new Set(packed.map((font) => font.folder))) {
    const own = packed.filter((font) => font.folder === folder);
    found.push(...(await unreadableFonts(own, io)).map((font) => unreadableFont(font, folder)));
  }
  return found;
}
