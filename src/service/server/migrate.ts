import { ReelformError } from '../../kernel/diagnostic.ts';
import type { Log } from './log.ts';
import { installJobs } from './queue/queues.ts';
import type { Database, Queryable } from './store/database.ts';

/** Arbitrary id of the advisory lock that serializes migrations. */
const LOCK = 7_232_845;

/** A migration may rewrite a table, and other processes wait for it. */
const LONG = { isLong: true };

/**
 * Upgrades the database to the schema of this program, and then that of the job queue. Several processes may do so at
 * once; each migration runs once and atomically.
 *
 * @throws ReelformError `database_newer`: a newer program has upgraded it; nothing is changed
 * @throws ReelformError `database_unavailable`: the user may not create the schema
 */
export async function migrate(database: Database, log: Log): Promise<void> {
  try {
    let version = await database.transaction(prepare, LONG);
    while (version < MIGRATIONS.length) version = await database.transaction((tx) => takeNext(tx, log), LONG);
    await installJobs(database, log);
  } catch (error) {
    if ((error as { code?: unknown }).code !== '42501') throw error;
    throw new ReelformError(
      'database_unavailable',
      'The database user may not create or change the schema of the service',
      {
        hint: 'Run: grant create on database … to …',
      },
    );
  }
}

async function prepare(tx: Queryable): Promise<number> {
  await lock(tx);
  const [found] = await tx.query<{ there: boolean }>(`select to_regclass('reelform.migrations') is not null as there`);
  if (found?.there !== true) {
    await tx.query('create schema if not exists reelform');
    await tx.query(`create table reelform.migrations (
      version integer primary key,
      name text not null,
      applied_at timestamptz not null default now()
    )`);
  }
  return readVersion(tx);
}

async function takeNext(tx: Queryable, log: Log): Promise<number> {
  await lock(tx);
  const version = (await readVersion(tx)) + 1;
  const migration = MIGRATIONS[version - 1];
  // Another process has applied it.
  if (migration === undefined) return version - 1;
  for (const statement of migration.statements) await tx.query(statement);
  await tx.query('insert into reelform.migrations (version, name) values ($1, $2)', [version, migration.name]);
  log.info({ version, migration: migration.name }, `the database is now at version ${version}`);
  return version;
}

async function lock(tx: Queryable): Promise<void> {
  // Another process may be running a long migration.
  await tx.query('set local lock_timeout = 0');
  await tx.query('set local statement_timeout = 0');
  await tx.query('select pg_advisory_xact_lock($1)', [LOCK]);
}

async function readVersion(tx: Queryable): Promise<number> {
  const [row] = await tx.query<{ version: number }>(
    'select coalesce(max(version), 0) as version from reelform.migrations',
  );
  const version = row?.version ?? 0;
  if (version > MIGRATIONS.length) {
    throw new ReelformError(
      'database_newer',
      `The database has schema version ${version}, but this program supports only ${MIGRATIONS.length}`,
      { hint: 'Update reelform. To downgrade, restore a backup of the database from before the upgrade' },
    );
  }
  return version;
}

/** One schema migration. Its version is its position in the list, starting at 1. */
interface Migration {
  readonly name: string;
  readonly statements: readonly string[];
}

/**
 * All migrations in order. A published migration is never edited, because existing databases have already applied it;
 * add another migration instead.
 *
 * Responses and details are stored as `json` rather than `jsonb`, which would reorder members and reject a \u0000 in a
 * title. Fields used in queries have columns.
 */
export const MIGRATIONS: readonly Migration[] = [
  {
    name: 'sessions, claims, tokens, style versions, uploads, secrets',
    statements: [
      `create table reelform.sessions (
        id text primary key,
        tenant text not null,
        status text not null,
        style_version_id text not null,
        created_at timestamptz not null,
        expires_at timestamptz,
        output_name text not null unique,
        attempt integer not null default 0,
        render_progress double precision not null default 0,
        scene text,
        session json not null
      )`,
      'create index sessions_newest on reelform.sessions (tenant, created_at desc, id desc)',
      'create index sessions_expiry on reelform.sessions (expires_at) where expires_at is not null',
      'create index sessions_scene on reelform.sessions (scene) where scene is not null',

      // The first request with an Idempotency-Key and its response.
      `create table reelform.claims (
        tenant text not null,
        key text not null,
        request text not null,
        answer json,
        expires_at timestamptz not null,
        primary key (tenant, key)
      )`,
      'create index claims_expiry on reelform.claims (expires_at)',

      `create table reelform.tokens (
        id text primary key,
        digest text not null unique,
        tenant text not null,
        name text not null,
        scopes text[] not null,
        created_at timestamptz not null,
        expires_at timestamptz,
        revoked_at timestamptz,
        last_used_at timestamptz
      )`,

      // Null tenant: available to all tenants.
      `create table reelform.style_versions (
        id text not null,
        tenant text,
        status text not null,
        errors json not null,
        details json not null,
        created_at timestamptz not null
      )`,
      `create unique index style_versions_owner on reelform.style_versions (id, coalesce(tenant, ''))`,
      'create index style_versions_newest on reelform.style_versions (tenant, created_at desc)',

      `create table reelform.uploads (
        tenant text not null,
        digest text not null,
        created_at timestamptz not null default now(),
        primary key (tenant, digest)
      )`,

      `create table reelform.secrets (
        name text primary key,
        value text not null
      )`,
    ],
  },
  {
    name: 'webhooks',
    statements: [
      `create table reelform.webhook_endpoints (
        id text primary key,
        tenant text not null,
        url text not null,
        description text not null,
        types text[],
        secret text not null,
        previous_secret text,
        previous_secret_until timestamptz,
        disabled_because text,
        enabled_at timestamptz not null,
        failing_since timestamptz,
        last_success_at timestamptz,
        created_at timestamptz not null,
        updated_at timestamptz not null
      )`,
      'create index webhook_endpoints_tenant on reelform.webhook_endpoints (tenant, created_at, id)',

      // Messages, written in the transaction of the event.
      `create table reelform.webhook_messages (
        id text primary key,
        type text not null,
        body text not null,
        created_at timestamptz not null
      )`,
      'create index webhook_messages_oldest on reelform.webhook_messages (created_at)',

      // Deliveries of messages to endpoints. "turn" counts scheduled attempts (a job each), "step" is the position in
      // the schedule and "attempts" counts started ones. The number of an attempt fences the write of its result.
      `create table reelform.webhook_deliveries (
        id text primary key,
        endpoint_id text not null references reelform.webhook_endpoints on delete cascade,
        message_id text not null references reelform.webhook_messages on delete cascade,
        status text not null,
        turn integer not null default 0,
        step integer not null default 0,
        attempts integer not null default 0,
        next_attempt_at timestamptz,
        created_at timestamptz not null,
        ended_at timestamptz,
        unique (message_id, endpoint_id)
      )`,
      'create index webhook_deliveries_newest on reelform.webhook_deliveries (endpoint_id, created_at desc, id desc)',
      `create index webhook_deliveries_pending on reelform.webhook_deliveries (endpoint_id) where status = 'pending'`,
      `create table reelform.webhook_attempts (
        delivery_id text not null references reelform.webhook_deliveries on delete cascade,
        attempt integer not null,
        at timestamptz not null,
        status_code integer,
        error text,
        duration_ms double precision not null,
        primary key (delivery_id, attempt)
      )`,
    ],
  },
  {
    name: 'external uploads',
    statements: [
      // Separate from the session's JSON, which the renderer overwrites. "open_uploads" counts unfinished uploads.
      `alter table reelform.sessions
        add column external_uploads json,
        add column open_uploads integer not null default 0`,
      // Internal state of deliveries: "round" counts scheduled rounds (a job each), "attempt" started ones and "tries"
      // failures; "state" is the point to resume from. The number of an attempt fences the write of its result.
      `create table reelform.external_uploads (
        session_id text not null references reelform.sessions on delete cascade,
        position integer not null,
        round integer not null default 0,
        attempt integer not null default 0,
        tries integer not null default 0,
        state json,
        primary key (session_id, position)
      )`,
    ],
  },
  {
    name: 'workers and turns',
    statements: [
      `create table reelform.workers (
        id text primary key,
        host text not null,
        build text not null,
        places integer not null,
        busy integer not null,
        started_at timestamptz not null,
        seen_at timestamptz not null
      )`,
      // The last turn of each tenant in each queue, and the highest started turn (tenant '').
      `create table reelform.turns (
        queue text not null,
        tenant text not null,
        turn bigint not null,
        primary key (queue, tenant)
      )`,
      // Serves the count of a tenant's waiting and running sessions.
      `create index sessions_rendering on reelform.sessions (tenant) where status = 'preview_rendering'`,

      // Facts that the processes of an installation share: the public URL and the id of its storage.
      `create table reelform.facts (
        name text primary key,
        value text not null
      )`,
    ],
  },
  {
    name: 'parts of sessions',
    statements: [
      // A session is rendered in parts while it is rendering under the attempt that was split. The counter identifies
      // the last part to finish.
      `create table reelform.session_splits (
        session_id text primary key references reelform.sessions on delete cascade,
        attempt integer not null,
        queued_at timestamptz not null,
        begun_at timestamptz not null,
        scene_sha256 text not null,
        parts_left integer not null
      )`,
      // A finished part has the digest of its file.
      `create table reelform.session_parts (
        session_id text not null references reelform.session_splits on delete cascade,
        part integer not null,
        first_segment integer not null,
        end_segment integer not null,
        frame_count integer not null,
        frames_done integer not null default 0,
        sha256 text,
        primary key (session_id, part)
      )`,
    ],
  },
  {
    name: 'issued tokens',
    statements: [
      // "parent_id" is the token that issued this token. "session_id" is set for edit tokens.
      `alter table reelform.tokens
        add column parent_id text references reelform.tokens,
        add column session_id text references reelform.sessions on delete cascade`,
      'create index tokens_session on reelform.tokens (session_id) where session_id is not null',
      'create index tokens_issued on reelform.tokens (expires_at) where parent_id is not null',
    ],
  },
  {
    name: 'signatures of webhooks',
    // Signing key of an endpoint with the signature "shakr"; null for "standard".
    statements: ['alter table reelform.webhook_endpoints add column client_id text'],
  },
  {
    name: 'abandoned drafts',
    statements: [`create index sessions_drafts on reelform.sessions (created_at) where status = 'draft'`],
  },
  {
    name: 'stored segments',
    statements: [
      // The key includes the tenant, unless tenants share renderings. The storage has the bytes.
      `create table reelform.segments (
        key text primary key,
        bytes bigint not null,
        used_at timestamptz not null
      )`,
      'create index segments_used on reelform.segments (used_at)',
    ],
  },
  {
    name: 'metadata, priorities, usage',
    statements: [
      `alter table reelform.sessions
        add column metadata jsonb,
        add column priority smallint not null default 0,
        add column video_seconds double precision not null default 0`,
      `create index sessions_metadata on reelform.sessions using gin (metadata jsonb_path_ops)
        where metadata is not null`,
      `create index sessions_priority on reelform.sessions (tenant)
        where status = 'preview_rendering' and priority <> 0`,
      // The videos that a tenant rendered on one day, UTC.
      `create table reelform.usage (
        tenant text not null,
        day date not null,
        sessions integer not null,
        video_seconds double precision not null,
        render_seconds double precision not null,
        frames bigint not null,
        bytes bigint not null,
        primary key (tenant, day)
      )`,
      // The webhook_url of a session; null for the URL of the endpoint.
      'alter table reelform.webhook_deliveries add column url text',
    ],
  },
  {
    name: 'scenes',
    // Style versions of all scenes of a session; null for a session with a mapping.
    statements: ['alter table reelform.sessions add column style_version_ids text[]'],
  },
];
