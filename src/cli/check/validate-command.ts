import type { Diagnostic } from '../../kernel/diagnostic.ts';
import { repositoryPointers } from '../../reconciler/project/find-pointers.ts';
import { loadProject, type Project } from '../../reconciler/project/load-project.ts';
import { validText } from '../../report/terminal/repository-text.ts';
import { fontUses } from '../../template/font-uses.ts';
import { type JsonOptions, workingDirectory } from '../global-options.ts';
import type { Io } from '../io.ts';
import { printCheckResult } from '../output.ts';

const WOFF = /^wOF[F2]$/;

/** `reelform validate`: reports all errors of the repository at once. */
export async function validateCommand(options: JsonOptions, io: Io): Promise<number> {
  const project = await loadProject({ cwd: workingDirectory(options, io) });
  const { videos, templates, source } = project;
  const diagnostics = [
    ...project.diagnostics,
    ...project.fallbacks,
    ...repositoryPointers(project),
    ...(await unusableFonts(project, io)),
  ];
  return printCheckResult(
    { diagnostics, source, videos: videos.length, validText: () => validText(videos.length, templates.size) },
    options,
    io,
  );
}

/** Reports what only opening a font detects: damaged content of compressed fonts, and settings that a font lacks. */
async function unusableFonts({ templates }: Project, io: Io): Promise<Diagnostic[]> {
  const uses = [...templates.values()].flatMap(({ package: template }) =>
    template === null
      ? []
      : fontUses(template)
          .filter((use) => use.at !== null || WOFF.test(String.fromCharCode(...use.bytes.subarray(0, 4))))
          .map((use) => ({ ...use, folder: template.folder })),
  );
  if (uses.length === 0) return [];
  const { openFonts } = await import('../template/template-problems.ts');
  const { unusableFont } = await import('../../report/wording/package-diagnostic.ts');
  const found: Diagnostic[] = [];
  for (const folder of new Set(uses.map((use) => use.folder))) {
    const usesOfFolder = uses.filter((use) => use.folder === folder);
    found.push(...(await openFonts(usesOfFolder, io)).unusable.map((font) => unusableFont(font, folder)));
  }
  return found;
}
