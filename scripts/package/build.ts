// Builds what the packed package runs, in dist/: Node strips no types below node_modules, and few files load faster.
import { cpSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.ts';

const DIST = fileURLToPath(new URL('../../dist', import.meta.url));
/** The licenses of bundled packages must come with them. */
const LICENSES = join(DIST, 'licenses');
const PACKAGE = /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//;

const modules = await bundle(DIST);
const packages = new Map(
  modules.map((id) => PACKAGE.exec(id)).flatMap((found) => (found ? [[found[0], found[1]]] : [])),
);
mkdirSync(LICENSES);
for (const [folder = '', name = ''] of packages) {
  const license = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
  if (license === undefined) throw new Error(`${folder} has no license`);
  cpSync(join(folder, license), join(LICENSES, `${name.replace('/', '_')}.txt`));
}
