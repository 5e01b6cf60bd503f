import type { TenantId } from '../../session/ports.ts';
import type { StyleVersionDetails } from '../../wire/style-version.ts';
import type { StyleVersionRow, StyleVersionTable } from '../ports.ts';
import type { Database } from './database.ts';

interface Row {
  readonly tenant: TenantId | null;
  readonly status: StyleVersionDetails['status'];
  readonly errors: StyleVersionDetails['errors'];
  readonly details: StyleVersionDetails;
}

const COLUMNS = 'tenant, status, errors, details';

/** Style versions in the database. Of one id, a tenant's own comes before everybody's. */
export function createStyleVersionTable(database: Database): StyleVersionTable {
  return {
    async put({ tenant, details }) {
      await database.query(
        `insert into reelform.style_versions (id, tenant, status, errors, details, created_at)
          values ($1, $2, $3, $4::json, $5::json, $6::timestamptz)
          on conflict (id, coalesce(tenant, '')) do update set details = excluded.details`,
        [
          details.id,
          tenant,
          details.status,
          JSON.stringify(details.errors),
          JSON.stringify(details),
          details.created_at,
        ],
      );
      const [row] = await database.query<Row>(
        `select ${COLUMNS} from reelform.style_versions where id = $1 and tenant is not distinct from $2::text`,
        [details.id, tenant],
      );
      return asStored(row!);
    },

    async get(tenant, id) {
      const [row] = await database.query<Row>(
        `select ${COLUMNS} from reelform.style_versions
          where id = $1 and (tenant = $2 or tenant is null) order by tenant nulls last limit 1`,
        [id, tenant],
      );
      return row === undefined ? null : asStored(row);
    },

    async list(tenant) {
      const rows = await database.query<Row>(
        `select ${COLUMNS} from (
            select distinct on (id) id, created_at, ${COLUMNS} from reelform.style_versions
              where tenant = $1 or tenant is null order by id, tenant nulls last
          ) as visible order by created_at desc, id`,
        [tenant],
      );
      return rows.map(asStored);
    },

    async setStatus(id, status, errors) {
      await database.query('update reelform.style_versions set status = $2, errors = $3::json where id = $1', [
        id,
        status,
        JSON.stringify(errors),
      ]);
    },

    async processing() {
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
