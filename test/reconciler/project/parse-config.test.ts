import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import configSchema from '../../../schemas/reelform-config.schema.json' with { type: 'json' };
import { CAPTION_STYLES } from '../../../src/contract/captions/caption-styles.ts';
import { parseConfig } from '../../../src/reconciler/project/parse-config.ts';
import { createChecks } from '../../../src/reconciler/schema/create-checks.ts';
import { LINT_CODES, LINT_SEVERITIES, SAFE_AREA_NAMES } from '../../../src/template/lint-severities.ts';
import { placed } from '../../support/resolve.ts';

const { config: check } = createChecks();
const parse = (text: string): ReturnType<typeof parseConfig> =>
  parseConfig('reelform.yaml', text, check, '/repository');

describe('parseConfig()', () => {
  it('applies the defaults', () => {
    const { config, diagnostics } = parse('templates: {launch: ./templates/launch/}');
    expect(diagnostics).toEqual([]);
    expect(config).toMatchObject({ service: 'embedded', videos: 'videos/**/*.yaml', concurrency: 4 });
    expect(config.templates.get('launch')).toMatchObject({ kind: 'package', path: 'templates/launch' });
  });

  it('reads every property', () => {
    const text = `service: {url: https://api.example.com/base/, token_env: TOKEN}
templates:
  launch: ./templates/launch
  007: 1.10
videos: "{videos,clips}/**/*.yml"
concurrency: 1000
`;
    const { config, templateNames, diagnostics } = parse(text);
    expect(diagnostics).toEqual([]);
    expect(config).toMatchObject({
      service: { url: 'https://api.example.com/base', tokenEnv: 'TOKEN', capabilities: {} },
      videos: '{videos,clips}/**/*.yml',
      concurrency: 1_000,
    });
    expect(config.templates.get('007')).toMatchObject({ kind: 'style_version', id: '1.10' });
    expect(templateNames).toEqual(['launch', '007']);
  });

  it('accepts an H.264 encoder and explains how to replace former values', () => {
    expect(parse('templates: {}').config.encoder).toEqual({ h264: 'x264' });
    expect(parse('templates: {}\nencoder: {h264: nvenc}').config.encoder).toEqual({ h264: 'nvenc' });
    for (const former of ['embedded', 'ffmpeg']) {
      const { diagnostics } = parse(`templates: {}\nencoder: ${former}`);
      expect(diagnostics).toMatchObject([{ code: 'config_invalid', hint: expect.stringContaining('Remove it') }]);
    }
    expect(parse('templates: {}\nencoder: {h264: vaapi}').diagnostics).toMatchObject([
      {
        code: 'config_invalid',
        message: expect.stringContaining('videotoolbox'),
        hint: 'Use x264: VAAPI encoders take only frames in graphics memory',
      },
    ]);
  });

  it('takes the size of the segment cache, and a bucket', () => {
    const cache = (text: string) =>
      parse(`templates: {}\ncredentials: {main: {kind: gs, access_key_id_env: A, secret_access_key_env: B}}\n${text}`);
    expect(cache('').config.cache).toEqual({ maxBytes: 2 * 2 ** 30, bucket: null });
    expect(cache('cache: {max_gb: 0.5}').config.cache).toEqual({ maxBytes: 2 ** 29, bucket: null });
    const bucket = { url: 's3://team/segments/', credential: null };
    for (const text of ['s3://team/segments', 's3://team/segments/', '{url: s3://team/segments}']) {
      expect(cache(`cache: ${text}`).config.cache).toEqual({ maxBytes: 2 * 2 ** 30, bucket });
    }
    expect(cache('cache: {url: gs://team, credential: main, max_gb: 1}').config.cache).toEqual({
      maxBytes: 2 ** 30,
      bucket: { url: 'gs://team/', credential: 'main' },
    });
    const problems: readonly (readonly [string, RegExp])[] = [
      ['ftp://team/x', /must be the folder of a bucket/i],
      ['s3://T', /is not a folder in a bucket/],
      ['s3://team/a//b', /is not a folder in a bucket/],
      ['gs://team/x', /needs a credential/],
      ['{url: "gs://team/x", credential: man}', /no credential "man"/],
      ['{url: "s3://team/x", credential: main}', /is for gs:/],
      ['{credential: main}', /cache.credential needs cache.url/],
      ['{url: 3}', /./],
    ];
    for (const [text, message] of problems) {
      const { diagnostics } = cache(`cache: ${text}`);
      expect(diagnostics, text).toMatchObject([{ code: 'config_invalid', message: expect.stringMatching(message) }]);
    }
  });

  it('accepts a severity for each lint rule', () => {
    const lint = (text: string) => parse(`templates: {}\nlint: ${text}`);
    expect(lint('{low_contrast: error, image_too_small: off}').config.lint).toEqual({
      low_contrast: 'error',
      image_too_small: 'off',
    });
    expect(lint('{low_contrast: bad}').diagnostics).toMatchObject([{ code: 'config_invalid' }]);
    expect(lint('{contrast: error}').diagnostics).toHaveLength(1);
    expect(lint('{safe_area: tiktok}').config.lint).toEqual({ safe_area: 'tiktok' });
    expect(lint('{safe_area: cinema}').diagnostics).toMatchObject([{ code: 'config_invalid' }]);
    const { safe_area: safeArea, ...properties } = configSchema.properties.lint.properties;
    expect(safeArea.enum).toEqual(SAFE_AREA_NAMES);
    expect(Object.keys(properties)).toEqual(LINT_CODES);
    for (const one of Object.values(properties)) expect(one.enum).toEqual(LINT_SEVERITIES);
  });

  it('accepts a journal in a file or on a branch of a remote', () => {
    const journalOf = (text: string): unknown => parse(`templates: {}\n${text}`).config.journal;
    expect(journalOf('')).toBe('file');
    expect(journalOf('journal: {git: reelform-journal}')).toEqual({ branch: 'reelform-journal', remote: 'origin' });
    expect(journalOf('journal: {git: ci/j.1, remote: up}')).toEqual({ branch: 'ci/j.1', remote: 'up' });
  });

  it.each([
    'true',
    '{}',
    '{git: -x}',
    '{git: a..b}',
    '{git: a.lock}',
    '{git: "a b"}',
    '{git: a/}',
    '{git: j, remote: "https://me:secret@host/a.git"}',
    '{git: j, remote: --upload-pack}',
  ])('refuses the journal %s', (journal) => {
    const [diagnostic] = parse(`templates: {}\njournal: ${journal}`).diagnostics;
    expect(diagnostic).toMatchObject({ code: 'config_invalid' });
  });

  it.each([
    'http://localhost:4400',
    'http://127.0.0.1:4400',
    '"http://[::1]:4400"',
    'https://10.0.0.5',
    '"http://10.0.0.5", allow_http: true',
  ])('permits sending a token to %s', (url) => {
    expect(parse(`service: {url: ${url}}\ntemplates: {}`).diagnostics).toEqual([]);
  });

  const withTemplates = (line: string): string => `${line}\ntemplates: {}\n`;
  it.each([
    ['', ['config_invalid 1:1']],
    ['- a', ['config_invalid 1:1']],
    ['templates: a: b', ['yaml_syntax 1:12']],
    ['templates: {}\ntemplates: {}', ['yaml_duplicate_key 2:1']],
    [withTemplates('service: embeded'), ['config_invalid 1:10']],
    [withTemplates('service: {}'), ['config_invalid 1:1']],
    [withTemplates('service: {url: ftp://x}'), ['config_invalid 1:16']],
    [withTemplates('service: {url: "https://me:secret@x"}'), ['config_invalid 1:16']],
    [withTemplates('service: {url: "https://x:99999"}'), ['config_invalid 1:16']],
    [withTemplates('service: {url: http://10.0.0.5:8080}'), ['config_invalid 1:16']],
    [withTemplates('service: {url: http://127.example.com}'), ['config_invalid 1:16']],
    [withTemplates('service: {url: https://x, allow_http: yes}'), ['config_invalid 1:39']],
    [withTemplates('service: {url: https://x, token: abc}'), ['unknown_property 1:27']],
    [withTemplates('service: {url: https://x, capabilities: {idempotency_hours: -1}}'), ['config_invalid 1:61']],
    [withTemplates('service: {url: https://x, capabilities: {keys: 1}}'), ['unknown_property 1:42']],
    [withTemplates('service: {url: https://x, token_env: a-b}'), ['config_invalid 1:38']],
    [withTemplates('video: x'), ['unknown_property 1:1']],
    [withTemplates('videos: ""'), ['config_invalid 1:9']],
    [withTemplates('videos: ../x/*.yaml'), ['path_outside 1:9']],
    [withTemplates('videos: "{a,..}/*.yaml"'), ['path_outside 1:9']],
    [withTemplates('videos: /x/*.yaml'), ['path_outside 1:9']],
    [withTemplates('videos: a\\*.yaml'), ['config_invalid 1:9']],
    [withTemplates('videos: "{a,b}{a,b}{a,b}{a,b}"'), ['config_invalid 1:9']],
    [withTemplates('videos: "{1..100000}"'), ['config_invalid 1:9']],
    [withTemplates('fonts: fonts'), ['config_invalid 1:8']],
    [withTemplates('fonts: ./../fonts'), ['path_outside 1:8']],
    [
      withTemplates('output: {format: wbem, height: 721, fps: 0, hieght: 1}'),
      ['config_invalid 1:18', 'config_invalid 1:32', 'config_invalid 1:42', 'unknown_property 1:45'],
    ],
    [withTemplates('concurrency: 0'), ['config_invalid 1:14']],
    [withTemplates('concurrency: 1001'), ['config_invalid 1:14']],
    [withTemplates('concurrency: 1.5'), ['config_invalid 1:14']],
    [withTemplates('concurrency: "4"'), ['config_invalid 1:14']],
    ['templates: {Launch: tsv_1}', ['config_invalid 1:13']],
    ['templates: {launch: templates/launch}', ['config_invalid 1:21']],
    ['templates: {launch: ./../launch}', ['path_outside 1:21']],
    ['templates: {launch: ./}', ['config_invalid 1:21']],
    ['templates: {launch: }', ['config_invalid 1:13']],
    [
      'templates: {launch: a b}\nconcurrency: x\nvidoes: y\nvideos: ../z',
      ['config_invalid 1:21', 'config_invalid 2:14', 'unknown_property 3:1', 'path_outside 4:9'],
    ],
  ])('refuses %j', (text, expected) => {
    const { config, diagnostics } = parse(text);
    const problems = diagnostics.map((diagnostic) => placed(diagnostic, () => text).replace('reelform.yaml:', ''));
    expect(problems.sort()).toEqual([...expected].sort());
    expect(config.templates.size).toBe(0);
  });

  it('reads the fonts folder and the default output', () => {
    const { config, diagnostics } = parse('templates: {}\nfonts: ./brand/fonts/\noutput: {format: webm, fps: 25}\n');
    expect(diagnostics).toEqual([]);
    expect(config).toMatchObject({ fonts: { path: 'brand/fonts' }, output: { format: 'webm', fps: 25 } });
    expect(parse('templates: {}\n').config).toMatchObject({ fonts: null, output: null });
  });

  it('reads styles of captions, which may start from another', () => {
    const styles = (text: string) => parse(withTemplates(`caption_styles: {${text}}`));
    const { config, diagnostics } = styles(
      'brand: {extends: box, size: 6, color: 000000}, small: {extends: brand, size: 3}, clean: {extends: clean, lines: 1}',
    );
    expect(diagnostics).toEqual([]);
    expect(config.captionStyles.get('small')).toMatchObject({
      background: CAPTION_STYLES.box.background,
      size: 3,
      color: '000000',
    });
    expect(config.captionStyles.get('clean')).toMatchObject({
      shadow_blur: CAPTION_STYLES.clean.shadow_blur,
      lines: 1,
    });
    expect(styles('a: {extends: b}, b: {extends: a}').diagnostics[0]).toMatchObject({ code: 'extends_cycle' });
    expect(styles('a: {extends: boxx}').diagnostics[0]).toMatchObject({
      code: 'caption_style_unknown',
      hint: 'Did you mean box?',
    });
    expect(styles('a: {size: 90}').diagnostics[0]).toMatchObject({ code: 'config_invalid' });
  });

  it('suggests corrections', () => {
    const hint = (text: string): string | undefined => parse(text).diagnostics[0]?.hint;
    expect(hint(withTemplates('service: embeded'))).toBe('Did you mean embedded?');
    expect(hint(withTemplates('vidoes: x'))).toBe('Did you mean videos?');
    expect(hint('templates: {launch: templates/launch}')).toBe('Write ./templates/launch');
  });

  it('never repeats a password in a URL', () => {
    const { diagnostics } = parse(withTemplates('service: {url: "https://me:secret@x"}'));
    expect(JSON.stringify(diagnostics)).not.toContain('secret');
  });

  it('returns the names of templates despite other errors', () => {
    expect(parse('concurrency: x\ntemplates: {a: tsv, b: 7 8}').templateNames).toEqual(['a', 'b']);
  });

  it('shows how to write the URL of a service that is written as a text', () => {
    const { diagnostics } = parse(withTemplates('service: https://me:secret@api.example.com/v2/'));
    expect(diagnostics[0]!.hint).toBe('Write service: {url: "https://api.example.com/v2"}');
    expect(parse(withTemplates('service: embeded')).diagnostics[0]!.hint).not.toContain('url');
  });

  it('never throws', () => {
    const words = fc.constantFrom(
      'service',
      'url',
      'templates',
      'videos',
      'concurrency',
      'launch',
      './a',
      '4',
      ': ',
      '\n',
      '\n  ',
      '{',
      '}',
      '[',
      ']',
      '&a ',
      '*a',
    );
    fc.assert(fc.property(fc.array(words, { maxLength: 20 }), (parts) => void parse(parts.join(''))));
  });
});

describe('voices', () => {
  const voices = (text: string, more = '') => parse(`templates: {}\nvoices: ${text}\n${more}`);

  it('have defaults', () => {
    const { config, diagnostics } = voices(
      '{anna: {command: [./a.sh, --fast], env: [KEY], price_per_1000_characters: 0.3}, draft: {builtin: slt, version: 2}}',
      'cost: {currency: USD}',
    );
    expect(diagnostics).toEqual([]);
    const price = { currency: 'USD', per1000Characters: 0.3 };
    expect([...config.voices.values()]).toEqual([
      {
        name: 'anna',
        kind: 'command',
        command: ['./a.sh', '--fast'],
        env: ['KEY'],
        timeoutMs: 60_000,
        version: 1,
        options: {},
        price,
      },
      { name: 'draft', kind: 'builtin', builtin: 'slt', version: 2, options: {}, price: null },
    ]);
    // A currency alone is no price of renders.
    expect(config.cost).toBeNull();
  });

  it.each([
    ['{a: {}}', 'config_invalid reelform.yaml:2:10', 'voices.a has no voice'],
    ['{a: {builtin: slt, command: [x]}}', 'config_invalid reelform.yaml:2:14', 'has both'],
    ['{a: {builtin: slt, env: [KEY]}}', 'config_invalid reelform.yaml:2:28', 'is built in, and has no env'],
    ['{a: {builtin: siri}}', 'config_invalid reelform.yaml:2:23', 'slt'],
    ['{a: {command: []}}', 'config_invalid reelform.yaml:2:23', ''],
    ['{a: {command: speak.sh}}', 'config_invalid reelform.yaml:2:23', ''],
    ['{a: {command: [x], env: [a-b]}}', 'config_invalid reelform.yaml:2:34', 'environment variable'],
    ['{a: {command: [x], verison: 2}}', 'unknown_property reelform.yaml:2:28', 'verison'],
    ['{a: {command: [x], price_per_1000_characters: 1}}', 'config_invalid reelform.yaml:2:28', 'needs a currency'],
    ['{"a b": {builtin: slt}}', 'config_invalid reelform.yaml:2:10', 'letters'],
  ])('report %s', (text, place, message) => {
    const { diagnostics } = voices(text);
    expect(diagnostics.map((found) => placed(found, () => `templates: {}\nvoices: ${text}\n`))).toEqual([place]);
    expect(`${diagnostics[0]!.message} ${diagnostics[0]!.hint}`).toContain(message);
  });
});
