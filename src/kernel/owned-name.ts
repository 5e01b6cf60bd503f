import { hash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { pid } from 'node:process';
import { processExists } from './os-process.ts';

/** A process is named by the namespace of its id and its id. */
const OWNER = /^([0-9a-f]+)-(\d+)-/;
const UNKNOWN = '0';
let namespace: string | undefined;

/** Returns a name that other processes do not guess, and that tells whose it is. EDGE. */
export function ownedName(prefix: string): string {
  return `${prefix}${namespaceName()}-${pid}-${randomBytes(12).toString('hex')}`;
}

/** Returns whether the owner of a name has ended. False if its id may be from another container or machine. EDGE. */
export function ownerHasEnded(prefix: string, name: string): boolean {
  const [, owner, id] = OWNER.exec(name.slice(prefix.length)) ?? [];
  return owner !== undefined && owner !== UNKNOWN && owner === namespaceName() && !processExists(Number(id));
}

/** Returns a globally unique name of the namespace that this process has its id in; `UNKNOWN` without /proc. */
function namespaceName(): string {
  namespace ??= readNamespace();
  return namespace;
}

function readNamespace(): string {
  try {
    // A container may mount the /proc of its host, where its processes have other ids.
    if (readlinkSync('/proc/self') !== String(pid)) return UNKNOWN;
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return hash('sha256', `${boot} ${readlinkSync('/proc/self/ns/pid')}`).slice(0, 12);
  } catch {
    return UNKNOWN;
  }
}
