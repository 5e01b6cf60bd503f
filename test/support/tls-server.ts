import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** A key that protects nothing, and its self-signed certificate for media.example until 2126. */
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgwRN+0pyP5mq8ou7I
xOkRM/+VGxahJ/noBcMykufPVVihRANCAAQJdk2WahR4PNAAgI2CcDcDEfwr6I22
XVIS+KfwHUV6JUvITE2podmNEHI57T6Tn2A5FKBwiWKzide0v0GfK8hT
-----END PRIVATE KEY-----
`;
export const TLS_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBoTCCAUegAwIBAgIUXVQIc9VzJLk4UKTPkKOq6n1N1jEwCgYIKoZIzj0EAwIw
GDEWMBQGA1UEAwwNbWVkaWEuZXhhbXBsZTAgFw0yNjExMjcwMDQxNThaGA8yMTI2
MTEwMzAwNDE1OFowGDEWMBQGA1UEAwwNbWVkaWEuZXhhbXBsZTBZMBMGByqGSM49
AgEGCCqGSM49AwEHA0IABAl2TZZqFHg80ACAjYJwNwMR/CvojbZdUhL4p/AdRXol
S8hMTamh2Y0QcjntPpOfYDkUoHCJYrOJ17S/QZ8ryFOjbTBrMB0GA1UdDgQWBBSi
LDdG9UKlR73+cMoAk+d6xzqvbzAfBgNVHSMEGDAWgBSiLDdG9UKlR73+cMoAk+d6
xzqvbzAPBgNVHRMBAf8EBTADAQH/MBgGA1UdEQQRMA+CDW1lZGlhLmV4YW1wbGUw
CgYIKoZIzj0EAwIDSAAwRQIhAJxgS2njhoX2VU/2Hqav9gJiPAyt+1EtdXblWk4z
qEOaAiAx65yG7dE7D9R8Bet/OPtPQBlvEZ6JtoqvX9CKuhXSeQ==
-----END CERTIFICATE-----
`;

/** A real HTTPS server on a free loopback port, for the name media.example. */
export async function startTlsServer(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ readonly port: number; close(): void }> {
  const server = createServer({ key: KEY, cert: TLS_CERTIFICATE }, handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
