import { dirname, join } from 'node:path/posix';

/** Sizes and coupling of the files of a source tree. Lines are counted like `wc -l`. */
export interface TreeFigures {
  /** Number of files and folders directly in `src/`. */
  readonly entries: number;
  readonly files: number;
  readonly lines: number;
  /** Lines per file. */
  readonly quantiles: {
    readonly p10: number;
    readonly p25: number;
    readonly median: number;
    readonly p75: number;
    readonly p90: number;
    readonly max: number;
  };
  readonly under25: number;
  readonly over300: number;
  readonly over400: number;
  readonly exports: { readonly mean: number; readonly median: number };
  readonly relativeImportsPer100Lines: number;
  /** Spreads of an object that is written in place, which only pack its properties into a line. */
  readonly packedSpreads: number;
  /** Spreads of an object that is written in place under a condition. */
  readonly conditionalSpreads: number;
  /** Uses of the word "one", in code and comments. */
  readonly one: number;
  /** Number of files imported by exactly one other source file. */
  readonly oneImporter: number;
  /** Names declared and exported by more than one file, with those files. Re-exports are not declarations. */
  readonly homonyms: Readonly<Record<string, readonly string[]>>;
  readonly wings: Readonly<Record<string, { readonly files: number; readonly lines: number }>>;
  readonly tests: {
    readonly files: number;
    readonly lines: number;
    readonly supportFiles: number;
    readonly supportLines: number;
  };
}

/** @param texts content of every TypeScript file below `src/` and `test/`, by its path in the repository */
export function treeFigures(texts: ReadonlyMap<string, string>): TreeFigures {
  const sources = [...texts].filter(([path]) => path.startsWith('src/'));
  const tests = [...texts].filter(([path]) => path.startsWith('test/'));
  const support = tests.filter(([path]) => !/\.(?:test|proof)\.ts$/.test(path));
  const sizes = sources.map(([, text]) => lineCount(text));
  const lines = sum(sizes);
  const exported = sources.map(([path, text]) => ({ path, ...exportsOf(text) }));
  const exportCounts = exported.map(({ declared, forwarded }) => declared.size + forwarded);
  const imports = sources.map(([path, text]) => ({ path, targets: relativeImports(path, text) }));
  const count = (pattern: RegExp): number => sum(sources.map(([, text]) => text.match(pattern)?.length ?? 0));
  return {
    entries: new Set(sources.map(([path]) => path.split('/')[1])).size,
    files: sources.length,
    lines,
    quantiles: {
      p10: quantile(sizes, 0.1),
      p25: quantile(sizes, 0.25),
      median: quantile(sizes, 0.5),
      p75: quantile(sizes, 0.75),
      p90: quantile(sizes, 0.9),
      max: quantile(sizes, 1),
    },
    under25: sizes.filter((size) => size < 25).length,
    over300: sizes.filter((size) => size > 300).length,
    over400: sizes.filter((size) => size > 400).length,
    exports: { mean: round(sum(exportCounts) / sources.length), median: quantile(exportCounts, 0.5) },
    relativeImportsPer100Lines: round((100 * sum(imports.map(({ targets }) => targets.length))) / lines),
    packedSpreads: count(/\.\.\.\{ *\w/g),
    conditionalSpreads: count(/\.\.\.\([^\n]*?(?:&&|\?) \{/g),
    one: count(/\bone\b/gi),
    oneImporter: oneImporterCount(imports),
    homonyms: homonyms(exported),
    wings: wings(sources),
    tests: {
      files: tests.length - support.length,
      lines: sum(tests.map(([, text]) => lineCount(text))) - sum(support.map(([, text]) => lineCount(text))),
      supportFiles: support.length,
      supportLines: sum(support.map(([, text]) => lineCount(text))),
    },
  };
}

/** Returns the figures of several trees side by side, one column each. */
export function figuresTable(trees: readonly { readonly name: string; readonly figures: TreeFigures }[]): string {
  const all = trees.map(({ figures }) => figures);
  const row = (label: string, cell: (figures: TreeFigures) => string | number): string[] => [
    label,
    ...all.map((figures) => String(cell(figures))),
  ];
  const share = (count: number, { files }: TreeFigures): string => `${count} (${round((100 * count) / files)} %)`;
  const wingNames = [...new Set(all.flatMap((figures) => Object.keys(figures.wings)))].sort();
  const rows = [
    ['', ...trees.map(({ name }) => name)],
    row('entries of src', ({ entries }) => entries),
    row('source files', ({ files }) => files),
    row('source lines', ({ lines }) => lines),
    row('lines a file: p10 / p25', ({ quantiles }) => `${quantiles.p10} / ${quantiles.p25}`),
    row('lines a file: median', ({ quantiles }) => quantiles.median),
    row('lines a file: p75 / p90', ({ quantiles }) => `${quantiles.p75} / ${quantiles.p90}`),
    row('lines a file: longest', ({ quantiles }) => quantiles.max),
    row('files under 25 lines', (figures) => share(figures.under25, figures)),
    row('files over 300 / 400 lines', ({ over300, over400 }) => `${over300} / ${over400}`),
    row('exports a file: mean / median', ({ exports }) => `${exports.mean} / ${exports.median}`),
    row('relative imports per 100 lines', (figures) => figures.relativeImportsPer100Lines),
    row('spreads: packed / conditional', (figures) => `${figures.packedSpreads} / ${figures.conditionalSpreads}`),
    row('the word "one"', ({ one }) => one),
    row('files with one importer', (figures) => share(figures.oneImporter, figures)),
    row('names exported by several files', (figures) => Object.keys(figures.homonyms).length),
    row('test files', ({ tests }) => tests.files),
    row('test lines', ({ tests }) => tests.lines),
    row('test support files', ({ tests }) => tests.supportFiles),
    row('test support lines', ({ tests }) => tests.supportLines),
    ...wingNames.map((name) =>
      row(`${name}/ files, lines`, ({ wings }) => `${wings[name]?.files ?? 0}, ${wings[name]?.lines ?? 0}`),
    ),
  ];
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((cells) => cells[column]!.length)));
  return rows
    .map((cells) =>
      cells
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function lineCount(text: string): number {
  return text.split('\n').length - 1;
}

/** Reads the specifiers of static and dynamic imports, of re-exports and of `require`. */
function relativeImports(path: string, text: string): string[] {
  return [...text.matchAll(/(?:from|import\(|require\()\s*['"](\.[^'"]+)['"]/g)].map((match) =>
    join(dirname(path), match[1]!),
  );
}

/** Reads exports line by line, which is enough for sources in the form that the formatter gives them. */
function exportsOf(text: string): { readonly declared: ReadonlySet<string>; readonly forwarded: number } {
  const declared = new Set(
    [
      ...text.matchAll(
        /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|class|const enum|const|let|interface|type|enum|namespace) ([\w$]+)/gm,
      ),
    ].map((match) => match[1]!),
  );
  let forwarded = 0;
  for (const [, list = '', from] of text.matchAll(/^export (?:type )?\{([^}]*)\}( from)?/gm)) {
    const names = list
      .split(',')
      .map((name) => name.trim().split(/\s+/).at(-1)!)
      .filter((name) => name !== '');
    if (from === undefined) for (const name of names) declared.add(name);
    else forwarded += names.length;
  }
  forwarded += [...text.matchAll(/^export \* /gm)].length;
  return { declared, forwarded };
}

function oneImporterCount(imports: readonly { readonly path: string; readonly targets: readonly string[] }[]): number {
  const importers = new Map<string, Set<string>>();
  for (const { path, targets } of imports) {
    for (const target of targets) importers.set(target, (importers.get(target) ?? new Set()).add(path));
  }
  return imports.filter(({ path }) => importers.get(path)?.size === 1).length;
}

function homonyms(
  exported: readonly { readonly path: string; readonly declared: ReadonlySet<string> }[],
): Record<string, string[]> {
  const places = new Map<string, string[]>();
  for (const { path, declared } of exported) {
    for (const name of declared) places.set(name, [...(places.get(name) ?? []), path]);
  }
  return Object.fromEntries([...places].filter(([, paths]) => paths.length > 1).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The wings of src/README.md: the folders of `src/`. */
function wings(sources: readonly (readonly [string, string])[]): Record<string, { files: number; lines: number }> {
  const found: Record<string, { files: number; lines: number }> = {};
  for (const [path, text] of sources) {
    const wing = path.split('/')[1]!;
    if (wing.includes('.')) continue;
    found[wing] ??= { files: 0, lines: 0 };
    found[wing].files += 1;
    found[wing].lines += lineCount(text);
  }
  return found;
}

/** Nearest rank; the upper of the two middle values of an even count. */
function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
