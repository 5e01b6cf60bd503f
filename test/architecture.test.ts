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

/** Parses the fenced block `arrows` of the map: `wing → wing, wing`. */
function readArrows(): Map<string, Set<string>> {
  const block = /```arrows\n([\s\S]*?)```/.exec(MAP)?.[1] ?? '';
  return new Map(
    block
      .trim()
      .split('\n')
      .map((line) => {
        const [wing = '', targets = ''] = line.split('→').map((part) => part.trim());
        return [
          wing,
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

/** Returns the wing of a file. */
function wingOf(file: string): string {
  return file.split('/')[1]!.replace(/\.ts$/, '');
}

/** Parses the tables of rooms, each under a heading `### folder/`: the rows from the floor up, each with its folders and files. */
function readRooms(): Map<string, string[][]> {
  const sections = MAP.split(/^### /m).slice(1);
  return new Map(
    sections.map((section) => {
      const folder = `src/${section.slice(0, section.indexOf('\n')).replace(/\/$/, '')}`;
      const rows = [...section.matchAll(/^\| (`[^|]*) \|/gm)];
      return [
        folder,
        rows.map(([, names]) => [...names!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!.replace(/\/$/, ''))),
      ];
    }),
  );
}

/** Returns the file or folder directly in `folder` that contains a file; null if it is elsewhere. */
function childOf(folder: string, file: string): string | null {
  return file.startsWith(`${folder}/`) ? file.slice(folder.length + 1).split('/')[0]! : null;
}

/** Returns the circles of a graph, as paths. */
function circlesOf(edges: readonly Import[]): string[] {
  const targets = new Map<string, Set<string>>();
  for (const { from, to } of edges) targets.set(from, (targets.get(from) ?? new Set()).add(to));
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (node: string, path: readonly string[]): void => {
    if (path.includes(node)) circles.push([...path.slice(path.indexOf(node)), node].join(' → '));
    if (done.has(node) || path.includes(node)) return;
    for (const next of targets.get(node) ?? []) visit(next, [...path, node]);
    done.add(node);
  };
  for (const node of targets.keys()) visit(node, []);
  return circles;
}

function edgeFiles(): string[] {
  return [...MAP.matchAll(/^.*\bEDGE\b.*$/gm)].flatMap((line) =>
    [...line[0].matchAll(/`([\w/.*-]+)`/g)].map((match) => match[1]!),
  );
}

describe('the arrows of src/README.md', () => {
  const arrows = readArrows();

  it('list every wing', () => {
    expect([...new Set(files.map(wingOf))].filter((wing) => !arrows.has(wing))).toEqual([]);
  });

  it('cover every import', () => {
    const wrong = internal.filter(({ from, to }) => {
      if (!to.startsWith('src/')) return false;
      const [source, target] = [wingOf(from), wingOf(to)];
      return source !== target && !arrows.get(source)?.has(target) && !arrows.get(source)?.has('*');
    });
    expect(wrong.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  it('form no circle between files', () => {
    expect(circlesOf(internal)).toEqual([]);
  });
});

describe('what is drawn or hashed', () => {
  /** Not the same in all versions of Node.js: a file, and why it may use it. */
  const accepted = {
    'src/engine/text/break-lines.ts': 'words of Thai, Lao, Khmer and Burmese in boxes: there is no small data for them',
    'src/reconciler/policy/check-policies.ts': 'words of a policy, which are neither drawn nor hashed',
    'src/kernel/json.ts': 'a number in a message',
  };

  it('does not depend on the locale data of Node.js', () => {
    const wings = ['kernel', 'contract', 'template', 'engine', 'reconciler', 'service'];
    const found = [...texts].filter(
      ([file, text]) =>
        wings.includes(wingOf(file)) && /\bnew Intl\b|\bIntl\.\w+\(|localeCompare|\.toLocale/.test(text),
    );
    expect(found.map(([file]) => file).sort()).toEqual(Object.keys(accepted).sort());
  });
});

describe('the rooms of src/README.md', () => {
  const rooms = readRooms();
  const folders = [...new Set(files.map((file) => dirname(file)))].sort();
  const importsWithin = (folder: string): Import[] =>
    internal.flatMap(({ from, to }) => {
      const [source, target] = [childOf(folder, from), childOf(folder, to)];
      return source === null || target === null || source === target ? [] : [{ from: source, to: target }];
    });

  it('list every room of a wing, and only existing ones', () => {
    const wings = [...new Set(files.map((file) => `src/${wingOf(file)}`))].filter((wing) => wing !== 'src/index');
    expect([...rooms.keys()]).toEqual(expect.arrayContaining(wings));
    for (const [folder, rows] of rooms) {
      const children = new Set(files.flatMap((file) => childOf(folder, file) ?? []));
      const listed = rows.flat();
      expect(
        listed.filter((name) => !children.has(name)),
        folder,
      ).toEqual([]);
      expect(
        [...children].filter((name) => !name.includes('.') && !listed.includes(name)),
        folder,
      ).toEqual([]);
    }
  });

  it('import only rooms below them', () => {
    const wrong = [...rooms].flatMap(([folder, rows]) => {
      // A file that is not listed stands on top.
      const floorOf = (name: string): number => {
        const row = rows.findIndex((names) => names.includes(name));
        return row === -1 ? rows.length : row;
      };
      return importsWithin(folder)
        .filter(({ from, to }) => floorOf(from) < floorOf(to))
        .map(({ from, to }) => `${folder}: ${from} → ${to}`);
    });
    expect([...new Set(wrong)]).toEqual([]);
  });

  it.each(folders)('form no circle in %s', (folder) => {
    expect(circlesOf(importsWithin(folder))).toEqual([]);
  });
});

describe('the house rules', () => {
  it('let the preview page import only its own files, the protocol, the table of fields and Preact', () => {
    const page = 'src/studio/page/';
    const wrong = imports.filter(({ from, to }) => {
      if (!from.startsWith(page)) return false;
      if (!to.startsWith('.')) return !/^preact(?:\/hooks)?$/.test(to);
      const target = normalize(join(dirname(from), to));
      const isShared =
        /^src\/studio\/(?:[a-z]+-)?protocol\.ts$/.test(target) || target.startsWith('src/contract/fields/');
      return !target.startsWith(page) && !isShared;
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

  it('restrict each dependency to one wing', () => {
    // The client of our service and the client that fetches user-supplied URLs are separate on purpose. The schemas of editors
    // are compiled with other options than those of documents.
    const SHARED = new Set(['p-limit', 'got', 'execa', 'ajv']);
    const folders = new Map<string, Set<string>>();
    for (const { from, to } of imports) {
      if (to.startsWith('.') || to.startsWith('node:')) continue;
      const name = to
        .split('/')
        .slice(0, to.startsWith('@') ? 2 : 1)
        .join('/');
      folders.set(name, (folders.get(name) ?? new Set()).add(wingOf(from)));
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
