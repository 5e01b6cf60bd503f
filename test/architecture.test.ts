import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import fg from 'fast-glob';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const MAP = readFileSync(join(ROOT, 'src/README.md'), 'utf8');

interface Import {
  readonly from: string;
  readonly to: string;
}

const files = fg.sync('src/**/*.{ts,tsx}', { cwd: ROOT, ignore: ['**/*.as.ts'] }).sort();
const texts = new Map(files.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]));
const imports: Import[] = [...texts].flatMap(([from, text]) =>
  [...text.matchAll(/(?:from|import\()\s*'([^']+)'/g)].map((match) => ({ from, to: match[1]! })),
);
const internal = imports
  .filter(({ to }) => to.startsWith('.'))
  .map(({ from, to }) => ({ from, to: normalize(join(dirname(from), to)) }));

/** Parses the fenced block `arrows` of the map: `layer → layer, layer`. */
function readArrows(): Map<string, Set<string>> {
  const block = /```arrows\n([\s\S]*?)```/.exec(MAP)?.[1] ?? '';
  return new Map(
    block
      .trim()
      .split('\n')
      .map((line) => {
        const [layer = '', targets = ''] = line.split('→').map((part) => part.trim());
        return [
          layer,
          new Set(
            targets
              .split(',')
              .map((target) => target.trim())
              .filter((target) => target !== ''),
          ),
        ];
      }),
  );
}

/** Returns the layer of a file. Files directly in `src/` are the kernel. */
function layerOf(file: string): string {
  if (file === 'src/index.ts') return 'index';
  const folder = file.split('/')[1]!;
  return folder.endsWith('.ts') ? 'kernel' : folder;
}

function edgeFiles(): string[] {
  return [...MAP.matchAll(/^.*\bEDGE\b.*$/gm)].flatMap((line) =>
    [...line[0].matchAll(/`([\w/.*-]+)`/g)].map((match) => match[1]!),
  );
}

describe('the arrows of src/README.md', () => {
  const arrows = readArrows();

  it('list every layer', () => {
    expect([...new Set(files.map(layerOf))].filter((layer) => !arrows.has(layer))).toEqual([]);
  });

  it('cover every import', () => {
    const wrong = internal.filter(({ from, to }) => {
      if (!to.startsWith('src/')) return false;
      const [source, target] = [layerOf(from), layerOf(to)];
      return source !== target && !arrows.get(source)?.has(target) && !arrows.get(source)?.has('*');
    });
    expect(wrong.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  it('form no cycle between files', () => {
    const targets = new Map<string, string[]>();
    for (const { from, to } of internal) targets.set(from, [...(targets.get(from) ?? []), to]);
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' → '));
      if (done.has(file) || path.includes(file)) return;
      for (const next of targets.get(file) ?? []) visit(next, [...path, file]);
      done.add(file);
    };
    for (const file of files) visit(file, []);
    expect(circles).toEqual([]);
  });
});

describe('the house rules', () => {
  it('let the preview page import only its own files, the protocol and Preact', () => {
    const page = 'src/studio/page/';
    const wrong = imports.filter(({ from, to }) => {
      if (!from.startsWith(page)) return false;
      if (!to.startsWith('.')) return !/^preact(?:\/hooks)?$/.test(to);
      const target = normalize(join(dirname(from), to));
      return !target.startsWith(page) && target !== 'src/studio/protocol.ts';
    });
    expect(wrong.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
    const entering = internal.filter(
      ({ from, to }) => to.startsWith(page) && from.startsWith('src/') && !from.startsWith(page),
    );
    expect(entering.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  const worldly =
    /^(?:node:(?:fs|fs\/promises|child_process|worker_threads|net|http|https|os|readline|readline\/promises|timers\/promises)|execa|fast-glob)$/;

  it('let only EDGE files use the operating system', () => {
    const edges = edgeFiles();
    const isEdge = (file: string): boolean =>
      edges.some((edge) => (edge.endsWith('/') ? file.startsWith(`src/${edge}`) : file === `src/${edge}`));
    const wrong = imports.filter(({ from, to }) => worldly.test(to) && !isEdge(from));
    expect(wrong.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  it('list only existing files as EDGE', () => {
    const missing = edgeFiles().filter((edge) => !files.some((file) => file.startsWith(`src/${edge}`)));
    expect(missing).toEqual([]);
  });

  it('let only entry points name process', () => {
    const wrong = [...texts].filter(
      ([file, text]) =>
        !['src/cli/main.ts', 'src/service/sessions/processes/render-process.ts'].includes(file) &&
        /(?<![\w.'-])process\./.test(text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')),
    );
    expect(wrong.map(([file]) => file)).toEqual([]);
  });

  it('restrict each dependency to one folder', () => {
    // The client of our service and the client that fetches user-supplied URLs are separate on purpose.
    const SHARED = new Set(['p-limit', 'got', 'execa']);
    const folders = new Map<string, Set<string>>();
    for (const { from, to } of imports) {
      if (to.startsWith('.') || to.startsWith('node:')) continue;
      const name = to
        .split('/')
        .slice(0, to.startsWith('@') ? 2 : 1)
        .join('/');
      folders.set(name, (folders.get(name) ?? new Set()).add(layerOf(from)));
    }
    const spread = [...folders].filter(([name, where]) => where.size > 1 && !SHARED.has(name));
    expect(spread.map(([name, where]) => `${name}: ${[...where].join(', ')}`)).toEqual([]);
  });

  it('keep every file under 400 lines', () => {
    const long = [...texts].filter(([, text]) => text.split('\n').length > 400);
    expect(long.map(([file]) => file)).toEqual([]);
  });

  it('forbid default exports', () => {
    const wrong = [...texts].filter(([, text]) => /^export default/m.test(text));
    expect(wrong.map(([file]) => file)).toEqual([]);
  });
});
