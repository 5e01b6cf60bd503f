import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CONFIG, makeRepository } from '../../support/repository.ts';
import { reelform } from '../../support/test-io.ts';

const VTT = `\ufeffWEBVTT\r\n\r\nNOTE made by hand\r\n
1\r
00:00.000 --> 00:00.850 line:0\r
<v Ann>Hello <i>there</i>\r
\r
2\r
00:01.250 --> 00:02.150\r
and a very long line of forty-three letters.\r
`;

const WITH_LINT = CONFIG.replace(/^lint:[\s\S]*$/m, '');

function setUp(captions: string, config = CONFIG) {
  const root = makeRepository({ 'reelform.yaml': config, 'captions/en.vtt': VTT });
  for (const other of ['berlin', 'oslo']) rmSync(join(root, `videos/${other}.yaml`));
  const path = join(root, 'videos/rome.yaml');
  writeFileSync(path, `${readFileSync(path, 'utf8')}captions: ${captions}\n`);
  return {
    run: (...args: string[]) => reelform(root, args, { now: Date.now }),
    read: (file: string) => readFileSync(join(root, file), 'utf8'),
    write: (file: string, text: string) => writeFileSync(join(root, file), text),
  };
}

describe('reelform captions fix', () => {
  it('shows the times that it would change, and changes nothing else in the file', async () => {
    const { run, read } = setUp('{from: captions/en.vtt, rules: netflix, lang: en, burn: false}');
    const shown = await run('captions', 'fix');
    expect(shown.stdout).toMatchInlineSnapshot(`
      "captions/en.vtt
        end   00:00:00.850 → 00:00:01.050  Hello there

      Would change 1 time in 1 file. Run \`reelform captions fix --yes\` to do so.
      "
    `);
    expect(read('captions/en.vtt')).toBe(VTT);
    const { exitCode, stdout } = await run('captions', 'fix', 'rome', '--yes');
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('Changed 1 time in 1 file.')]);
    expect(read('captions/en.vtt')).toBe(VTT.replace('00:00.850', '00:01.050'));
    expect((await run('captions', 'fix')).stdout).toBe('No times to change.\n');
  });

  it('changes cues that are written in a definition', async () => {
    const { run, read } = setUp(
      '{rules: netflix, from: [{start: 0, end: 0.85, text: a}, {start: 1.25, end: 2.2, text: b}]} # ours',
    );
    await run('captions', 'fix', '--yes');
    expect(read('videos/rome.yaml')).toContain(
      '[{start: 0, end: 1.05, text: a}, {start: 1.25, end: 2.2, text: b}]} # ours',
    );
  });

  it('changes a cue of a definition behind a byte order mark, with quotes and comments as they are', async () => {
    const { run, read, write } = setUp('null');
    const definition = `\ufeff${read('videos/rome.yaml').replace(/captions:.*\n$/, '')}captions:
  rules: netflix
  from:
    # spoken by Ben
    - {text: "a: b", start: 0, end: 0.85} # twice
    - start: 1.25
      end: 2.2
      text: c
`;
    write('videos/rome.yaml', definition);
    await run('captions', 'fix', '--yes');
    expect(read('videos/rome.yaml')).toBe(definition.replace('0.85', '1.05'));
  });

  it('leaves times that are columns of a data file', async () => {
    const { run, read, write } = setUp(
      '{rules: netflix, from: [{start: 0, end: "${end}", text: a}, {start: 1.25, end: 2.2, text: b}]}',
      WITH_LINT,
    );
    const before = `${read('videos/rome.yaml')}each: {from: ./rows.csv, id: "\${slug}"}\n`;
    write('videos/rome.yaml', before);
    write('videos/rows.csv', 'slug,end\na,0.85\n');
    expect((await run('lint', '--json')).stdout).toContain('"caption_gap"');
    expect((await run('captions', 'fix', '--yes')).stdout).toBe('No times to change.\n');
    expect(read('videos/rome.yaml')).toBe(before);
  });

  it('prints one JSON document, and reports ids that no video has', async () => {
    const { run } = setUp('{from: captions/en.vtt, rules: netflix, lang: en, burn: false}');
    const { stdout } = await run('captions', 'fix', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      written: false,
      files: [{ path: 'captions/en.vtt', times: [{ edge: 'end', before: 0.85, after: 1.05 }] }],
    });
    const { exitCode, stderr } = await run('captions', 'fix', 'paris');
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('paris')]);
  });
});

describe('reelform lint', () => {
  it('checks captions by the rules of the definition, at the lines of their file', async () => {
    const { run } = setUp('{from: captions/en.vtt, rules: netflix, lang: en, burn: false}', WITH_LINT);
    const { stdout } = await run('lint', '--json');
    const found = JSON.parse(stdout).diagnostics.filter(({ code }: { code: string }) => code.startsWith('caption_'));
    expect(
      found.map(({ code, severity, file, line, message }: Record<string, unknown>) => [
        code,
        severity,
        file,
        line,
        message,
      ]),
    ).toMatchInlineSnapshot(`
      [
        [
          "caption_gap",
          "warning",
          "captions/en.vtt",
          6,
          "The caption "Hello there" at 00:00:00.000 of rome ends 4 frames before the next; it should end 2 frames before it (netflix)",
        ],
        [
          "caption_line_too_long",
          "warning",
          "captions/en.vtt",
          10,
          "The caption "and a very long line of forty…" at 00:00:01.250 of rome has a line of 44 characters; at most 42 are allowed (netflix)",
        ],
        [
          "caption_too_fast",
          "warning",
          "captions/en.vtt",
          10,
          "The caption "and a very long line of forty…" at 00:00:01.250 of rome has 48.89 characters a second; at most 20 are allowed (netflix)",
        ],
      ]
    `);
  });

  it('uses the severities of reelform.yaml', async () => {
    const lint = `${WITH_LINT}lint: {caption_gap: error, caption_too_fast: off}\n`;
    const { run } = setUp('{from: captions/en.vtt, rules: netflix, lang: en, burn: false}', lint);
    const { stdout, exitCode } = await run('lint', '--json');
    const codes = JSON.parse(stdout).diagnostics.map(({ code }: { code: string }) => code);
    expect(exitCode).toBe(1);
    expect(codes).toContain('caption_gap');
    expect(codes).not.toContain('caption_too_fast');
  });
});
