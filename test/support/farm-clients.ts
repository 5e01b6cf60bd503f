import { setTimeout as sleep } from 'node:timers/promises';
import { type Api, openApi, untilEnded } from './api.ts';
import type { Farm } from './farm.ts';
import { type FarmSession, farmRequest } from './farm-sessions.ts';
import { startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.ts';

/** Time limit for webhook events and deliveries after the last video; failed ones are retried after minutes. */
const PATIENCE_MS = 600_000;

/** An upload as its session reports it. */
export interface ToldUpload {
  readonly status: string;
  readonly error: unknown;
}

/** Webhook events that the receivers got. */
export interface ToldFigures {
  /** Number of events, by distinct id. */
  readonly messages: number;
  readonly received: number;
  /** Number of events that came again after they were answered with success. */
  readonly repeats: number;
  /** Facts that two events reported: a session with its status, or with its delivery. */
  readonly twice: string[];
  /** Facts that no event reported. */
  readonly missing: string[];
  readonly unverified: number;
  /** Events whose signature verified although they were tampered with. */
  readonly gullible: number;
}

/** Tenants of a farm, each with an endpoint for webhooks. */
export interface FarmClients {
  /** Creates sessions for the tenants in turn, each to be delivered to the bucket. @returns their ids */
  post(sessions: readonly FarmSession[]): Promise<string[]>;
  /** Resolves when a session has ended. */
  ended(id: string): Promise<void>;
  /** Resolves when all uploads have ended. */
  delivered(ids: readonly string[]): Promise<ToldUpload[]>;
  video(id: string): Promise<Uint8Array>;
  /** Resolves when all expected events have arrived. */
  told(ids: readonly string[]): Promise<ToldFigures>;
}

/** Starts a receiver of webhooks that refuses one event in twenty at first, as a receiver does during a deployment. */
export function startFarmReceiver(): Promise<WebhookReceiver> {
  return startWebhookReceiver({
    answer: (id, before) => (before === 0 && id.charCodeAt(id.length - 1) % 20 === 0 ? 503 : 204),
  });
}

/** Opens clients with one tenant per receiver. The farm must know the receivers. */
export async function openFarmClients(farm: Farm, receivers: readonly WebhookReceiver[]): Promise<FarmClients> {
  const clients = await Promise.all(
    receivers.map(async (receiver, index) => {
      const api = openApi(farm.url, await farm.token(`tenant-${index}`));
      const { status, body } = await api('POST', '/v2/webhook_endpoints', { body: { url: receiver.url } });
      if (status !== 201) throw new Error(JSON.stringify(body));
      receiver.trust(body.webhook_endpoint.secret);
      return { api };
    }),
  );
  const apis = new Map<string, Api>();
  const read = async (id: string) => {
    const { status, body } = await apis.get(id)!('GET', `/v2/render_sessions/${id}`);
    return status === 200 ? body.render_session : null;
  };
  return {
    async post(sessions) {
      const ids: string[] = [];
      for (const session of sessions) {
        const { api } = clients[apis.size % clients.length]!;
        const external_uploads = [{ to: 's3://deliveries/{session_id}.mp4', credential: 'bucket' }];
        const { status, body } = await api('POST', '/v2/render_sessions', {
          headers: { 'idempotency-key': session.title.replace(' ', '-') },
          body: { ...farmRequest(session), external_uploads },
        });
        if (status !== 201) throw new Error(`${status}: ${JSON.stringify(body)}`);
        apis.set(body.render_session.id, api);
        ids.push(body.render_session.id);
      }
      return ids;
    },
    async ended(id) {
      await untilEnded(apis.get(id)!, id);
    },
    async delivered(ids) {
      const uploads: ToldUpload[] = [];
      const hasEnded = ({ status }: ToldUpload): boolean => status === 'complete' || status === 'failed';
      const deadline = performance.now() + PATIENCE_MS;
      for (const id of ids) {
        for (;;) {
          const told: ToldUpload[] = (await read(id))?.external_uploads ?? [];
          const isOver = (told.length > 0 && told.every(hasEnded)) || performance.now() > deadline;
          if (isOver) uploads.push(...told);
          if (isOver) break;
          await sleep(100);
        }
      }
      return uploads;
    },
    async video(id) {
      const answer = await fetch((await read(id)).video_url);
      return answer.ok ? new Uint8Array(await answer.arrayBuffer()) : new Uint8Array();
    },
    async told(ids) {
      const wanted = ids.flatMap((id) => [`${id} preview_rendered`, `${id} delivered`]);
      const deadline = performance.now() + PATIENCE_MS;
      while (missingOf(wanted, receivers).length > 0 && performance.now() < deadline) await sleep(100);
      // Leaves time for repeated events to arrive.
      await sleep(2_000);
      return figuresOf(wanted, receivers);
    },
  };
}

/** Returns the accepted events: the ids of events by the fact that they report. */
function accepted(receivers: readonly WebhookReceiver[]): Map<string, Set<string>> {
  const ids = new Map<string, Set<string>>();
  for (const { id, body, answered } of receivers.flatMap(({ received }) => received)) {
    if (answered >= 300) continue;
    const { render_session: session, render_session_id: delivered } = body.data;
    const tells = session === undefined ? `${delivered} delivered` : `${session.id} ${session.status}`;
    ids.set(tells, (ids.get(tells) ?? new Set()).add(id));
  }
  return ids;
}

function missingOf(wanted: readonly string[], receivers: readonly WebhookReceiver[]): string[] {
  const told = accepted(receivers);
  return wanted.filter((tells) => !told.has(tells));
}

function figuresOf(wanted: readonly string[], receivers: readonly WebhookReceiver[]): ToldFigures {
  const received = receivers.flatMap((receiver) => receiver.received);
  const successes = received.filter(({ answered }) => answered < 300).map(({ id }) => id);
  return {
    messages: new Set(received.map(({ id }) => id)).size,
    received: received.length,
    repeats: successes.length - new Set(successes).size,
    twice: [...accepted(receivers)].filter(([, ids]) => ids.size > 1).map(([tells]) => tells),
    missing: missingOf(wanted, receivers),
    unverified: receivers.reduce((sum, { unverified }) => sum + unverified.length, 0),
    gullible: receivers.reduce((sum, { gullible }) => sum + gullible.length, 0),
  };
}
