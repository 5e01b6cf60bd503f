import { execPath } from 'node:process';
import { describe, expect, it } from 'vitest';
import { parsePolicyCommand, runPolicyCommand } from '../../../src/cli/plan/evaluate-policies.ts';
import { EXIT } from '../../../src/kernel/diagnostic.ts';
import { CONFIG, definition, makeRepository } from '../../support/repository.ts';
import { writeFiles } from '../../support/temporary-repository.ts';
import { reelform, type TestIoOptions } from '../../support/test-io.ts';

/** Returns a command that runs a line of JavaScript. */
const node = (code: string): string => JSON.stringify([execPath, '-e', code]);
const ONE = ['plan', '--target', 'rome'];

interface Planned {
  readonly exitCode: number;
  diagnostics: readonly { readonly code: string; readonly message: string; readonly line: number | null }[];
  readonly checks?: readonly { readonly rule: string; readonly status: string; readonly video: string | null }[];
}

async function planned(root: string, args: readonly string[] = [], options: TestIoOptions = {}): Promise<Planned> {
  const { exitCode, stdout } = await reelform(root, [...ONE, '--json', ...args], options);
  const document = JSON.parse(stdout) as Omit<Planned, 'exitCode'>;
  const diagnostics = document.diagnostics.filter(({ code }) => code !== 'schema_outdated');
  return { ...document, exitCode, diagnostics };
}

describe('policies of reelform.yaml', () => {
  it('deny a plan and an apply at the location in the definition, and take effect when changed', async () => {
    const root = makeRepository();
    expect((await planned(root)).exitCode).toBe(EXIT.ok);
    const strict = `${CONFIG}policies:\n  forbid_words: {words: [roma]}\n  title_pattern: {level: warn, pattern: "R*"}\n`;
    writeFiles(root, { 'reelform.yaml': strict, 'videos/rome.yaml': definition('Roma') });
    for (const round of [1, 2]) {
      const { exitCode, diagnostics, checks } = await planned(root);
      expect({ round, exitCode }).toEqual({ round, exitCode: EXIT.refused });
      expect(diagnostics).toMatchObject([
        { code: 'policy_broken', line: 2 },
        { code: 'policy_broken', line: 4, message: 't_01 of rome contains "roma"' },
      ]);
      expect(checks).toMatchObject([
        { rule: 'forbid_words', status: 'fail', video: 'rome' },
        { rule: 'forbid_words', status: 'fail', video: 'rome' },
        { rule: 'title_pattern', status: 'pass', video: null },
      ]);
    }
    const applied = await reelform(root, ['apply', '--auto-approve']);
    expect(applied.exitCode).toBe(EXIT.refused);
    expect(applied.stderr).toContain('videos/rome.yaml:4:9');

    // A relaxed rule takes effect at once despite the plan cache.
    writeFiles(root, { 'reelform.yaml': strict.replace('{words: [roma]}', '{level: warn, words: [roma]}') });
    expect(await planned(root)).toMatchObject({ exitCode: EXIT.ok, diagnostics: [{ code: 'policy_broken' }, {}] });
  });

  it('are evaluated again when a saved plan is applied', async () => {
    const root = makeRepository();
    expect((await reelform(root, [...ONE, '--out', 'plan.json'])).exitCode).toBe(EXIT.ok);
    writeFiles(root, { 'reelform.yaml': `${CONFIG}policies: {require_label: {labels: {owner: "*"}}}\n` });
    const { exitCode, stderr } = await reelform(root, ['apply', 'plan.json']);
    expect(exitCode).toBe(EXIT.refused);
    expect(stderr).toContain('rome has no label owner');
    expect(stderr).not.toContain('oslo');
  });

  it('limit the cost of a plan, using the configured prices', async () => {
    const prices = 'cost: {currency: EUR, per_render: 0.5}\npolicies: {max_cost: {amount: 0.4}}\n';
    const root = makeRepository({ 'reelform.yaml': `${CONFIG}${prices}` });
    const denied = await reelform(root, ONE);
    expect(denied.exitCode).toBe(EXIT.refused);
    expect(denied.stdout).toContain('about €0.50');
    expect(denied.stderr).toContain('The plan costs 0.5 EUR, but the limit is 0.4 EUR');
  });

  it('require translations of the videos with a label, from the cache too', async () => {
    const root = makeRepository();
    const local = `${definition('Roma')}locales: all\nlabels: {campaign: launch}\n`;
    const policies = 'policies: {require_translations: {labels: {campaign: launch}}}\n';
    const config = `${CONFIG}locales: {source: en, targets: [de]}\n${policies}`;
    writeFiles(root, { 'reelform.yaml': config, 'videos/rome.yaml': local });
    for (const round of [1, 2]) {
      const { exitCode, stdout } = await reelform(root, ['plan', '--json']);
      const { diagnostics, checks } = JSON.parse(stdout) as Planned;
      expect({ round, exitCode }).toEqual({ round, exitCode: EXIT.refused });
      expect(checks).toMatchObject([{ rule: 'require_translations', status: 'fail', video: 'rome/de' }]);
      const message = 'The translation of rome/de to de is incomplete: 2 texts';
      expect(diagnostics).toContainEqual(expect.objectContaining({ code: 'policy_broken', message }));
    }
    writeFiles(root, { 'videos/rome.yaml': local.replace('campaign: launch', 'campaign: draft') });
    expect((await reelform(root, ['plan'])).exitCode).toBe(EXIT.ok);
  });

  it('report an incomplete price', async () => {
    const root = makeRepository({ 'reelform.yaml': `${CONFIG}cost: {per_render: 1}\n` });
    expect((await planned(root)).diagnostics).toMatchObject([
      { message: 'cost has no currency', hint: 'Add currency: …' },
    ]);
  });

  it.each([
    'policies: {max_length: {}}',
    'policies: {max_duration: {}}',
    'policies: {max_duration: {level: error, seconds: 1}}',
    'policies: {forbid_words: {words: ["\u00AD"]}}',
    'policies: {allow_sources: {hosts: ["cdn.example.com:443"]}}',
    'policies: {allow_sources: {hosts: ["https://a.example"]}}',
    'policies: {max_cost: {amount: 1}}',
    'cost: {currency: euro, per_render: 1}',
  ])('are validated: %s', async (text) => {
    const root = makeRepository({ 'reelform.yaml': `${CONFIG}${text}\n` });
    expect(await planned(root)).toMatchObject({
      exitCode: EXIT.error,
      diagnostics: [{ line: CONFIG.split('\n').length }],
    });
  });
});

describe('--policy-command', () => {
  it('evaluates the plan, by flag or environment variable, without tokens', async () => {
    const root = makeRepository();
    const says = `const plan = JSON.parse(require('fs').readFileSync(0));
      const { REELFORM_TOKEN, GREETING } = process.env;
      console.log(JSON.stringify({ warn: [{ message: [plan.changes[0].title, REELFORM_TOKEN, GREETING].join(), video: 'rome' }] }))`;
    const env = { REELFORM_TOKEN: 'secret', GREETING: 'hello', REELFORM_POLICY_COMMAND: node('process.exit(3)') };
    const { exitCode, diagnostics, checks } = await planned(root, ['--policy-command', node(says)], { env });
    expect(exitCode).toBe(EXIT.refused);
    expect(diagnostics.map(({ message }) => message)).toEqual([
      'command node: rome: Rome,,hello',
      'command node (2): it exited with 3 without a message',
    ]);
    expect(diagnostics[0]).toMatchObject({ file: 'videos/rome.yaml' });
    expect(checks).toMatchObject([{ rule: 'command node', video: 'rome' }, { rule: 'command node (2)' }]);
  });

  it('cannot be set in a file, and runs only if the plan has changes', async () => {
    const root = makeRepository({ 'reelform.yaml': `${CONFIG}policy_command: "true"\n` });
    expect(await planned(root)).toMatchObject({ exitCode: EXIT.error, diagnostics: [{ code: 'unknown_property' }] });
    const none = await reelform(makeRepository(), [
      'plan',
      '--target-file',
      '-',
      '--policy-command',
      node('process.exit(1)'),
    ]);
    expect(none.exitCode).toBe(EXIT.ok);
  });

  it.each(['', '[]', '[1]', '["a"', '[""]'])('is refused if it names no program: %j', async (command) => {
    const { exitCode, stderr } = await reelform(makeRepository(), [...ONE, '--policy-command', `${command} `]);
    expect([exitCode, stderr.includes('policy_invalid')]).toEqual(
      command === '' ? [EXIT.ok, false] : [EXIT.error, true],
    );
  });
});

describe('runPolicyCommand()', () => {
  const run = {
    input: 'x'.repeat(1_000_000),
    cwd: '/',
    env: {},
    timeoutMs: 60_000,
    signal: new AbortController().signal,
  };

  it('parses words and lists without a shell', () => {
    expect(parsePolicyCommand(' check --name a\\ b $HOME ; rm')).toEqual([
      'check',
      '--name',
      'a b',
      '$HOME',
      ';',
      'rm',
    ]);
    expect(parsePolicyCommand('["a b", "c"]')).toEqual(['a b', 'c']);
  });

  it.each([
    ['setInterval(() => {}, 1e6)', 1, 'it did not finish within'],
    ["require('child_process').spawn('sleep', ['1000'], { stdio: 'inherit' })", 1, 'it did not finish within'],
    ["(function more() { process.stdout.write('x'.repeat(1e5), more) })()", 60_000, 'more than'],
    ["process.kill(process.pid, 'SIGKILL')", 60_000, 'was ended by SIGKILL'],
  ])('reports a command that does not end normally: %s', async (code, timeoutMs, said) => {
    expect((await runPolicyCommand([execPath, '-e', code], { ...run, timeoutMs })).failure).toContain(said);
  });

  it('reports a missing command, and tolerates one that does not read its input', async () => {
    expect((await runPolicyCommand(['/no/such/program'], run)).failure).toContain('could not be started: ENOENT');
    expect(await runPolicyCommand([execPath, '-e', 'process.exit(0)'], run)).toMatchObject({
      exitCode: 0,
      failure: null,
    });
  });
});
