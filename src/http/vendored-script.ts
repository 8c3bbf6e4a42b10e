// The renderer of the API reference, which is large: kept as Brotli, and read when a browser first asks for it.
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliDecompress, gzip } from 'node:zlib';
import type { ConsoleFile } from './console-files.ts';

/** What `npm run build:renderer` makes. */
const FOLDER = fileURLToPath(new URL('../../console/vendor/', import.meta.url));
const SUFFIX = '.js.br';

/** The names of the scripts, which contain their versions, without extensions. */
export function vendoredScripts(folder: string = FOLDER): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(SUFFIX))
      .map((name) => name.slice(0, -SUFFIX.length));
  } catch {
    return [];
  }
}

/** Reads a script. Its other forms are made here: files for every form would be five times as large. */
export async function readVendoredScript(name: string, folder: string = FOLDER): Promise<ConsoleFile> {
  const br = await readFile(join(folder, `${name}${SUFFIX}`));
  const bytes = await promisify(brotliDecompress)(br);
  const gz = await promisify(gzip)(bytes);
  return {
    type: 'text/javascript; charset=utf-8',
    bytes,
    encoded: new Map([['br', br] as const, ['gzip', gz] as const]),
  };
}
