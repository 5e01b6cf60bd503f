import { type Diagnostic, errorAt, type Locate, type Result } from '../../kernel/diagnostic.ts';
import { resolvePath } from '../definition/definition-file.ts';
import type { LocaleSettings } from '../locales/locale-settings.ts';
import { CONFIG_FILE } from './repository-layout.ts';

/** `locales` of reelform.yaml as written, after validation. */
export interface WrittenLocales {
  readonly source: string;
  readonly targets: readonly string[];
  readonly files?: string;
  readonly missing?: LocaleSettings['missing'];
  readonly columns?: readonly string[];
  readonly ids?: LocaleSettings['ids'];
}

const DEFAULT_FILES = 'locales/{locale}.po';

/** Reads the languages of a repository. */
export function readLocales(written: WrittenLocales, locate: Locate): Result<LocaleSettings> {
  const { source, targets, missing = 'skip', columns = [], ids = 'all' } = written;
  const diagnostics: Diagnostic[] = [];
  targets.forEach((target, index) => {
    const isSource = target === source;
    if (!isSource && targets.indexOf(target) === index) return;
    const { span } = locate(['locales', 'targets', String(index)], 'value');
    const message = isSource
      ? `locales.targets contains ${target}, the source, which needs no translation`
      : `locales.targets contains ${target} twice`;
    diagnostics.push(errorAt('config_invalid', span, message, 'Remove it'));
  });
  const files = resolvePath(written.files ?? DEFAULT_FILES, CONFIG_FILE);
  if (!files.ok) {
    diagnostics.push(errorAt(files.code, locate(['locales', 'files'], 'value').span, files.message, files.hint));
    return { ok: false, diagnostics };
  }
  if (diagnostics.length > 0) return { ok: false, diagnostics };
  return { ok: true, value: { source, targets, files: files.path, missing, columns, ids } };
}
