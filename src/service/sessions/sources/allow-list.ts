import ipaddr from 'ipaddr.js';
import { type Diagnostic, errorAt, type Result } from '../../../kernel/diagnostic.ts';

/** Ports of public servers that may be used. */
export const PUBLIC_PORTS: readonly number[] = [80, 443];

/** The remote end of a connection. */
export interface ConnectionTarget {
  /** Host of the URL, without the brackets of IPv6. */
  readonly host: string;
  readonly port: number;
  /** Resolved address, or the host itself. */
  readonly address: string;
}

/** Non-public hosts that may be contacted. */
export interface AllowList {
  /** Any host, address and port. */
  readonly isEverything: boolean;
  readonly rules: readonly AllowRule[];
}

interface AllowRule {
  readonly kind: 'name' | 'range';
  /** Null allows any port. */
  readonly ports: readonly number[] | null;
  readonly matches: (target: ConnectionTarget) => boolean;
}

export const ALLOW_NOTHING: AllowList = { isEverything: false, rules: [] };

/** For commands that fetch the user's own URLs. */
export const ALLOW_EVERYTHING: AllowList = { isEverything: true, rules: [] };

/** `host`, `host:port`, `10.0.0.0/8:port`, `[fd00::]/8:port`; bare IPv6 has no port. */
const ENTRY = /^(?<host>\[[^\]]+\](?:\/\d+)?|[^:\s[\]]+)(?::(?<port>\d{1,5}|\*))?$/;

/**
 * Parses the setting and collects all mistakes.
 *
 * An entry is a host name, `*.domain` (any name below the domain, not the domain itself), an address or a CIDR range,
 * and may end in `:port` or `:*` (any port); otherwise it allows ports 80 and 443. A name allows whatever it resolves
 * to; a range allows any name that resolves into it. `*` alone allows everything.
 */
export function parseAllowList(entries: readonly string[]): Result<AllowList> {
  const rules: AllowRule[] = [];
  const diagnostics: Diagnostic[] = [];
  let isEverything = false;
  for (const entry of entries) {
    const rule = entry === '*' ? null : parseEntry(entry);
    if (rule === null) isEverything = true;
    else if (typeof rule === 'string') diagnostics.push(mistake(entry, rule));
    else rules.push(rule);
  }
  return diagnostics.length > 0 ? { ok: false, diagnostics } : { ok: true, value: { isEverything, rules } };
}

/** Parses entries that `parseAllowList` has accepted before. */
export function validAllowList(entries: readonly string[]): AllowList {
  const parsed = parseAllowList(entries);
  if (!parsed.ok) throw new Error(`Internal error: ${parsed.diagnostics.map(({ message }) => message).join('; ')}`);
  return parsed.value;
}

/** Reports whether a connection is allowed. */
export function allows(list: AllowList, target: ConnectionTarget): boolean {
  const plain = { ...target, host: plainHost(target.host) };
  return list.isEverything || list.rules.some((rule) => hasPort(rule, target.port) && rule.matches(plain));
}

/** Reports whether a host is listed by name, not by address: on a port, or on any if absent. */
export function allowsName(list: AllowList, host: string, port?: number): boolean {
  const target = { host: plainHost(host), port: 0, address: '' };
  const allowsIt = (rule: AllowRule): boolean =>
    rule.kind === 'name' && rule.matches(target) && (port === undefined || hasPort(rule, port));
  return list.isEverything || list.rules.some(allowsIt);
}

/** Reports whether any host may be contacted on a port. */
export function allowsPort(list: AllowList, port: number): boolean {
  return list.isEverything || list.rules.some((rule) => hasPort(rule, port));
}

/** Normalises a host: lower case, without brackets and trailing dots. */
export function plainHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.+$/, '');
}

function hasPort({ ports }: AllowRule, port: number): boolean {
  return ports === null || ports.includes(port);
}

/** @returns the rule, or the problem of the entry */
function parseEntry(entry: string): AllowRule | string {
  const isBareIpv6 = !entry.startsWith('[') && entry.split(':').length > 2;
  const { host, port } = isBareIpv6 ? { host: entry, port: undefined } : (ENTRY.exec(entry)?.groups ?? {});
  if (host === undefined) return 'is neither a host nor an address range';
  if (port !== undefined && port !== '*' && (Number(port) < 1 || Number(port) > 65_535)) return `has no port ${port}`;
  const ports = port === undefined ? PUBLIC_PORTS : port === '*' ? null : [Number(port)];
  const kind = /[:/]|^[\d.]+$/.test(host) ? 'range' : 'name';
  const matches = kind === 'range' ? matchRange(host.replace(/[[\]]/g, '')) : matchName(host);
  return typeof matches === 'string' ? matches : { kind, ports, matches };
}

function matchRange(text: string): AllowRule['matches'] | string {
  const [address = '', bits] = text.split('/');
  // 010.0.0.1 is ambiguous: 8.0.0.1 to some programs, 10.0.0.1 to other programs.
  if (!ipaddr.IPv6.isValid(address) && !ipaddr.IPv4.isValidFourPartDecimal(address)) return 'has no address';
  const single = ipaddr.IPv6.isValid(address) ? 128 : 32;
  const cidr = `${address}/${bits ?? single}`;
  if (!ipaddr.isValidCIDR(cidr)) return `has no prefix length of 0 to ${single}`;
  const range = ipaddr.parseCIDR(cidr);
  return ({ address: text }) => {
    const candidate = ipaddr.parse(text);
    return candidate.kind() === range[0].kind() && candidate.match(range);
  };
}

function matchName(text: string): AllowRule['matches'] | string {
  const isBelow = text.startsWith('*.');
  const written = isBelow ? text.slice(2) : text;
  const url = `http://${written}/`;
  const isName = !/[/\\@?#%*]/.test(written) && URL.canParse(url);
  const name = isName ? plainHost(new URL(url).hostname) : '';
  if (name === '') return 'has no host name';
  if (ipaddr.IPv4.isValid(name)) return `is not in canonical form; write ${name}`;
  return ({ host }) => (isBelow ? host.endsWith(`.${name}`) : host === name);
}

function mistake(entry: string, what: string): Diagnostic {
  const hint = 'Write a host, host:port, *.example.com, 10.0.0.0/8, [fd00::]/8, or * for everything';
  return errorAt('config_invalid', undefined, `The allowed host ${JSON.stringify(entry)} ${what}`, hint);
}
