import { type Diagnostic, EXIT, hasErrors } from '../../diagnostic.ts';
import { inspectPackage, type PackageFinding } from '../../engine/inspect/inspect-package.ts';
import { SceneError } from '../../engine/scene-error.ts';
import { diagnosticsJson } from '../../report/json/diagnostics-json.ts';
import { checkedText } from '../../report/terminal/template-text.ts';
import { packageDiagnostic, unreadableFont } from '../../report/wording/package-diagnostic.ts';
import { sandboxFromEnvironment } from '../../sandbox/sandbox.ts';
import { createRenderPool, renderCapacity } from '../../session/processes/render-pool.ts';
import { parseTemplatePackage } from '../../template/parse-template-package.ts';
import type { TemplatePackage } from '../../template/template-package.ts';
import { directoryOf, tellDiagnostics } from '../diagnose.ts';
import type { GlobalOptions } from '../global-options.ts';
import { type Io, wantsColor } from '../io.ts';
import { type NamedPackage, readNamedPackage } from './read-package.ts';
import { unreadableFonts } from './unreadable-fonts.ts';
import { withRepositoryFonts } from './with-repository-fonts.ts';

export interface TemplateCheckOptions extends GlobalOptions {
  readonly strict?: boolean;
  readonly json?: boolean;
}

/** `reelform template check DIR`: what is wrong with a template package, and what its designer had better know. */
export async function templateCheckCommand(named: string, options: TemplateCheckOptions, io: Io): Promise<number> {
  const found = readNamedPackage(named, directoryOf(options, io));
  const { template, findings, diagnostics } = await check(found, io);
  const failed = hasErrors(diagnostics) || (options.strict === true && diagnostics.length > 0);
  if (options.json === true) {
    const document = {
      format_version: '1.0',
      valid: !hasErrors(diagnostics),
      folder: found.folder,
      style_version: template?.spec.id ?? null,
      editables: template === null ? null : template.manifest.editables.size,
      stillcuts: template?.stills.map(({ name, frame }) => ({ name, frame })) ?? null,
      unsupported: findings.flatMap((one) => (one.kind === 'unsupported' ? one.uses : [])),
      diagnostics: diagnosticsJson(diagnostics, found.source),
    };
    io.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
  } else {
    tellDiagnostics(diagnostics, found.source, options, io);
    if (template !== null && !hasErrors(diagnostics)) {
      io.stdout.write(checkedText(found.folder, template, { color: wantsColor(io.stdout, io.env, options.color) }));
    }
  }
  return failed ? EXIT.error : EXIT.ok;
}

async function check(
  found: NamedPackage,
  io: Io,
): Promise<{
  template: TemplatePackage | null;
  findings: readonly PackageFinding[];
  diagnostics: readonly Diagnostic[];
}> {
  const { folder, files } = withRepositoryFonts(found, 'all');
  if (!files.ok) return { template: null, findings: [], diagnostics: files.diagnostics };
  const parsed = parseTemplatePackage(folder, files.value);
  if (!parsed.ok) return { template: null, findings: [], diagnostics: parsed.diagnostics };
  const template = parsed.value;
  const carried = [...template.fonts.values(), ...template.extraFonts.values()];
  const unreadable = (await unreadableFonts(carried, io)).map((font) => unreadableFont(font, folder));
  if (unreadable.length > 0) return { template, findings: [], diagnostics: unreadable };
  const pool = (io.createRenderPool ?? createRenderPool)({
    size: renderCapacity(),
    sandbox: sandboxFromEnvironment(io.env),
  });
  try {
    // The licences of the repository's own fonts are not the package's affair.
    const own = found.files.ok ? found.files.value : files.value;
    const findings = await inspectPackage(template, own.keys(), {
      renderStills: (scene) => pool.run('stills', scene),
      lint: (scene) => pool.run('lint', scene),
    });
    const diagnostics = findings.map((finding) => packageDiagnostic(finding, folder, template.manifest));
    return { template, findings, diagnostics };
  } catch (error) {
    if (!(error instanceof SceneError)) throw error;
    return { template, findings: [], diagnostics: [undrawable(error, template)] };
  } finally {
    await pool.close();
  }
}

function undrawable({ message, imageName }: SceneError, { folder, manifest }: TemplatePackage): Diagnostic {
  const at = imageName === undefined ? undefined : manifest.editables.get(imageName)?.at;
  const what = imageName === undefined || message.includes(imageName) ? message : `${imageName}: ${message}`;
  const file = { file: `${folder}/animation.json`, start: 0, end: 0 };
  return { code: 'template_invalid', severity: 'error', message: what, at: at ?? file };
}
