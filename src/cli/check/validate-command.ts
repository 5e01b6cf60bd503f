import type { Diagnostic } from '../../diagnostic.ts';
import { loadProject, type Project } from '../../project/load-project.ts';
import { validText } from '../../report/terminal/repository-text.ts';
import { unreadableFont } from '../../report/wording/package-diagnostic.ts';
import { type GlobalOptions, workingDirectory } from '../global-options.ts';
import type { Io } from '../io.ts';
import { printCheckResult } from '../output.ts';

const WOFF = /^wOF[F2]$/;

/** `reelform validate`: reports all errors of the repository at once. */
export async function validateCommand(options: GlobalOptions & { readonly json?: boolean }, io: Io): Promise<number> {
  const project = await loadProject({ cwd: workingDirectory(options, io) });
  const { videos, templates, source } = project;
  const diagnostics = [...project.diagnostics, ...(await damagedFonts(project, io))];
  return printCheckResult(
    { diagnostics, source, videos: videos.length, validText: () => validText(videos.length, templates.size) },
    options,
    io,
  );
}

/** Reports compressed fonts of templates with damaged content, which only decompression detects. */
async function damagedFonts({ templates }: Project, io: Io): Promise<Diagnostic[]> {
  const packed = [...templates.values()].flatMap(({ package: template }) =>
    template === null
      ? []
      : [...template.fonts.values(), ...template.extraFonts.values()]
          .filter(({ bytes }) => WOFF.test(String.fromCharCode(...bytes.subarray(0, 4))))
          .map((font) => ({ ...font, folder: template.folder })),
  );
  if (packed.length === 0) return [];
  const { unreadableFonts } = await import('../template/template-problems.ts');
  const found: Diagnostic[] = [];
  for (const folder of new Set(packed.map((font) => font.folder))) {
    const own = packed.filter((font) => font.folder === folder);
    found.push(...(await unreadableFonts(own, io)).map((font) => unreadableFont(font, folder)));
  }
  return found;
}
