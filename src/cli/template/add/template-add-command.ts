import type { Io } from '../../io.ts';
import { withProcesses } from '../../render/command-pool.ts';
import type { TemplateAddOptions } from './prepare-template.ts';

/**
 * `reelform template add SOURCE`: makes a template package of an animation with everything that it lacks, registers it in
 * reelform.yaml, writes its schemas and a first definition, and draws a contact sheet.
 */
export async function templateAddCommand(named: string, options: TemplateAddOptions, io: Io): Promise<number> {
  // One process for comparisons and the contact sheet. Every source is drawn: an animation to find out whether it is transparent, and
  // each template for its contact sheet. So the process starts before the code that reads the source is loaded.
  return withProcesses(io, async (processes) => {
    await processes.warm(1, 'pictures');
    const { addTemplate } = await import('./add-template.ts');
    return addTemplate(named, options, processes, io);
  });
}
