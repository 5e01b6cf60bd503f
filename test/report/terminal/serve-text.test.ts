import { describe, expect, it } from 'vitest';
import { logLine, serveText } from '../../../src/report/terminal/serve-text.ts';

const FACTS = {
  url: 'http://127.0.0.1:4400',
  metricsUrl: null,
  settings: { databaseUrl: null, dataDirectory: '/data', storage: null, host: '127.0.0.1', publicUrl: null },
  templates: [],
  hasTokens: true,
  usualDataDirectory: '/data',
};

describe('serveText()', () => {
  it.each([
    [
      'postgres://me:canary@db.example.com:5433/reelform?sslmode=require',
      'PostgreSQL, reelform at db.example.com:5433',
    ],
    ['postgresql:///', 'PostgreSQL, the default database at localhost'],
  ])('names the database of %s without its secrets', (databaseUrl, expected) => {
    const text = serveText({ ...FACTS, settings: { ...FACTS.settings, databaseUrl } });
    expect(text).toContain(`  database     ${expected}\n`);
    expect(text).not.toMatch(/canary|sslmode/);
  });

  it('names the bucket that stores the files', () => {
    const settings = { ...FACTS.settings, storage: 's3://videos/farm' };
    expect(serveText({ ...FACTS, settings })).toContain('  storage      s3://videos/farm\n');
    expect(serveText(FACTS)).not.toContain('storage');
    const metricsUrl = 'http://127.0.0.1:9400';
    expect(serveText({ ...FACTS, metricsUrl })).toContain('  metrics      http://127.0.0.1:9400/metrics\n');
    expect(serveText(FACTS)).not.toContain('metrics');
  });

  it('mentions the public URL if clients may be on other machines', () => {
    const everywhere = { ...FACTS.settings, host: '0.0.0.0' };
    expect(serveText({ ...FACTS, settings: everywhere })).toContain('--public-url');
    expect(serveText({ ...FACTS, settings: { ...everywhere, publicUrl: 'https://x' } })).not.toContain('--public-url');
    expect(serveText(FACTS)).not.toContain('--public-url');
  });

  it.each([
    ['the usual folder', null, '/data', 'terminal:\n  export REELFORM_TOKEN=$(reelform token create)\n'],
    ['another folder', null, '/srv/data', '$(reelform token create --data /srv/data)\n'],
    ['a folder that a shell would split', null, "/my data's", `$(reelform token create --data '/my data'\\''s')\n`],
    ['PostgreSQL', 'postgres://h/db', '/srv/data', 'settings:\n  export REELFORM_TOKEN=$(reelform token create)\n'],
  ])('says how to make the first token: %s', (_, databaseUrl, dataDirectory, expected) => {
    const settings = { ...FACTS.settings, databaseUrl, dataDirectory };
    expect(serveText({ ...FACTS, settings, hasTokens: false })).toContain(expected);
  });
});

const line = (entry: unknown, color = false): string => logLine(`${JSON.stringify(entry)}\n`, { color });

describe('logLine()', () => {
  it('puts time, level and message before the other fields', () => {
    const entry = {
      level: 'warn',
      time: '2026-01-01T10:00:00.125Z',
      session: 'rs_1',
      count: 2,
      more: { a: 1 },
      msg: 'It was slow',
    };
    expect(line(entry)).toBe('10:00:00.125 warn  It was slow  session=rs_1 count=2 more={"a":1}\n');
  });

  it('returns one line that cannot control a terminal', () => {
    const entry = { level: 'info', time: '2026-01-01T10:00:00.000Z', title: 'a\u001b[2Jb\nc', msg: 'x\u202ey' };
    expect(line(entry)).toBe('10:00:00.000 info  x\\u202ey  title=a\\u001b[2Jb⏎c\n');
  });

  it('returns a line that is not an entry unchanged', () => {
    expect(logLine('plain\n', { color: false })).toBe('plain\n');
    expect(logLine('[1]\n', { color: false })).toBe('[1]\n');
  });
});
