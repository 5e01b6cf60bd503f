import { isIP } from 'node:net';
import { isPublicAddress, urlProblem } from '../../session/sources/address-guard.ts';
import { type AllowList, allows, allowsName, plainHost } from '../../session/sources/allow-list.ts';

/**
 * What is wrong with the URL of an endpoint, as far as can be said without asking anybody; null when it may be tried. Where
 * a name leads is looked at on each connection.
 *
 * `https` alone, but for hosts that whoever runs the service has named (or whose address is in a range of theirs).
 */
export function webhookUrlProblem(text: string, allow: AllowList): string | null {
  if (!URL.canParse(text)) return 'is no URL';
  const url = new URL(text);
  const problem = urlProblem(url, { allow });
  if (problem !== null) return problem;
  const host = plainHost(url.hostname);
  const isAllowed = allowsHost(host, Number(url.port || (url.protocol === 'https:' ? 443 : 80)), allow);
  if (isAllowed) return null;
  if (isIP(host) !== 0 && !isPublicAddress(host)) return 'leads to an address that is not public';
  if (host === 'localhost' || host.endsWith('.localhost')) return 'leads to an address that is not public';
  return url.protocol === 'https:' ? null : 'is not https';
}

function allowsHost(host: string, port: number, allow: AllowList): boolean {
  if (isIP(host) !== 0) return allows(allow, { host, port, address: host });
  return allowsName(allow, host);
}
