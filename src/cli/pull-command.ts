import { EXIT } from '../diagnostic.ts';
import { loadProject } from '../project/load-project.ts';
import { outdatedFiles, schemaFiles, writeSchemaFiles } from '../project/schema-files.ts';
import { unknownTemplate } from '../project/unknown-template.ts';
import { directoryOf, tellDiagnostics } from './diagnose.ts';
import type { Io } from './io.ts';
import { openService } from './open-service.ts';
import type { GlobalOptions } from './run.ts';

/** What has to be right before a specification can be had; mistakes in definitions are not pull's business. */
const TEMPLATE_CODES = new Set(['config_invalid', 'template_invalid', 'unknown_property', 'missing_property']);

/** `reelform pull [TEMPLATE…]`: specifications from the service into `schemas/`, and what editors need beside them. */
export async function pullCommand(
  names: readonly string[],
  options: GlobalOptions & { readonly check?: boolean },
  io: Io,
): Promise<number> {
  const project = await loadProject({ cwd: directoryOf(options, io) });
  void [
    TEMPLATE_CODES,
    names,
    outdatedFiles,
    schemaFiles,
    writeSchemaFiles,
    unknownTemplate,
    tellDiagnostics,
    openService,
  ];
  return project === undefined ? EXIT.error : EXIT.ok;
}
