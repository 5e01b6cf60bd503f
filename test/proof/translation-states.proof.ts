import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Video } from '../../src/reconciler/definition/video.ts';
import { loadProject } from '../../src/reconciler/project/load-project.ts';
import { count, tell } from '../support/proof.ts';
import { CONFIG, definition, makeRepository } from '../support/repository.ts';
import { writeFiles } from '../support/temporary-repository.ts';
import { reelform } from '../support/test-io.ts';

const TARGETS = ['de', 'pt-BR'] as const;
const SOURCES: Readonly<Record<string, string>> = {
  'a#@title': 'Alpha',
  'a#t_01': 'Alpha',
  'a/tall#t_01': 'Tall',
  'b#@title': 'Beta',
  'b#t_01': 'Beta',
  'b#@captions.1': 'Good morning',
  'c/lamp#${claim}': 'Light',
  'c/sofa#${claim}': 'Sit down',
};
/** The texts of each video, in the order of `textsOf`. */
const TEXTS: Readonly<Record<string, readonly string[]>> = {
  'a/wide': ['a#@title', 'a#t_01'],
  'a/tall': ['a#@title', 'a/tall#t_01'],
  b: ['b#@title', 'b#t_01', 'b#@captions.1'],
  'c/lamp': ['c/lamp#${claim}'],
  'c/sofa': ['c/sofa#${claim}'],
};

/** States of a text. Only those of `DONE` are translations. */
const STATES = ['translated', 'translated', 'translated', 'reviewed', 'final', 'absent', 'empty', 'stale', 'initial', 'old source', 'obsolete'] as const; // biome-ignore format: one list
type State = (typeof STATES)[number];
const DONE: readonly State[] = ['translated', 'reviewed', 'final'];

interface Entry {
  readonly context: string;
  readonly source: string;
  readonly target: string;
  readonly state: State;
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Writers of catalogues by hand, which do not share code with the readers. */
const FORMATS = {
  po: (entries: readonly Entry[]) =>
    `msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n${entries
      .map(({ context, source, target, state }) => {
        const mark = state === 'obsolete' ? '#~ ' : '';
        const flag = state === 'stale' || state === 'initial' ? '#, fuzzy\n' : '';
        return `\n${flag}${mark}msgctxt "${context}"\n${mark}msgid "${source}"\n${mark}msgstr "${target}"\n`;
      })
      .join('')}`,
  csv: (entries: readonly Entry[]) =>
    `context,source,target,state\n${entries
      .map(({ context, source, target, state }) => {
        const written = state === 'initial' ? 'stale' : state;
        return `${context},${source},${target},${written === 'stale' || written === 'obsolete' ? written : ''}\n`;
      })
      .join('')}`,
  xlf: (entries: readonly Entry[]) =>
    `<xliff version="2.0" xmlns="urn:oasis:names:tc:xliff:document:2.0" srcLang="en" trgLang="de"><file id="f">${entries
      .map(({ context, source, target, state }, index) => {
        const notes = state === 'obsolete' ? '<notes><note category="obsolete">Gone</note></notes>' : '';
        const isStale = state === 'stale';
        const known = ['translated', 'reviewed', 'final', 'initial'].includes(state) ? ` state="${state}"` : '';
        return `<unit id="${index}" name="${escaped(context)}">${notes}<segment${known}${isStale ? ' state="translated" subState="reelform:stale"' : ''}><source>${source}</source><target>${target}</target></segment></unit>`;
      })
      .join('\n')}</file></xliff>`,
  'xlf 1.2': (entries: readonly Entry[]) =>
    `<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file source-language="en" target-language="de" original="x" datatype="plaintext"><body>${entries
      .filter(({ state }) => state !== 'obsolete')
      .map(({ context, source, target, state }) => {
        const written = { stale: 'needs-review-translation', initial: 'needs-translation' }[state as string] ?? state;
        return `<trans-unit id="${escaped(context)}"><source>${source}</source><target state="${written}">${target}</target></trans-unit>`;
      })
      .join('\n')}</body></file></xliff>`,
} as const;
type Format = keyof typeof FORMATS;

const targetOf = (context: string, locale: string): string => `${SOURCES[context]} ${locale}`;

function catalogue(format: Format, locale: string, stateOf: (context: string) => State): string {
  const entries = Object.entries(SOURCES).flatMap(([context, source]): Entry[] => {
    const state = stateOf(context);
    const target = state === 'empty' ? '' : targetOf(context, locale);
    return state === 'absent' ? [] : [{ context, source: state === 'old source' ? `Old ${source}` : source, target, state }]; // biome-ignore format: one expression
  });
  return FORMATS[format](entries);
}

const states = fc.record({
  /** What is wrong with the catalogue of each locale as a file. */
  files: fc.tuple(...TARGETS.map(() => fc.constantFrom('whole', 'whole', 'whole', 'whole', 'removed', 'broken'))),
  texts: fc.tuple(...TARGETS.map(() => fc.array(fc.constantFrom(...STATES), { minLength: 8, maxLength: 8 }))),
  hasUnknownLocale: fc.boolean(),
  /** Entries of the lockfile that are kept; of the others, the video was not rendered yet. */
  locked: fc.array(fc.boolean(), { minLength: 15, maxLength: 15 }),
});

/** Returns what a viewer sees or hears of a video, and its locale translates. */
function textsOf({ id, title, scenes, captions }: Video): string[] {
  const headline = scenes[0]!.resources.get('t_01');
  const texts = headline?.kind === 'text' ? [headline.text] : [];
  return [...(id.startsWith('c/') ? [] : [title]), ...texts, ...(captions?.cues ?? []).map(({ text }) => text)];
}

async function renderedRepository(format: Format): Promise<string> {
  const extension = format.slice(0, 3).trim();
  const root = makeRepository({
    'reelform.yaml': `${CONFIG}locales: {source: en, targets: [de, pt-BR], columns: [claim], files: "locales/{locale}.${extension}"}\n`,
    'videos/a.yaml': `${definition('Alpha')}locales: all\nvariants: {wide: {}, tall: {resources: {t_01: Tall}}}\n`,
    'videos/b.yaml': `${definition('Beta')}locales: all\ncaptions: {from: [{start: 0, end: 0.5, text: Good morning}], burn: false, embed: true}\n`,
    'videos/c.yaml': `template: small\ntitle: "\${slug}"\neach: {from: ./rows.csv, id: "\${slug}"}\nlocales: all\nresources: {t_01: "\${claim}", c_01: "#EEADA7"}\n`,
    'videos/rows.csv': 'slug,claim\nlamp,Light\nsofa,Sit down\n',
    ...Object.fromEntries(TARGETS.map((tag) => [`locales/${tag}.${extension}`, catalogue(format, tag, () => 'translated')])), // biome-ignore format: one expression
  });
  for (const name of ['berlin', 'oslo', 'rome']) rmSync(join(root, `videos/${name}.yaml`));
  const applied = await reelform(root, ['apply', '--auto-approve']);
  expect(applied.stderr + applied.stdout).toContain('15');
  expect(applied.exitCode).toBe(0);
  return root;
}

describe('videos of random states of catalogues, with missing: skip', () => {
  it.each(Object.keys(FORMATS) as Format[])('are whole or wait, and are never removed, as %s', async (format) => {
    const extension = format.slice(0, 3).trim();
    const root = await renderedRepository(format);
    const lockPath = join(root, 'reelform.lock.json');
    const lock = JSON.parse(readFileSync(lockPath, 'utf8')) as { videos: Record<string, unknown> };
    const ids = Object.keys(lock.videos);
    expect(ids).toHaveLength(15);
    const seen = { states: 0, whole: 0, waiting: 0, keptInLock: 0, broken: 0 };
    const property = fc.asyncProperty(states, async ({ files, texts, hasUnknownLocale, locked }) => {
      const kept = ids.filter((_, index) => locked[index]);
      writeFileSync(lockPath, JSON.stringify({ ...lock, videos: Object.fromEntries(kept.map((id) => [id, lock.videos[id]])) }, null, 2)); // biome-ignore format: one call
      const isDone = new Map<string, boolean>();
      for (const [at, locale] of TARGETS.entries()) {
        const stateOf = (context: string): State => texts[at]![Object.keys(SOURCES).indexOf(context)]!;
        const path = join(root, `locales/${locale}.${extension}`);
        const written = catalogue(format, locale, stateOf);
        if (files[at] === 'removed') rmSync(path, { force: true });
        else writeFileSync(path, files[at] === 'broken' ? BROKEN[format] : written);
        for (const context of Object.keys(SOURCES)) {
          isDone.set(`${locale} ${context}`, files[at] === 'whole' && DONE.includes(stateOf(context)));
        }
      }
      rmSync(join(root, `locales/xx.${extension}`), { force: true });
      if (hasUnknownLocale) writeFiles(root, { [`locales/xx.${extension}`]: catalogue(format, 'xx', () => 'translated') }); // biome-ignore format: one statement
      const { videos, texts: missing, invalid } = await loadProject({ cwd: root });
      const shown = new Map(videos.map((video) => [video.id as string, textsOf(video)]));
      const waiting = new Set(missing.filter(({ waits }) => waits).map(({ id }) => id as string));
      expect(invalid).toEqual([]);
      for (const locale of TARGETS) {
        for (const [video, contexts] of Object.entries(TEXTS)) {
          const id = `${video}/${locale}`;
          const isWhole = contexts.every((context) => isDone.get(`${locale} ${context}`));
          expect([id, waiting.has(id)]).toEqual([id, !isWhole]);
          expect(shown.get(id)).toEqual(isWhole ? contexts.map((context) => targetOf(context, locale)) : undefined);
          seen[isWhole ? 'whole' : 'waiting'] += 1;
          if (!isWhole && kept.includes(id)) seen.keptInLock += 1;
        }
      }
      const planned = await reelform(root, ['plan', '--json']);
      seen.states += 1;
      if (files.includes('broken')) {
        seen.broken += 1;
        expect([planned.exitCode, planned.stdout.includes('"remove"')]).toEqual([1, false]);
        expect(planned.stdout).toContain('catalogue_invalid');
        return;
      }
      const { changes } = JSON.parse(planned.stdout) as { changes: readonly { id: string; action: string }[] };
      const expected = [...shown.keys()].filter((id) => !kept.includes(id)).sort();
      expect(changes.map(({ id, action }) => `${action} ${id}`)).toEqual(expected.map((id) => `create ${id}`));
    });
    await fc.assert(property, { numRuns: count(250, 10) });
    tell(`${format}: ${seen.states} states, ${seen.whole} whole and ${seen.waiting} waiting videos, ${seen.keptInLock} of them rendered before; 0 half-translated, 0 removed`); // biome-ignore format: one line
  });
});

/** Files that cannot be read. */
const BROKEN: Readonly<Record<Format, string>> = {
  po: 'msgid "',
  csv: 'context,source\na#@title,Alpha\n',
  xlf: '<xliff version="2.0"><file>',
  'xlf 1.2': '<html/>',
};
