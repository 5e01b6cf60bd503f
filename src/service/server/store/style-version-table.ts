import type { StyleVersionDetails } from '../../../contract/wire/style-version.ts';
import type { TenantId } from '../../sessions/ports.ts';
import type { StyleVersionRow, StyleVersionState } from '../ports.ts';
import type { Database, Queryable } from './database.ts';

interface Row {
  readonly tenant: TenantId | null;
  readonly status: StyleVersionDetails['status'];
  readonly errors: StyleVersionDetails['errors'];
  readonly details: StyleVersionDetails;
}

const COLUMNS = 'tenant, status, errors, details';

/**
 * Runs when a row enters a status, including the first, in the transaction that writes it.
 *
 * @param row with the paths of rendered still cuts
 */
type OnStyleVersionStatus = (tx: Queryable, row: StyleVersionRow) => Promise<void>;

export type StyleVersionTable = ReturnType<typeof createStyleVersionTable>;

/** Stores style versions in the database. A tenant's own row takes precedence over the row for all tenants. */
export function createStyleVersionTable(database: Database, onStatus: OnStyleVersionStatus = async () => {}) {
  return {
    /** Stores a row. An existing row of the tenant keeps its status and errors. @returns the resulting row */
    put: ({ tenant, details }: StyleVersionRow): Promise<StyleVersionRow> =>
      database.transaction(async (tx) => {
        const [put] = await tx.query<Row & { readonly is_new: boolean }>(
          `insert into reelform.style_versions (id, tenant, status, errors, details, created_at)
            values ($1, $2, $3, $4::json, $5::json, $6::timestamptz)
            on conflict (id, coalesce(tenant, '')) do update set details = excluded.details
            returning ${COLUMNS}, xmax = 0 as is_new`,
          [
            details.id,
            tenant,
            details.status,
            JSON.stringify(details.errors),
            JSON.stringify(details),
            details.created_at,
          ],
        );
        const row = asStored(put!);
        if (put!.is_new) await onStatus(tx, row);
        return row;
      }),

    /** Returns the tenant's own row, or else the row for all tenants. */
    async get(tenant: TenantId, id: string): Promise<StyleVersionRow | null> {
      const [row] = await database.query<Row>(
        `select ${COLUMNS} from reelform.style_versions
          where id = $1 and (tenant = $2 or tenant is null) order by tenant nulls last limit 1`,
        [id, tenant],
      );
      return row === undefined ? null : asStored(row);
    },

    /** Returns the tenant's own rows and those for all tenants, newest first. */
    async list(tenant: TenantId): Promise<StyleVersionRow[]> {
      const rows = await database.query<Row>(
        `select ${COLUMNS} from (
            select distinct on (id) id, created_at, ${COLUMNS} from reelform.style_versions
              where tenant = $1 or tenant is null order by id, tenant nulls last
          ) as visible order by created_at desc, id`,
        [tenant],
      );
      return rows.map(asStored);
    },

    /** Updates all rows with the id. */
    setStatus: (id: string, { status, errors, stillcuts }: StyleVersionState): Promise<void> =>
      database.transaction(async (tx) => {
        const rows = await tx.query<Row & { readonly before: string }>(
          `update reelform.style_versions as changed set status = $2, errors = $3::json
            from (select id, tenant, status from reelform.style_versions where id = $1 for update) as old
            where changed.id = old.id and changed.tenant is not distinct from old.tenant
            returning changed.tenant, changed.status, changed.errors, changed.details, old.status as before`,
          [id, status, JSON.stringify(errors)],
        );
        for (const row of rows.filter(({ before }) => before !== status)) {
          const { tenant, details } = asStored(row);
          await onStatus(tx, { tenant, details: { ...details, stillcuts } });
        }
      }),

    /** Returns the ids with status `processing`. */
    async processing(): Promise<string[]> {
      const rows = await database.query<{ id: string }>(
        `select distinct id from reelform.style_versions where status = 'processing' order by id`,
      );
      return rows.map(({ id }) => id);
    },
  };
}

function asStored({ tenant, status, errors, details }: Row): StyleVersionRow {
  return { tenant, details: { ...details, status, errors } };
}
