import { createSocket } from 'node:dgram';
import type { AddressInfo } from 'node:net';

/** DNS server on the loopback with answers defined by the test; records its queries. */
export interface DnsServer {
  /** `address:port` */
  readonly address: string;
  readonly questions: string[];
  close(): Promise<void>;
}

/**
 * @param answer returns the IPv4 addresses of a name: empty for a missing name, null to send no answer
 * @see RFC 1035, section 4.1
 */
export async function startDnsServer(answer: (name: string) => readonly string[] | null): Promise<DnsServer> {
  const questions: string[] = [];
  const socket = createSocket('udp4', (message, from) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = message[at]!; length > 0; length = message[at]!) {
      labels.push(message.toString('latin1', at + 1, at + 1 + length));
      at += 1 + length;
    }
    const name = labels.join('.').toLowerCase();
    const type = message.readUInt16BE(at + 1);
    questions.push(name);
    const addresses = answer(name);
    if (addresses === null) return;
    const records = type === 1 ? addresses : [];
    const header = Buffer.from(message.subarray(0, 12));
    header.writeUInt16BE(addresses.length === 0 ? 0x8183 : 0x8180, 2);
    header.writeUInt16BE(records.length, 6);
    header.writeUInt32BE(0, 8);
    const bodies = records.map((address) => {
      const fixed = [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4];
      return Buffer.from([...fixed, ...address.split('.').map(Number)]);
    });
    socket.send(Buffer.concat([header, message.subarray(12, at + 5), ...bodies]), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const { port } = socket.address() as AddressInfo;
  return {
    address: `127.0.0.1:${port}`,
    questions,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}
