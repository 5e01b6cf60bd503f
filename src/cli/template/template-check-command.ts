import { inspectPackage, type PackageFinding } from '../../engine/inspect/inspect-package.ts';
import { RenderError } from '../../engine/render-error.ts';
import { type Diagnostic, EXIT, errorAt, hasErrors, startOf } from '../../kernel/diagnostic.ts';
import { diagnosticsJson } from '../../report/json/diagnostics-json.ts';
import { checkedText } from '../../report/terminal/template-text.ts';
import { packageDiagnostic, undrawableText, unusableFont } from '../../report/wording/package-diagnostic.ts';
import { LINT_THREADS } from '../../service/sessions/processes/tasks.ts';
import { fontUses } from '../../template/font-uses.ts';
import { lintSeverity } from '../../template/lint-severities.ts';
import { templateLengths } from '../../template/package-timing.ts';
import { parseTemplatePackage } from '../../template/parse-template-package.ts';
import type { TemplatePackage } from '../../template/template-package.ts';
import { type JsonOptions, workingDirectory } from '../global-options.ts';
import type { Io } from '../io.ts';
import { printDiagnostics, printJson, stdoutStyle } from '../output.ts';
import { openCommandPool } from '../render/open-pool.ts';
import { type NamedPackage, readNamedPackage } from './named-package.ts';
import { addRepositoryFonts, repositoryAround } from './repository-fonts.ts';
import { openFonts } from './template-problems.ts';

interface TemplateCheckOptions extends JsonOptions {
  readonly strict?: boolean;
}

/** `reelform template check DIR`: reports errors of a template package, and advice for its designer. */
export async function templateCheckCommand(named: string, options: TemplateCheckOptions, io: Io): Promise<number> {
  const found = readNamedPackage(named, workingDirectory(options, io));
  const { template, findings, diagnostics } = await checkPackage(found, io);
  const failed = hasErrors(diagnostics) || (options.strict === true && diagnostics.length > 0);
  if (options.json === true) {
    const document = {
      format_version: '1.0',
      valid: !hasErrors(diagnostics),
      folder: found.folder,
      style_version: template?.spec.id ?? null,
      editables: template === null ? null : template.manifest.editables.size,
      stillcuts: template?.stills.map(({ name, frame }) => ({ name, frame })) ?? null,
      ...lengthsJson(template),
      unsupported: findings.flatMap((finding) => (finding.kind === 'unsupported' ? finding.uses : [])),
      diagnostics: diagnosticsJson(diagnostics, found.source),
    };
    printJson(document, io);
  } else {
    printDiagnostics(diagnostics, found.source, options, io);
    if (template !== null && !hasErrors(diagnostics)) {
      io.stdout.write(checkedText(found.folder, template, stdoutStyle(options, io)));
    }
  }
  return failed ? EXIT.error : EXIT.ok;
}

/** Returns `lengths` of a template with `timing`, in seconds. */
function lengthsJson(template: TemplatePackage | null): { lengths?: { min: number; max: number | null } } {
  const lengths = template === null ? null : templateLengths(template);
  return lengths === null ? {} : { lengths: { min: lengths.minSeconds, max: lengths.maxSeconds } };
}

/** Checks a template package: errors, and advice for its designer. */
export async function checkPackage(
  found: NamedPackage,
  io: Io,
): Promise<{
  template: TemplatePackage | null;
  findings: readonly PackageFinding[];
  diagnostics: readonly Diagnostic[];
}> {
  const { folder, files } = addRepositoryFonts(found, 'all');
  if (!files.ok) return { template: null, findings: [], diagnostics: files.diagnostics };
  const parsed = parseTemplatePackage(folder, files.value);
  if (!parsed.ok) return { template: null, findings: [], diagnostics: parsed.diagnostics };
  const template = parsed.value;
  const { weights, unusable } = await openFonts(fontUses(template), io);
  if (unusable.length > 0) {
    return { template, findings: [], diagnostics: unusable.map((font) => unusableFont(font, folder)) };
  }
  const pool = openCommandPool(io);
  try {
    // Licences of the repository's own fonts are not part of the package.
    const packed = found.files.ok ? found.files.value : files.value;
    const findings = await inspectPackage(template, packed.keys(), {
      renderStills: (renderInput) => pool.run('stills', renderInput),
      compare: (comparison) => pool.run('compare', comparison),
      lint: async (renderInput, safeArea) => {
        const lint = { renderInput, safeAreas: [safeArea] };
        return (await pool.run('lint', lint, { processors: LINT_THREADS })).findings;
      },
      weightOf: async ({ name }) => weights.get(name)!,
    });
    const rules = { repository: repositoryAround(found.path)?.config.lint ?? {}, template: template.manifest.lint };
    const diagnostics = findings.flatMap((finding): Diagnostic[] => {
      const diagnostic = packageDiagnostic(finding, folder, template.manifest);
      if (finding.kind !== 'hold_moves') return [diagnostic];
      const severity = lintSeverity('hold_moves', rules);
      return severity === 'off' ? [] : [{ ...diagnostic, severity }];
    });
    return { template, findings, diagnostics };
  } catch (error) {
    if (!(error instanceof RenderError)) throw error;
    return { template, findings: [], diagnostics: [undrawable(error, template)] };
  } finally {
    await pool.close();
  }
}

function undrawable(error: RenderError, { folder, manifest }: TemplatePackage): Diagnostic {
  const at = error.imageName === undefined ? undefined : manifest.editables.get(error.imageName)?.at;
  return errorAt('template_invalid', at ?? startOf(`${folder}/animation.json`), undrawableText(error));
}
