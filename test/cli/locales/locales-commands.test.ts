import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CONFIG, definition, makeRepository } from '../../support/repository.ts';
import { smallAnimation } from '../../support/small-package.ts';
import { writeFiles } from '../../support/temporary-repository.ts';
import { reelform } from '../../support/test-io.ts';

const LOCALES = 'locales: {source: en, targets: [de, pt-BR]}\n';

function repository(files: Readonly<Record<string, string>> = {}, config = LOCALES): string {
  return makeRepository({
    'reelform.yaml': `${CONFIG}${config}`,
    'videos/rome.yaml': `${definition('Rome')}locales: all\n`,
    ...files,
  });
}

/** Translates every text of a catalogue. */
function translate(root: string, locale: string): void {
  const path = join(root, `locales/${locale}.po`);
  const blocks = readFileSync(path, 'utf8').split('\n\n');
  const done = blocks.map((block, index) => {
    const source = /msgid "(.*)"/.exec(block)?.[1] ?? '';
    return index === 0
      ? block
      : block
          .trimEnd()
          .replace(/msgstr ".*"$/, `msgstr "${source} ${locale}"`)
          .replace(/^#, fuzzy$\n/m, '');
  });
  writeFileSync(path, `${done.join('\n\n')}\n`);
}

describe('reelform locales', () => {
  it('extracts texts, keeps translations, and says what is up to date', async () => {
    const root = repository();
    const check = await reelform(root, ['locales', 'extract', '--check']);
    expect([check.exitCode, existsSync(join(root, 'locales'))]).toEqual([2, false]);
    expect(check.stdout).toBe(
      'de     2 texts, 2 new  locales/de.po out of date\npt-BR  2 texts, 2 new  locales/pt-BR.po out of date\n',
    );
    await reelform(root, ['locales', 'extract']);
    translate(root, 'de');
    const before = readFileSync(join(root, 'locales/de.po'), 'utf8');
    const again = await reelform(root, ['locales', 'extract', '--json']);
    expect(JSON.parse(again.stdout).catalogues.map(({ changed }: { changed: boolean }) => changed)).toEqual([
      false,
      false,
    ]);
    expect(readFileSync(join(root, 'locales/de.po'), 'utf8')).toBe(before);
    expect((await reelform(root, ['locales', 'status'])).stdout).toBe(
      [
        'de     2 of 2 texts translated',
        'pt-BR  0 of 2 texts translated, 1 video waiting',
        '  videos/rome.yaml:2  rome#@title  Rome',
        '  videos/rome.yaml:4  rome#t_01  Rome',
        '',
      ].join('\n'),
    );
  });

  it.each([
    ['po', '#: videos/rome.yaml:4\n#. Headline\n#. Lines: 2\n#, max-length:20\nmsgctxt "rome#t_01"'],
    ['xlf', 'slr:sizeRestriction="20"'],
    ['csv', 'rome#t_01,Rome,,,Headline,20,2,videos/rome.yaml:4'],
  ])('writes the longest length and the lines of an editable as limits of .%s', async (extension, limits) => {
    const animation = smallAnimation();
    const { t } = animation.layers[0] as unknown as {
      readonly t: { readonly d: { readonly k: [{ readonly s: object }] } };
    };
    Object.assign(t.d.k[0].s, { sz: [60, 24], ps: [0, 0] });
    const root = repository(
      { 'templates/small/animation.json': JSON.stringify(animation) },
      `locales: {source: en, targets: [de], files: "locales/{locale}.${extension}"}\n`,
    );
    await reelform(root, ['locales', 'extract']);
    const written = readFileSync(join(root, `locales/de.${extension}`), 'utf8');
    expect(written).toContain(limits);
    if (extension === 'xlf') expect(written).toContain('<note category="lines">2</note>');
  });

  it('writes a catalogue of the source language for tools that translate from a file', async () => {
    const root = repository();
    expect((await reelform(root, ['locales', 'extract', '--source'])).stdout).toContain('en     2 texts, 2 new  locales/en.po written\n'); // biome-ignore format: one expectation
    expect(readFileSync(join(root, 'locales/en.po'), 'utf8')).toContain(
      'msgctxt "rome#t_01"\nmsgid "Rome"\nmsgstr ""\n',
    );
    expect((await reelform(root, ['locales', 'status'])).stdout).not.toContain('en ');
  });

  it('extracts what is valid beside mistakes, reports each, and takes no text for unused', async () => {
    const root = repository({
      'videos/oslo.yaml': `${definition('Oslo')}locales: all\n`,
      'videos/_base.yaml': 'resources: {c_01: "#EEADA7"}\n',
      'videos/bern.yaml':
        'extends: ./_base.yaml\ntemplate: small\ntitle: Bern\nresources: {t_01: Bears}\nlocales: all\n',
    });
    const broken = { catalogue: 'locales/pt-BR.po', text: 'msgctxt "oslo#t_01"\nmsgid "Oslo\nmsgstr ""\n' };
    await reelform(root, ['locales', 'extract']);
    translate(root, 'de');
    // Two entries of each definition: one of them is not translated.
    const path = join(root, 'locales/de.po');
    writeFileSync(path, readFileSync(path, 'utf8').replace('msgstr "Bears de"', 'msgstr ""'));
    const entries = (text: string): Record<string, string> =>
      Object.fromEntries(
        [...text.matchAll(/msgctxt "(.*)"\nmsgid ".*"\nmsgstr "(.*)"/g)].map(([, id, to]) => [id!, to!]),
      );
    const before = entries(readFileSync(path, 'utf8'));
    writeFileSync(join(root, broken.catalogue), broken.text);
    writeFileSync(join(root, 'videos/oslo.yaml'), 'template: small\ntitle: [Oslo\n');
    writeFileSync(join(root, 'videos/_base.yaml'), 'resource: {c_01: "#EEADA7"}\n');
    writeFileSync(join(root, 'videos/rome.yaml'), `${definition('Rome, again')}locales: all\n`);
    const ran = await reelform(root, ['locales', 'extract']);
    expect(ran.stdout).toBe('de  2 texts, 2 stale  locales/de.po written\n');
    expect(ran.exitCode).toBe(1);
    for (const place of ['videos/oslo.yaml:', 'videos/_base.yaml:1', `${broken.catalogue}:`]) {
      expect(ran.stderr.split(place)).toHaveLength(2);
    }
    const text = readFileSync(path, 'utf8');
    expect(text).not.toContain('#~');
    expect(entries(text)).toEqual(before);
    expect(readFileSync(join(root, broken.catalogue), 'utf8')).toBe(broken.text);
    expect((await reelform(root, ['locales', 'extract', '--check'])).exitCode).toBe(1);
  });

  it('removes no picture while a definition has a mistake', async () => {
    const root = repository();
    await reelform(root, ['locales', 'extract', '--stills']);
    writeFileSync(join(root, 'videos/rome.yaml'), 'template: small\ntitle: [Rome\n');
    const ran = JSON.parse((await reelform(root, ['locales', 'extract', '--stills', '--json'])).stdout);
    expect(ran.stills).toEqual({ drawn: 0, unchanged: 0, removed: 0 });
  });

  it('imports beside mistakes, and keeps texts that are not known', async () => {
    const root = repository({ 'videos/oslo.yaml': `${definition('Oslo')}locales: all\n` });
    await reelform(root, ['locales', 'extract']);
    writeFileSync(join(root, 'videos/oslo.yaml'), 'template: small\ntitle: [Oslo\n');
    writeFileSync(join(root, 'de.csv'), 'context,source,target\nrome#t_01,Rome,Rom\noslo#t_01,Oslo,Oslo\n');
    const ran = await reelform(root, ['locales', 'import', 'de.csv']);
    expect([ran.exitCode, ran.stdout]).toEqual([1, 'Took 2 translations into locales/de.po.\n']);
    expect(ran.stderr).toContain('videos/oslo.yaml:');
    expect(readFileSync(join(root, 'locales/de.po'), 'utf8')).toContain('msgctxt "oslo#t_01"');
  });

  it('reports a mistake of reelform.yaml once, and no definition that uses its valid lists', async () => {
    const uses = {
      'videos/rome.yaml': `${definition('Rome')}locales: all\naudio: {line: {speak: Hello, voice: anna}}\ncaptions: {from: {track: line}, style: loud}\n`,
    };
    const lists = `${LOCALES}voices: {anna: {builtin: slt}}\ncaption_styles: {loud: {size: 6}}\n`;
    const problems = async (config: string): Promise<string[]> => {
      const ran = await reelform(repository(uses, config), ['validate', '--json']);
      const { diagnostics } = JSON.parse(ran.stdout) as { diagnostics: { severity: string; code: string }[] };
      return diagnostics.flatMap(({ severity, code }) => (severity === 'error' ? [code] : []));
    };
    expect(await problems(lists)).toEqual([]);
    expect(await problems(`${lists}max_renders: many\n`)).toEqual(['config_invalid']);
    // What a list with a mistake contains is not known.
    for (const [valid, mistaken] of [
      ['source: en', 'source: 1'],
      ['targets: [de, pt-BR]', 'targets: [de, de]'],
      ['builtin: slt', 'builtin: nobody'],
      ['size: 6', 'size: large'],
    ] as const) {
      expect(await problems(lists.replace(valid, mistaken)), mistaken).toEqual(['config_invalid']);
    }
    const [unparsed] = [await problems(`${lists}service: [\n`)];
    expect(unparsed).toEqual(['yaml_syntax']);
  });

  it('needs locales', async () => {
    const ran = await reelform(makeRepository(), ['locales', 'status']);
    expect([ran.exitCode, ran.stderr.includes('locales_missing')]).toEqual([1, true]);
  });

  it('lists a definition as one line, and each of its videos on demand', async () => {
    const root = repository({ 'videos/oslo.yaml': definition('Oslo') });
    const list = async (...args: string[]): Promise<string> => (await reelform(root, ['list', ...args])).stdout;
    expect(await list()).toMatchInlineSnapshot(`
      "berlin  new
      oslo    new
      rome    2 waiting, 1 new  3 locales: 3 videos

      Use --verbose to list each video.
      "
    `);
    const each = await list('--verbose');
    expect(each).toMatchInlineSnapshot(`
      "berlin      new
      oslo        new
      rome/de     waiting  translation to de is missing (2 texts)
      rome/en     new
      rome/pt-BR  waiting  translation to pt-BR is missing (2 texts)
      "
    `);
    const lines = each.split('\n').filter((line) => line.startsWith('rome/'));
    const trimmed = (text: string): string[] =>
      text
        .trimEnd()
        .split('\n')
        .map((line) => line.replaceAll(/ +/g, ' '));
    for (const args of [['rome'], ['--target', 'rome/*'], ['--exclude', '{berlin,oslo}']]) {
      expect(trimmed(await list(...args))).toEqual(trimmed(lines.join('\n')));
    }
    expect(JSON.parse(await list('--json')).videos).toHaveLength(5);
  });

  it('imports the file of a translator in another format, and reports texts that no definition has', async () => {
    const root = repository();
    const xliff = `<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file source-language="en" target-language="de" original="x" datatype="plaintext"><body>
<trans-unit id="rome#t_01"><source>Rome</source><target>Rom</target></trans-unit>
<trans-unit id="gone#t_01"><source>Gone</source><target>Weg</target></trans-unit>
</body></file></xliff>`;
    writeFileSync(join(root, 'olune.de.xlf'), xliff);
    const ran = await reelform(root, ['locales', 'import', 'olune.de.xlf']);
    expect(ran.stdout).toBe('Took 1 translation into locales/de.po, left out 1 text that no definition has.\n');
    expect(ran.stderr).toContain('translation_unused');
    expect(readFileSync(join(root, 'locales/de.po'), 'utf8')).toContain('msgstr "Rom"');
    expect((await reelform(root, ['locales', 'import', 'olune.de.xlf', '--locale', 'fr'])).stderr).toContain(
      'unknown_locale',
    );
  });

  it('keeps the byte order mark and the line breaks of a table, as Excel saves it', async () => {
    const root = repository({}, 'locales: {source: en, targets: [de], files: "locales/{locale}.csv"}\n');
    await reelform(root, ['locales', 'extract']);
    const path = join(root, 'locales/de.csv');
    writeFileSync(path, `\ufeff${readFileSync(path, 'utf8').replaceAll('\n', '\r\n')}`);
    expect((await reelform(root, ['locales', 'extract', '--check'])).exitCode).toBe(0);
    writeFileSync(join(root, 'back.de.csv'), '\ufeffcontext,source,target\r\nrome#t_01,Rome,Röm\r\n');
    expect((await reelform(root, ['locales', 'import', 'back.de.csv'])).stdout).toBe('Took 1 translation into locales/de.csv.\n'); // biome-ignore format: one expectation
    const written = readFileSync(path, 'utf8');
    expect(written).toMatch(/^\ufeffcontext,/);
    expect(written).toContain('rome#t_01,Rome,Röm,');
    expect(written.replaceAll('\r\n', '')).not.toContain('\n');
  });

  it.each([
    ['[de-at]', 'Write de-AT'],
    ['[zh_hant_TW]', 'Write zh-Hant-TW'],
    ['[deutsch]', 'Write the letters of the language, then those of its script or region'],
  ])('says how the tag of %s is written', async (targets, hint) => {
    const root = repository({}, `locales: {source: en, targets: ${targets}}\n`);
    const { diagnostics } = JSON.parse((await reelform(root, ['validate', '--json'])).stdout) as { diagnostics: { code: string; hint?: string }[] }; // biome-ignore format: one line
    expect(diagnostics.filter(({ code }) => code === 'config_invalid').map((problem) => problem.hint)).toEqual([hint]);
  });

  it('reports a folder in the place of a catalogue', async () => {
    const root = repository({ 'locales/de.po/x.po': '' }, 'locales: {source: en, targets: [de]}\n');
    for (const args of [['validate'], ['plan'], ['locales', 'extract']]) {
      const ran = await reelform(root, args);
      expect([args, ran.exitCode, ran.stderr.split('"locales/de.po" is a folder').length]).toEqual([args, 1, 2]);
    }
  });

  it('names files that it does not read, although they look like catalogues', async () => {
    const root = repository({
      'locales/fr.po': 'msgid ""\nmsgstr ""\n',
      'locales/pt_BR.po': 'msgid ""\nmsgstr ""\n',
      'locales/de.xlf': '',
      // None is named as a catalogue is.
      'locales/faq.csv': 'a\n',
      'locales/messages.po': '',
      'locales/notes.txt': '',
    });
    const { exitCode, stderr } = await reelform(root, ['locales', 'status', '--json']);
    expect(exitCode).toBe(0);
    const words = stderr.replaceAll(/\s+/g, ' ');
    expect(stderr.match(/catalogue_unused/g)).toHaveLength(3);
    expect(words).toContain(
      'locales/fr.po is not read catalogue_unused Add fr to "targets" of "locales" in reelform.yaml',
    );
    for (const [file, catalogue] of [
      ['pt_BR.po', 'pt-BR.po'],
      ['de.xlf', 'de.po'],
    ]) {
      expect(words).toContain(
        `are in locales/${catalogue}: take these over with reelform locales import locales/${file}`,
      );
    }
  });

  it('writes no file over a catalogue that cannot be read', async () => {
    const root = repository({}, 'locales: {source: en, targets: [de]}\n');
    const conflict = 'msgid ""\nmsgstr ""\n<<<<<<< HEAD\n=======\n>>>>>>> branch\n';
    for (const text of ['', conflict]) {
      writeFiles(root, { 'locales/de.po': text, 'back.de.po': 'msgctxt "rome#t_01"\nmsgid "Rome"\nmsgstr "Rom"\n' });
      for (const args of [['validate'], ['locales', 'extract'], ['locales', 'import', 'back.de.po'], ['plan']]) {
        const ran = await reelform(root, args);
        expect([args, ran.exitCode]).toEqual([args, 1]);
        expect(ran.stderr.split('catalogue_invalid')).toHaveLength(2);
      }
      expect(readFileSync(join(root, 'locales/de.po'), 'utf8')).toBe(text);
    }
  });

  it('moves a rendered video to its new id, and renders a locale once it is translated', async () => {
    const root = repository({ 'videos/rome.yaml': definition('Rome') });
    await reelform(root, ['apply', '--auto-approve']);
    writeFileSync(join(root, 'videos/rome.yaml'), `${definition('Rome')}locales: all\n`);
    const adopted = await reelform(root, ['plan']);
    expect(adopted.stdout).toMatchSnapshot();
    const moved = await reelform(root, ['apply', '--auto-approve', '--json']);
    expect(moved.exitCode).toBe(0);
    expect((await reelform(root, ['list'])).stdout.replaceAll(/renders\/\S+/g, 'FILE')).toMatchSnapshot();
    // The catalogue did not exist when the plan cache was written.
    await reelform(root, ['locales', 'extract']);
    translate(root, 'de');
    const plan = JSON.parse((await reelform(root, ['plan', '--json'])).stdout);
    expect(plan.changes.map(({ id, action }: { id: string; action: string }) => `${action} ${id}`)).toEqual(['create rome/de']); // biome-ignore format: one expectation
    expect(plan.texts.map(({ locale, waiting }: { locale: string; waiting: number }) => [locale, waiting])).toEqual([['pt-BR', 1]]); // biome-ignore format: one expectation
    await reelform(root, ['apply', '--auto-approve']);
    // A changed text holds back the locale: its rendering stays.
    writeFileSync(join(root, 'videos/rome.yaml'), `${definition('Roma')}locales: all\n`);
    const changed = JSON.parse((await reelform(root, ['plan', '--json'])).stdout);
    expect(changed.changes.map(({ id, action }: { id: string; action: string }) => `${action} ${id}`)).toEqual(['update rome/en']); // biome-ignore format: one expectation
    for (const format of ['markdown', 'html']) {
      expect((await reelform(root, ['plan', '--format', format])).stdout).toContain('2 videos wait for translation: de (2 texts, 2 stale), pt-BR (2 texts)'); // biome-ignore format: one expectation
    }
    expect((await reelform(root, ['lock', 'verify'])).stderr).not.toContain('unknown_video');
    expect((await reelform(root, ['explain', 'rome/de'])).stdout).toContain(
      'It waits: translation to de is missing (2 texts, 2 stale).',
    );
  });
});
