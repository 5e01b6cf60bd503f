import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';

/** Absolute paths of the tarballs as they are published. */
export interface Tarballs {
  readonly reelform: string;
  readonly engine: string;
  readonly server: string;
}

const PACKAGES = join(import.meta.dirname, '../../packages');

/** Packs the packages that the build wrote, into a temporary folder. */
export async function packPackages(): Promise<Tarballs> {
  const folder = mkdtempSync(join(tmpdir(), 'reelform-tarballs-'));
  const pack = async (name: string): Promise<string> => {
    // Builds nothing: that would replace the program that other tests run meanwhile.
    const args = ['pack', join(PACKAGES, name), '--ignore-scripts', '--json', '--pack-destination', folder];
    const [packed] = JSON.parse((await execa('npm', args)).stdout) as { readonly filename: string }[];
    return join(folder, packed!.filename.replace('@', '').replace('/', '-'));
  };
  const [reelform, engine, server] = [await pack('reelform'), await pack('engine'), await pack('server')];
  return { reelform, engine, server };
}
