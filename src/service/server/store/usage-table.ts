import { serviceError } from '../../../contract/service-error.ts';
import type { DailyUsage, UsageBudget } from '../../../contract/wire/render-session.ts';
import type { StoredSession, TenantId } from '../../sessions/ports.ts';
import type { Settings } from '../settings/settings-table.ts';
import type { Queryable, StoreContext } from './database.ts';

interface UsageOptions extends StoreContext {
  readonly limits: Pick<Settings, 'monthlySeconds' | 'tenantMonthlySeconds'>;
}

/** Days of a usage report, half-open, `YYYY-MM-DD`. */
export interface UsageRange {
  readonly since: string;
  readonly before: string;
}

export type Usage = ReturnType<typeof createUsageTable>;

/** Records the rendered videos of each tenant and day, UTC, and applies the monthly limit of a tenant. */
export function createUsageTable({ database, now, limits }: UsageOptions) {
  const today = (): string => new Date(now()).toISOString().slice(0, 10);
  const limitOf = (tenant: TenantId): number | null => limits.tenantMonthlySeconds.get(tenant) ?? limits.monthlySeconds;

  const readBudget = async (on: Queryable, tenant: TenantId, limit: number): Promise<UsageBudget> => {
    const month = today().slice(0, 7);
    const [row] = await on.query<{ used: number; reserved: number }>(
      `select
          (select coalesce(sum(video_seconds), 0) from reelform.usage
            where tenant = $1 and day >= $2::date and day < $2::date + interval '1 month') as used,
          (select coalesce(sum(video_seconds), 0) from reelform.sessions
            where tenant = $1 and status = 'preview_rendering') as reserved`,
      [tenant, `${month}-01`],
    );
    return { month, limit, used: row!.used, reserved: row!.reserved };
  };

  return {
    /** Adds a rendered session to the current day, in the transaction that ends it. */
    async add(tx: Queryable, { tenant, session, videoSeconds }: StoredSession): Promise<void> {
      const { usage, outputs } = session;
      if (usage === undefined) return;
      const bytes = outputs?.reduce((sum, file) => sum + (file.bytes ?? 0), 0) ?? usage.bytes;
      await tx.query(
        `insert into reelform.usage as total (tenant, day, sessions, video_seconds, render_seconds, frames, bytes)
          values ($1, $2::date, 1, $3, $4, $5, $6)
          on conflict (tenant, day) do update set
            sessions = total.sessions + 1,
            video_seconds = total.video_seconds + excluded.video_seconds,
            render_seconds = total.render_seconds + excluded.render_seconds,
            frames = total.frames + excluded.frames,
            bytes = total.bytes + excluded.bytes`,
        [tenant, today(), videoSeconds, usage.render_seconds, usage.frames, bytes],
      );
    },

    /**
     * Refuses a queued session that exceeds the monthly limit of its tenant. Must run after `nextPriority`, which
     * serializes the queued sessions of a tenant, so that concurrent requests cannot exceed the limit together.
     *
     * @throws ServiceError 403 `budget_exceeded`
     */
    async requireBudget(tx: Queryable, { tenant }: StoredSession): Promise<void> {
      const most = limitOf(tenant);
      if (most === null) return;
      const { month, limit, used, reserved } = await readBudget(tx, tenant, most);
      if (used + reserved <= limit) return;
      const detail = `With this video, the tenant would have ${round(used + reserved)} s of video in ${month}; its limit is ${limit} s`;
      throw serviceError('budget_exceeded', detail);
    },

    /** Returns the days with rendered videos in order, and the budget of the current month; null without a limit. */
    async read(
      tenant: TenantId,
      { since, before }: UsageRange,
    ): Promise<{ readonly usage: DailyUsage[]; readonly budget: UsageBudget | null }> {
      const usage = await database.query<DailyUsage>(
        `select to_char(day, 'YYYY-MM-DD') as date, sessions, video_seconds, render_seconds, frames, bytes
          from reelform.usage where tenant = $1 and day >= $2::date and day < $3::date order by day`,
        [tenant, since, before],
      );
      const limit = limitOf(tenant);
      return { usage, budget: limit === null ? null : await readBudget(database, tenant, limit) };
    },
  };
}

function round(seconds: number): number {
  return Math.round(seconds * 10) / 10;
}
