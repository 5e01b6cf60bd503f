import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CONFIG, definition, makeRepository, NO_LINT } from '../../support/repository.ts';
import { SMALL_MANIFEST, smallAnimation, smallPackage } from '../../support/small-package.ts';
import { reelform } from '../../support/test-io.ts';

/** White text is illegible on the light background and legible on the dark one. */
const LIGHT = definition('Rome');
const DARK = definition('Oslo').replace('#EEADA7', '#202040');
/** Turns off the rule about text at the edge, where the small template's headline is. */
const LOOKING = CONFIG.replace(NO_LINT, 'lint: {text_overflow: off}\n');

function repository(
  config = LOOKING,
  videos: Readonly<Record<string, string>> = { 'videos/rome.yaml': LIGHT, 'videos/oslo.yaml': DARK },
): string {
  return makeRepository({ 'reelform.yaml': config, 'videos/berlin.yaml': DARK.replace('Oslo', 'Berlin'), ...videos });
}

/** Returns a clock on which every check takes seconds. */
function slowClock(): () => number {
  let now = 0;
  return () => (now += 6_000);
}

/** Makes `low_contrast` an error. */
const STRICT = LOOKING.replace('off}', 'off, low_contrast: error}');

interface Document {
  readonly valid?: boolean;
  readonly lint?: { videos: number; left_out: { id: string; reason: string }[] };
  readonly diagnostics: {
    code: string;
    severity: string;
    file: string;
    line: number;
    column: number;
    message: string;
    hint: string;
  }[];
}

function found(stdout: string): Document['diagnostics'] {
  return (JSON.parse(stdout) as Document).diagnostics.filter(({ code }) => code !== 'schema_outdated');
}

describe('reelform lint', () => {
  it('reports findings at the location in the definition, with the time and the still', async () => {
    const root = repository();
    const { exitCode, stdout } = await reelform(root, ['lint', '--json']);
    expect(exitCode).toBe(0);
    expect(found(stdout)).toMatchObject([
      {
        code: 'low_contrast',
        severity: 'warning',
        file: 'videos/rome.yaml',
        line: 4,
        message: expect.stringMatching(/^t_01 of rome has a contrast of 1\.\d\d:1 .* at 0\.5 s \(stillcut_01\)/),
        hint: 'To see it: reelform render rome --frame 5',
      },
    ]);
    expect(existsSync(join(root, '.reelform/lint.json'))).toBe(true);
    expect(found((await reelform(root, ['lint', '--json'])).stdout)).toHaveLength(1);
    // A failure to write the cache is ignored, because a checkout may be read-only.
    rmSync(join(root, '.reelform/lint.json'));
    mkdirSync(join(root, '.reelform/lint.json'));
    expect(found((await reelform(root, ['lint', '--json'])).stdout)).toHaveLength(1);
  });

  it('reports texts and captions that a brand at their start turns around, per locale', async () => {
    const config = CONFIG.replace(NO_LINT, NO_LINT.replace('text_direction: off', 'text_direction: warning'));
    const captions = 'captions: {style: clean, from: [{start: 0, end: 1, text: Olune makes light}]}\n';
    const unit = (context: string, source: string, text: string): string =>
      `\nmsgctxt "rome#${context}"\nmsgid "${source}"\nmsgstr "${text}"\n`;
    const catalogue = (title: string, text: string, cue: string): string =>
      `msgid ""\nmsgstr ""\n${unit('@title', 'Rome', title)}${unit('t_01', 'Rome', text)}${unit('@captions.1', 'Olune makes light', cue)}`;
    const root = repository(`${config}locales: {source: en, targets: [ar, de]}\n`, {
      'videos/rome.yaml': `${LIGHT}locales: all\n${captions}`,
      'locales/de.po': catalogue('Rom', 'Rom ist hell.', 'Olune macht Licht'),
      'locales/ar.po': catalogue('روما', 'Olune يضيء روما.', 'Olune يصنع الضوء'),
    });
    const lint = async () => found((await reelform(root, ['lint', '--json'])).stdout);
    expect(await lint()).toMatchObject([
      {
        code: 'text_direction',
        message: expect.stringContaining('t_01 of rome/ar is drawn from left to right because of its first word'),
        hint: 'Put the mark U+200F before the text; U+200E keeps it as it is. To see it: reelform render rome/ar --frame 5',
      },
      { code: 'text_direction', message: expect.stringContaining('The caption "Olune يصنع الضوء" of rome/ar') },
    ]);
    writeFileSync(join(root, 'locales/ar.po'), catalogue('روما', '\u200fOlune يضيء روما.', '\u200fOlune يصنع الضوء'));
    expect(await lint()).toEqual([]);
  });

  it('reports drawn captions over a text, outside the safe area and without glyphs, at the line of the cue', async () => {
    const animation = smallAnimation();
    const [headline] = animation.layers as { ks: object }[];
    headline!.ks = { ...headline!.ks, p: { a: 0, k: [4, 8, 0] } };
    const captions = `captions:
  style: {position: top, margin: 0, margin_side: 5, align: left, size: 20}
  from:
    - {start: 0, end: 0.5, text: Light}
    - {start: 0.5, end: 1, text: "\u{12000}"}
`;
    const rules =
      'lint: {text_overflow: off, low_contrast: off, caption_over_text: error, caption_low_contrast: error, safe_area: broadcast}\n';
    const root = repository(CONFIG.replace(NO_LINT, rules), {
      'templates/small/animation.json': JSON.stringify(animation),
      'videos/rome.yaml': DARK.replace('Oslo', 'Rome') + captions,
    });
    const { exitCode, stdout } = await reelform(root, ['lint', 'rome', '--json']);
    const ofCaptions = found(stdout).filter(({ message }) => message.includes('caption'));
    expect(ofCaptions.map(({ code, severity, line }) => [code, severity, line])).toEqual([
      ['caption_over_text', 'error', 9],
      ['caption_outside_safe_area', 'warning', 9],
      ['glyph_missing', 'warning', 10],
    ]);
    expect(exitCode).toBe(1);
  });

  it('checks texts against the safe area, also after the area changed', async () => {
    const animation = smallAnimation();
    const [headline] = animation.layers as { ks: object }[];
    headline!.ks = { ...headline!.ks, p: { a: 0, k: [1, 20, 0] } };
    const root = repository(LOOKING, {
      'templates/small/animation.json': JSON.stringify(animation),
      'videos/rome.yaml': DARK.replace('Oslo', 'Rome'),
    });
    const outside = async (area: string) => {
      const config = LOOKING.replace('off}', `off, safe_area: ${area}}`);
      writeFileSync(join(root, 'reelform.yaml'), config);
      return found((await reelform(root, ['lint', '--json'])).stdout).filter(
        ({ code }) => code === 'outside_safe_area',
      );
    };
    await reelform(root, ['lint']);
    expect(await outside('broadcast')).toMatchObject([
      { file: 'videos/berlin.yaml', message: expect.stringMatching(/^t_01 of berlin lies outside .* broadcast \(/) },
      { file: 'videos/oslo.yaml' },
      { file: 'videos/rome.yaml', line: 4 },
    ]);
    expect(await outside('tiktok')).toEqual([]);
  });

  it('reports characters that no font has once for all texts of a script', async () => {
    const videos = Object.fromEntries(
      ['rome', 'oslo', 'berlin'].map((id) => [`videos/${id}.yaml`, definition('漢字')]),
    );
    const { stdout } = await reelform(repository(LOOKING, videos), ['lint', '--json']);
    const glyphs = found(stdout).filter(({ code }) => code === 'glyph_missing');
    expect(glyphs).toMatchObject([{ file: 'videos/berlin.yaml', line: 4 }]);
    expect(glyphs[0]!.message).toContain('3 texts of 3 videos');
  });

  it('checks the selected videos and reports that nothing was found', async () => {
    const { exitCode, stdout } = await reelform(repository(), ['lint', 'o*']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '1 video checked, no problems found.\n' });
  });

  it('fails for rules that reelform.yaml makes errors', async () => {
    const { exitCode, stderr } = await reelform(repository(STRICT), ['lint', 'rome']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('low_contrast');
  });

  it('reports why a video cannot be checked and continues with the others', async () => {
    const broken = `${LIGHT}  (Footage)/USER/photo.png: ./images/broken.png\n`;
    const root = makeRepository({
      'reelform.yaml': LOOKING,
      'videos/rome.yaml': broken,
      'videos/oslo.yaml': LIGHT.replace('Rome', 'Oslo'),
      'videos/images/broken.png': 'no image',
    });
    const { exitCode, stdout } = await reelform(root, ['lint', 'rome', 'oslo', '--json']);
    expect(exitCode).toBe(1);
    expect(found(stdout)).toMatchObject([
      { code: 'low_contrast', file: 'videos/oslo.yaml' },
      {
        code: 'lint_failed',
        file: 'videos/rome.yaml',
        severity: 'error',
        line: 6,
        message: expect.stringMatching(
          /^rome cannot be checked: \(Footage\)\/USER\/photo\.png: The file is a text, not a PNG/,
        ),
      },
    ]);
  });
});

describe('reelform lint beside errors', () => {
  const BROKEN = {
    'videos/rome.yaml': LIGHT,
    'videos/oslo.yaml': `${DARK}  t_99: Nothing has this key\n`,
    'videos/stores.yaml': `${DARK.replace('title: Oslo', 'title: ${city}')}each: { from: ./stores.csv, id: "\${city}" }\n`,
    'videos/photo.yaml': `${DARK}  (Footage)/USER/photo.png: ./missing.png\n`,
    'videos/paris.yaml': DARK.replace('template: small', 'template: gone'),
  };
  const CONFIG_WITH_GONE = LOOKING.replace('templates:', 'templates:\n  gone: ./templates/gone');
  const lint = async (...args: string[]) => {
    const { exitCode, stdout } = await reelform(repository(CONFIG_WITH_GONE, BROKEN), ['lint', '--json', ...args]);
    const document = JSON.parse(stdout) as Document & { videos: number; left_out: unknown[] };
    return { exitCode, ...document, codes: found(stdout).map(({ code, file }) => `${file} ${code}`) };
  };

  it('checks the videos without errors, and names the others', async () => {
    const { exitCode, valid, videos, left_out: leftOut, codes } = await lint();
    expect({ exitCode, valid, videos }).toEqual({ exitCode: 1, valid: false, videos: 2 });
    expect(codes).toEqual([
      'reelform.yaml template_invalid',
      'videos/oslo.yaml unknown_editable',
      'videos/photo.yaml missing_file',
      'videos/rome.yaml low_contrast',
      'videos/stores.yaml missing_file',
    ]);
    expect(leftOut).toEqual([
      { id: 'oslo', file: 'videos/oslo.yaml', reason: 'invalid' },
      { id: 'paris', file: 'videos/paris.yaml', reason: 'invalid' },
      { id: 'photo', file: 'videos/photo.yaml', reason: 'invalid' },
      { id: null, file: 'videos/stores.yaml', reason: 'invalid' },
    ]);
    const { stdout, stderr } = await reelform(repository(CONFIG_WITH_GONE, BROKEN), ['lint']);
    expect(stdout).toBe('2 videos checked. Not checked because of errors: oslo, paris, photo, videos/stores.yaml.\n');
    expect(stderr).toContain('low_contrast');
  });

  it('reports a selected id as unknown only if no definition with errors may have it', async () => {
    expect(await lint('rome', 'oslo')).toMatchObject({
      exitCode: 1,
      videos: 1,
      codes: expect.not.arrayContaining([expect.stringContaining('unknown_video')]),
      left_out: [{ id: 'oslo' }, { id: null, file: 'videos/stores.yaml' }],
    });
    const { diagnostics } = await lint('stores/berlin');
    expect(diagnostics.find(({ code }) => code === 'unknown_video')).toMatchObject({ severity: 'warning' });
    const root = repository(LOOKING, { 'videos/rome.yaml': LIGHT, 'videos/oslo.yaml': BROKEN['videos/oslo.yaml'] });
    const { stdout } = await reelform(root, ['lint', '--json', 'oslo', 'rmoe']);
    expect(found(stdout).filter(({ code }) => code === 'unknown_video')).toMatchObject([
      { severity: 'error', message: 'No video id matches "rmoe"', hint: 'Did you mean rome?' },
    ]);
  });

  it('names a selected video that its condition leaves out', async () => {
    const root = repository(LOOKING, { 'videos/rome.yaml': `${LIGHT}when: ""\n` });
    const { stdout, exitCode } = await reelform(root, ['lint', 'rome']);
    expect(exitCode).toBe(0);
    expect(stdout).toBe(
      '0 videos checked.\nNot checked: videos/rome.yaml leaves out the video rome: its condition is empty.\n',
    );
    expect(JSON.parse((await reelform(root, ['lint', '--json'])).stdout)).toMatchObject({
      left_out: [{ id: 'rome', file: 'videos/rome.yaml', reason: 'condition' }],
    });
  });

  it("does not count a video with an unusable template as one of the service's", async () => {
    const { stdout } = await reelform(repository(CONFIG_WITH_GONE, BROKEN), ['lint', 'paris']);
    expect(stdout).toBe('0 videos checked. Not checked because of errors: paris, videos/stores.yaml.\n');
    const remote = LOOKING.replace('embedded', '{url: http://127.0.0.1:1}').replace('./templates/small', 'tsv_1');
    const spec = JSON.stringify({ style_version: { ...smallPackage().spec, id: 'tsv_1' } });
    const root = makeRepository({
      'reelform.yaml': remote,
      'schemas/small.spec.json': spec,
      'videos/oslo.yaml': BROKEN['videos/oslo.yaml'],
    });
    expect((await reelform(root, ['lint'])).stdout).toBe(
      '0 videos checked. 2 videos with a template of the service cannot be checked locally. Not checked because of errors: oslo.\n',
    );
    expect(JSON.parse((await reelform(root, ['lint', '--json'])).stdout)).toMatchObject({
      left_out: [
        { id: 'berlin', reason: 'remote' },
        { id: 'oslo', reason: 'invalid' },
        { id: 'rome', reason: 'remote' },
      ],
    });
  });
});

describe('reelform plan', () => {
  it('shows findings of the videos that it renders', async () => {
    const { exitCode, stderr, stdout } = await reelform(repository(), ['plan']);
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/t_01 of rome has a contrast/);
    expect(stdout).toContain('2 renders');
  });

  it('skips lint on request', async () => {
    expect((await reelform(repository(), ['plan', '--no-lint', '--json'])).stdout).not.toContain('low_contrast');
    const away = repository(CONFIG);
    expect((await reelform(away, ['plan', '--json'])).stdout).not.toContain('low_contrast');
  });

  it('checks the first 80 videos, and reports in every format which videos it did not check', async () => {
    const rows = Array.from({ length: 80 }, (_, index) => [
      `videos/row-${index}.yaml`,
      DARK.replaceAll('Oslo', `Row ${index}`),
    ]);
    const root = repository(LOOKING, { ...Object.fromEntries(rows), 'videos/rome.yaml': LIGHT });
    const { stdout, stderr } = await reelform(root, ['plan', '--json'], { monotonicNow: slowClock() });
    // In the order of their files; Berlin comes first.
    const leftOut = ['row-79', 'row-8', 'row-9'].map((id) => ({ id, reason: 'budget' }));
    const lint = { videos: 80, left_out: leftOut };
    expect((JSON.parse(stdout) as Document).lint).toEqual(lint);
    expect(stderr).not.toContain('not checked');
    const words =
      '3 videos were not checked by lint, because a plan checks at most 80 videos. `reelform lint` checks all.';
    for (const format of ['text', 'markdown', 'html', 'github', 'gitlab']) {
      const summary = join(root, 'summary.md');
      const env = { GITHUB_STEP_SUMMARY: summary };
      const printed = await reelform(root, ['plan', '--format', format], { env });
      expect(printed.stdout.replaceAll('&#96;', '`').replaceAll(/\s+/g, ' '), format).toContain(words);
      if (format === 'github') expect(readFileSync(summary, 'utf8')).toContain(words);
      if (format === 'gitlab') expect(readFileSync(join(root, '.reelform/gitlab/note.md'), 'utf8')).toContain(words);
    }
    // Findings of an earlier run do not change a plan.
    expect((await reelform(root, ['lint'])).exitCode).toBe(0);
    const again = await reelform(root, ['plan', '--json']);
    expect((JSON.parse(again.stdout) as Document).lint).toEqual(lint);
  });

  it.each([
    ['reelform.yaml', STRICT, {}],
    ['template.yaml', LOOKING, { 'templates/small/template.yaml': `${SMALL_MANIFEST}lint: {low_contrast: error}\n` }],
  ] as const)('checks every video regardless of time if %s makes a rule an error', async (_, config, files) => {
    const root = repository(config, { 'videos/rome.yaml': LIGHT, 'videos/oslo.yaml': DARK, ...files });
    const { exitCode, stdout } = await reelform(root, ['plan', '--json'], { monotonicNow: slowClock() });
    expect(exitCode).toBe(1);
    expect((JSON.parse(stdout) as Document).lint).toEqual({ videos: 2, left_out: [] });
    expect(found(stdout)).toMatchObject([{ code: 'low_contrast', severity: 'error', file: 'videos/rome.yaml' }]);
  });

  it("lists videos of a service's template that cannot be checked for an error", async () => {
    const config = STRICT.replace('embedded', '{url: http://127.0.0.1:1}').replace('./templates/small', 'tsv_1');
    const spec = JSON.stringify({ style_version: { ...smallPackage().spec, id: 'tsv_1' } });
    const root = makeRepository({ 'reelform.yaml': config, 'schemas/small.spec.json': spec });
    const { stdout } = await reelform(root, ['plan', '--json']);
    expect((JSON.parse(stdout) as Document).lint).toEqual({
      videos: 0,
      left_out: ['berlin', 'oslo', 'rome'].map((id) => ({ id, reason: 'remote' })),
    });
  });
});

describe('reelform apply', () => {
  const apply = (root: string, ...flags: string[]) => reelform(root, ['apply', '--auto-approve', ...flags]);
  const isRendered = (root: string): boolean => existsSync(join(root, 'renders'));

  it('renders nothing if lint finds an error', async () => {
    const root = repository(STRICT);
    const { exitCode, stderr } = await apply(root);
    expect({ exitCode, isRendered: isRendered(root) }).toEqual({ exitCode: 1, isRendered: false });
    expect(stderr).toMatch(/low_contrast.*\nNothing was rendered, because lint found errors/s);
    expect(existsSync(join(root, 'reelform.lock.json'))).toBe(false);
    const { stdout } = await apply(root, '--json');
    const outcome = stdout.trimEnd().split('\n').at(-1)!;
    expect(JSON.parse(outcome)).toMatchObject({ type: 'outcome', rendered: 0 });
    expect(found(outcome)).toMatchObject([
      { code: 'low_contrast', severity: 'error', file: 'videos/rome.yaml', line: 4 },
    ]);
  });

  it('renders the other videos on request, and that one if lint is off', async () => {
    const root = repository(STRICT);
    expect((await apply(root, '--exclude', 'rome')).stdout).toMatch(/^Done: 1 rendered, 1 recorded/);
    expect((await apply(root, '--no-lint')).stdout).toMatch(/^Done: 1 rendered/);
  });

  it('checks a saved plan too', async () => {
    const root = repository(STRICT);
    expect((await reelform(root, ['plan', '--no-lint', '--out', 'plan.json'])).exitCode).toBe(0);
    expect((await reelform(root, ['apply', 'plan.json'])).exitCode).toBe(1);
    expect(isRendered(root)).toBe(false);
    expect((await reelform(root, ['apply', 'plan.json', '--no-lint'])).exitCode).toBe(0);
  });

  it('checks nothing if every rule is a warning', async () => {
    const root = repository();
    expect((await apply(root)).stdout).toMatch(/^Done: 2 rendered/);
    expect(existsSync(join(root, '.reelform/lint.json'))).toBe(false);
  });

  it('refuses a video that cannot be checked if a rule is an error', async () => {
    const broken = { 'videos/images/broken.png': 'no image' };
    const rome = `${DARK}  (Footage)/USER/photo.png: ./images/broken.png\n`;
    const strict = repository(STRICT, { 'videos/rome.yaml': rome, 'videos/oslo.yaml': DARK, ...broken });
    expect(await apply(strict)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('lint_failed') });
    expect(isRendered(strict)).toBe(false);
    const lax = repository(LOOKING, { 'videos/rome.yaml': rome, 'videos/oslo.yaml': DARK, ...broken });
    expect(await apply(lax)).toMatchObject({
      exitCode: 4,
      stdout: expect.stringContaining('1 rendered, 1 recorded, 1 failed'),
    });
  });
});

describe('the findings of a data row', () => {
  const EACH = 'each: {from: data/rows.csv, id: "${slug}"}\n';
  async function findings(text: string, rows: string, more: Readonly<Record<string, string>> = {}) {
    const definition = EACH + DARK.replace('t_01: Oslo', `t_01: ${text}`);
    const root = repository(LOOKING, { 'videos/oslo.yaml': definition, 'data/rows.csv': rows, ...more });
    const { stdout } = await reelform(root, ['lint', '--json']);
    return found(stdout).map(({ code, file, line, column }) => `${code} ${file}:${line}:${column}`);
  }

  it.each([
    ['the cell', '"${text}"', 'slug,text\na,Hi\nb,"Hi, {{name}}"\n', 'data/rows.csv:3:3'],
    ['the cell in CR LF and semicolons', '"${text}"', 'slug;text;x\r\n"a";"A &amp; B";1\r\n', 'data/rows.csv:2:5'],
    ['the cell of several that has it', '"${slug} ${text}"', 'slug,text\na,Hi<br>you\n', 'data/rows.csv:2:3'],
    ['the definition if it has it', '"&amp; ${text}"', 'slug,text\na,Hi\n', 'videos/oslo.yaml:5:9'],
  ])('are located at %s', async (_, text, rows, at) => {
    expect((await findings(text, rows)).filter((one) => one.startsWith('text_leftover'))).toEqual([
      `text_leftover ${at}`,
    ]);
  });

  it('are located at the cell if a fragment uses its column', async () => {
    const fragment = { 'videos/_all.yaml': 'resources:\n  t_01: "${text}"\n' };
    const rows = 'slug,text\na,undefined\n';
    const extended = EACH + DARK.replace('template', 'extends: _all.yaml\ntemplate').replace('  t_01: Oslo\n', '');
    const more = { 'videos/oslo.yaml': extended.replace('_all', './_all'), ...fragment };
    expect(await findings('', rows, more)).toContain('text_leftover data/rows.csv:2:3');
  });

  it('of other rules are located at their cells, or at the row of several', async () => {
    const light = (text: string) => EACH + LIGHT.replace('t_01: Rome', `t_01: ${text}`);
    const rows = 'slug,text\na,Rome\n';
    const at = async (text: string) => findings('', rows, { 'videos/oslo.yaml': light(text) });
    expect(await at('"${text}"')).toContain('low_contrast data/rows.csv:2:3');
    expect(await at('"${slug} ${text}"')).toContain('low_contrast data/rows.csv:2:1');
  });
});
