import type { FastifyInstance } from 'fastify';
import type { UsageRange } from '../../store/usage-table.ts';
import type { AppPorts } from '../app-ports.ts';
import { readTime, tenantOf } from '../request-context.ts';
import { EXAMPLES } from '../schemas/examples.ts';
import { closedObjectOf, listOf, objectOf, type Schema, scoped, timeFilter } from '../schemas/json-schema.ts';
import { guardedProblems, json } from '../schemas/responses.ts';

const READ = { scope: 'render_session:read' } as const;
const DAY_MS = 86_400_000;

interface UsageQuery {
  since?: string;
  before?: string;
}

const DAILY_USAGE: Schema = objectOf({
  date: { type: 'string', description: 'Day, UTC', examples: ['2026-01-01'] },
  sessions: { type: 'integer', description: 'Number of rendered sessions' },
  video_seconds: { type: 'number', description: 'Total length of their videos, in seconds' },
  render_seconds: { type: 'number', description: 'Total duration of their renders, in seconds' },
  frames: { type: 'integer' },
  bytes: { type: 'integer', description: 'Total size of all files' },
});

const USAGE_BUDGET: Schema = {
  ...objectOf({
    month: { type: 'string', description: 'Calendar month, UTC', examples: ['2026-01'] },
    limit: { type: 'number', description: 'Seconds of video that the tenant may render this month' },
    used: { type: 'number', description: 'Length of the videos rendered this month, in seconds' },
    reserved: { type: 'number', description: 'Length of the videos of waiting and running sessions, in seconds' },
  }),
  type: ['object', 'null'],
  description: 'Null if the operator has not set a limit',
};

const GET_USAGE: Schema = {
  tags: ['Render sessions'],
  security: scoped(READ.scope),
  operationId: 'getUsage',
  summary: 'Get the usage of the tenant',
  description:
    'Sums of the rendered sessions of each day, UTC. A session counts on the day on which it was rendered, also after it is deleted. `budget` is the limit of the current month.',
  querystring: closedObjectOf(
    {
      since: timeFilter('First day. Defaults to the first day of the current month'),
      before: timeFilter('Day after the last day. Defaults to tomorrow'),
    },
    ['since', 'before'],
  ),
  response: {
    200: json('The usage', objectOf({ usage: listOf(DAILY_USAGE), budget: USAGE_BUDGET }), {}, EXAMPLES.usage),
    ...guardedProblems('bad_request'),
  },
};

/** `/v2/usage` */
export function usageRoutes(app: FastifyInstance, { usage, now }: Pick<AppPorts, 'usage' | 'now'>): void {
  app.get<{ Querystring: UsageQuery }>('/v2/usage', {
    config: READ,
    schema: GET_USAGE,
    handler: (request) => usage.read(tenantOf(request), readRange(request.query, now())),
  });
}

/** Returns the days of a usage report: by default the current month up to today. */
function readRange({ since, before }: UsageQuery, nowMs: number): UsageRange {
  const now = new Date(nowMs).toISOString();
  const tomorrow = new Date(nowMs + DAY_MS).toISOString();
  return {
    since: since === undefined ? `${now.slice(0, 7)}-01` : readTime('since', since).slice(0, 10),
    before: (before === undefined ? tomorrow : readTime('before', before)).slice(0, 10),
  };
}
