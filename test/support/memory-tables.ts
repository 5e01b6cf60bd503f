import type { StyleVersionRow } from '../../src/service/server/ports.ts';
import type { StyleVersionTable } from '../../src/service/server/store/style-version-table.ts';
import type { UploadTable } from '../../src/service/server/templates/source-uploads.ts';

/** Style versions in memory, for tests of other subjects: opening a database takes a second. */
export function createMemoryStyleVersions(): StyleVersionTable {
  let rows: StyleVersionRow[] = [];
  const copy = structuredClone;
  return {
    async put(row) {
      const known = rows.find((one) => one.tenant === row.tenant && one.details.id === row.details.id);
      if (known === undefined) rows.push(copy(row));
      else {
        const { status, errors } = known.details;
        rows = rows.map((one) => (one === known ? copy({ ...row, details: { ...row.details, status, errors } }) : one));
      }
      return copy(rows.find((one) => one.tenant === row.tenant && one.details.id === row.details.id)!);
    },
    async get(tenant, id) {
      const found = rows.filter((row) => row.details.id === id);
      return copy(found.find((row) => row.tenant === tenant) ?? found.find((row) => row.tenant === null) ?? null);
    },
    async list(tenant) {
      const seen = rows.filter((row) => row.tenant === tenant || row.tenant === null).reverse();
      return copy(seen.filter((row, index) => seen.findIndex((one) => one.details.id === row.details.id) === index));
    },
    async setStatus(id, { status, errors }) {
      rows = rows.map((row) => (row.details.id === id ? { ...row, details: { ...row.details, status, errors } } : row));
    },
    async processing() {
      const open = rows.filter((row) => row.details.status === 'processing');
      return [...new Set(open.map((row) => row.details.id))];
    },
  };
}

export function createMemoryUploads(): UploadTable {
  const known = new Set<string>();
  return {
    async add(tenant, digest) {
      known.add(`${tenant} ${digest}`);
    },
    async has(tenant, digest) {
      return known.has(`${tenant} ${digest}`);
    },
  };
}
