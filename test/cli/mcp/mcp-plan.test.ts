import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { expect, it } from 'vitest';
import { definition } from '../../support/repository.ts';
import { PROGRAM } from '../../support/spawned-program.ts';
import { makeSpeakingRepository, speaking } from '../../support/speaking-repository.ts';
import { reelform } from '../../support/test-io.ts';

const vtt = (text: string): string => `WEBVTT\n\n00:00.000 --> 00:00.400\n${text}\n\n00:00.700 --> 00:00.900\nnow\n`;

it('shows agents changed cues, fixes of captions, and the texts and speech that videos wait for', async () => {
  const { root } = makeSpeakingRepository(
    {
      'captions/en.vtt': vtt('Hello'),
      'videos/rome.yaml': definition('Rome', 'captions: {from: ../captions/en.vtt, style: box, rules: bbc}\n'),
    },
    undefined,
    'locales: {source: en, targets: [de]}\n',
  );
  expect((await reelform(root, ['apply', '--auto-approve'], { now: Date.now })).exitCode).toBe(0);
  writeFileSync(join(root, 'captions/en.vtt'), vtt('Goodbye'));
  writeFileSync(join(root, 'videos/oslo.yaml'), speaking('Oslo', 'Good morning'));
  writeFileSync(join(root, 'videos/berlin.yaml'), `${definition('Berlin')}locales: all\n`);

  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [PROGRAM, 'mcp'], cwd: root }));
  try {
    const call = async (name: string, args: object): Promise<Record<string, unknown>> => {
      const { content } = (await client.callTool({ name, arguments: { ...args } })) as CallToolResult;
      const [answer] = content;
      return JSON.parse(answer?.type === 'text' ? answer.text : '');
    };
    const plan = await call('plan', {});
    expect((plan.changes as { id: string }[]).find(({ id }) => id === 'rome')).toMatchObject({
      action: 'update',
      inputs: [{ key: 'captions.cues', before: '0-0.4 Hello\n0.7-0.9 now', after: '0-0.4 Goodbye\n0.7-0.9 now' }],
    });
    expect(plan.texts).toMatchObject([
      { locale: 'de', waiting: 1, untranslated: 2, first: { video: 'berlin/de', file: 'videos/berlin.yaml', line: 2 } },
    ]);
    expect(plan.waiting_videos).toMatchObject([{ id: 'oslo' }]);
    expect(plan.diagnostics).toContainEqual(expect.objectContaining({ code: 'speech_missing', line: 6 }));
    expect(await call('caption_fixes', { videos: ['rome'] })).toMatchObject({
      written: false,
      files: [{ path: 'captions/en.vtt', times: [{ edge: 'end', before: 0.4, after: 0.7, text: 'Goodbye' }] }],
    });
  } finally {
    await client.close();
  }
});
