import type { ServerResponse } from 'node:http';

/** Milliseconds between comments that keep proxies and browsers from closing an idle connection. */
const HEARTBEAT_MS = 15_000;
/** Bytes that a client may leave unread. It then loses its connection and, on reconnecting, gets the whole state. */
const MAX_UNREAD_BYTES = 32 << 20;

/** Sends server-sent events to all connected pages. @see https://html.spec.whatwg.org/multipage/server-sent-events.html */
export class EventStream {
  readonly #clients = new Set<ServerResponse>();
  readonly #heartbeat: NodeJS.Timeout;

  constructor() {
    this.#heartbeat = setInterval(() => this.#write(': alive\n\n'), HEARTBEAT_MS);
    this.#heartbeat.unref();
  }

  /** Adds a client, whose first event describes the current state. */
  connect(response: ServerResponse, name: string, data: unknown): void {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    response.write(`retry: 1000\n\n${eventText(name, data)}`);
    this.#clients.add(response);
    response.on('close', () => this.#clients.delete(response));
  }

  send(name: string, data: unknown): void {
    if (this.#clients.size > 0) this.#write(eventText(name, data));
  }

  close(): void {
    clearInterval(this.#heartbeat);
    for (const client of this.#clients) client.end();
    this.#clients.clear();
  }

  #write(text: string): void {
    for (const client of this.#clients) {
      if (client.writableLength > MAX_UNREAD_BYTES) client.destroy();
      else client.write(text);
    }
  }
}

function eventText(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
