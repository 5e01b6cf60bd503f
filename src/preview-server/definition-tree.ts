import { readDefinitionFile } from '../definition/definition-file.ts';
import { extend } from '../definition/extend.ts';
import type { Project } from '../project/load-project.ts';
import type { MapNode } from '../yaml/tree.ts';

/** Parses a definition and merges it with its fragments, as far as they can be parsed. Values keep the name of their file. */
export function definitionTree(path: string, { source }: Pick<Project, 'source'>): MapNode | null {
  const load = (file: string) => {
    const text = source(file);
    return text === undefined ? null : readDefinitionFile(file, { ok: true, text }, () => []);
  };
  const file = load(path);
  return file === null ? null : (extend(file, load).root ?? file.root);
}
