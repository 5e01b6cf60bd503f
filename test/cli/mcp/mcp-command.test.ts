import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { type CallToolResult, type ClientCapabilities, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { execaSync } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { definition, makeRepository } from '../../support/repository.ts';
import { PROGRAM } from '../../support/spawned-program.ts';

let root: string;
let client: Client;
/** The answer of the user to the next question, and the questions so far. */
let approve = false;
const questions: string[] = [];

beforeAll(async () => {
  root = makeRepository({ '.gitignore': 'renders/\n.reelform/\n' });
  git('init', '--quiet', '--initial-branch=main');
  git('config', 'user.name', 'Ada');
  git('config', 'user.email', 'ada@example.com');
  git('add', '.');
  git('commit', '--quiet', '--message', 'videos: add three cities');
  client = await connect({ elicitation: {} });
  client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
    questions.push(params.message);
    return { action: 'accept', content: { approve } };
  });
});

afterAll(() => client.close());

function git(...args: string[]): string {
  return execaSync('git', args, { cwd: root }).stdout;
}

async function connect(capabilities: ClientCapabilities): Promise<Client> {
  const agent = new Client({ name: 'test', version: '1.0.0' }, { capabilities });
  await agent.connect(new StdioClientTransport({ command: process.execPath, args: [PROGRAM, 'mcp'], cwd: root }));
  return agent;
}

async function call(name: string, args: Record<string, unknown> = {}, agent = client) {
  const { content, isError = false } = (await agent.callTool({ name, arguments: args })) as CallToolResult;
  const texts = content.flatMap((one) => (one.type === 'text' ? [one.text] : []));
  const images = content.flatMap((one) => (one.type === 'image' ? [Buffer.from(one.data, 'base64')] : []));
  return { document: texts[0] ?? '', text: texts.join('\n'), images, isError };
}

/** Commits a proposal that replaces one file. */
function propose(branch: string, path: string, content: string | null) {
  return call('propose', { branch, message: `videos: edit ${path}`, files: [{ path, content }] });
}

describe('reelform mcp', () => {
  it('offers its tools, and marks those that change nothing', async () => {
    const { tools } = await client.listTools();
    const readOnly = tools.filter(({ annotations }) => annotations?.readOnlyHint === true).map(({ name }) => name);
    expect(readOnly).toEqual([
      ...[
        'list_videos',
        'validate',
        'plan',
        'lint',
        'caption_fixes',
        'explain',
        'template_info',
        'read_definition',
        'look',
      ],
    ]);
    expect(tools.map(({ name }) => name).filter((name) => !readOnly.includes(name))).toEqual(['propose', 'apply']);
  });

  it('leads from the list of videos to a proposed change with stills', async () => {
    const listed = JSON.parse((await call('list_videos')).document) as { videos: { id: string; state: string }[] };
    expect(listed.videos.map(({ id, state }) => [id, state])).toEqual([
      ['berlin', 'new'],
      ['oslo', 'new'],
      ['rome', 'new'],
    ]);
    expect((await call('template_info', { template: 'small' })).text).toContain('"t_01"');
    const read = await call('read_definition', { video: 'rome' });
    expect(read.text).toContain('# videos/rome.yaml');
    const still = await call('look', { video: 'rome' });
    expect(still.images[0]?.subarray(1, 4).toString()).toBe('PNG');

    const proposed = await propose('agent/roma', 'videos/rome.yaml', definition('Roma'));
    expect(proposed).toMatchObject({ isError: false, text: expect.stringContaining('branch agent/roma') });
    expect(proposed.text).toMatch(/"plan_id": ?"sha256:/);
    expect(proposed.text).toContain('rome after, at');
    expect(proposed.images.length).toBeGreaterThanOrEqual(2);
    expect(git('show', 'agent/roma:videos/rome.yaml')).toContain('Roma');
    expect(git('log', '--format=%an %s', 'main..agent/roma')).toBe('Ada videos: edit videos/rome.yaml');
    expect(readFileSync(join(root, 'videos/rome.yaml'), 'utf8')).toBe(definition('Rome'));
    expect(git('status', '--porcelain', '--', 'videos')).toBe('');
    expect(git('worktree', 'list').split('\n')).toHaveLength(1);
  });

  it('shows the first still of a video that is sampled at another rate', async () => {
    const path = join(root, 'videos/slow.yaml');
    writeFileSync(path, `${definition('Slow')}output: {fps: 1}\n`);
    const { images, text } = await call('look', { video: 'slow' });
    rmSync(path);
    expect(text).toBe('');
    expect(images[0]?.subarray(1, 4).toString()).toBe('PNG');
  });

  it('creates no branch for a definition with errors, and returns them', async () => {
    const wrong = await propose('agent/wrong', 'videos/rome.yaml', 'template: small\nresources: {t_99: x}\n');
    expect(wrong).toMatchObject({ isError: true, text: expect.stringContaining('unknown_editable') });
    expect(git('branch', '--list', 'agent/wrong')).toBe('');
  });

  it.each([
    ['reelform.yaml', 'service: {url: "https://evil.example"}\n'],
    ['../outside.yaml', 'x'],
    ['videos/../reelform.yaml', 'x'],
    ['/etc/passwd', 'x'],
    ['.github/workflows/apply.yml', 'x'],
  ])('does not propose %s', async (path, content) => {
    const refused = await propose('agent/refused', path, content);
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('cannot be proposed') });
    expect(git('branch', '--list', 'agent/refused')).toBe('');
  });

  it.each(['bad branch', '-d', '@{-1}'])('does not propose the branch %s', async (branch) => {
    const refused = await propose(branch, 'videos/rome.yaml', definition('Roma'));
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('is not a branch name') });
  });

  it('does not remove a file that is not there', async () => {
    const refused = await propose('agent/refused', 'videos/none.yaml', null);
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('has no such file') });
    expect(git('branch', '--list', 'agent/refused')).toBe('');
  });

  it('does not overwrite a branch', async () => {
    git('branch', 'agent/taken');
    const taken = await propose('agent/taken', 'videos/rome.yaml', definition('Roma'));
    expect(taken).toMatchObject({ isError: true, text: expect.stringContaining('already exists') });
  });

  it('reads an id as an id, even if it looks like an option', async () => {
    expect(await call('explain', { video: '--json' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('unknown_video'),
    });
  });

  it('applies only the current plan, and only after the user has approved it', async () => {
    const target = ['rome'];
    const { plan_id } = JSON.parse((await call('plan', { target })).document) as { plan_id: string };
    const stale = await call('apply', { plan_id: `sha256:${'0'.repeat(64)}`, target });
    expect(stale).toMatchObject({ isError: true, text: expect.stringContaining('plan_stale') });
    expect(questions).toEqual([]);

    approve = false;
    const declined = await call('apply', { plan_id, target });
    expect(declined).toMatchObject({ isError: true, text: expect.stringContaining('not_approved') });
    expect(questions[0]).toContain('rome');

    const silent = await connect({});
    const unsupported = await call('apply', { plan_id, target }, silent);
    await silent.close();
    expect(unsupported).toMatchObject({ isError: true, text: expect.stringContaining(`--expect-plan ${plan_id}`) });

    approve = true;
    expect(await call('apply', { plan_id, target })).toMatchObject({ isError: false });
    expect(readFileSync(join(root, 'reelform.lock.json'), 'utf8')).toContain('"rome"');
  });
});
