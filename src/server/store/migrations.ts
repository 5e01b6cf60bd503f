/** One step of the schema. Its version is its place in the list, from 1 on. */
export interface Migration {
  readonly name: string;
  readonly statements: readonly string[];
}

/**
 * The schema, step by step. A step that was published is never edited: databases that have taken it would differ from new
 * ones. What is to change comes as a further step.
 *
 * Answers and details are `json`, not `jsonb`: a service that shows an object with its members in another order, or that
 * chokes on a \u0000 in a title, would not give back what it was given. What is searched by has a column.
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

      // The first request with an Idempotency-Key, and what it was answered with.
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

      // Without a tenant: everybody's.
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
];
