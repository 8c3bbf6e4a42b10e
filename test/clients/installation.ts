// Installs a client from its registry into a folder outside the tree, and keeps it for later runs.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Client } from './client.ts';

const ROOT = process.env.PINYON_CLIENTS_DIR ?? join(tmpdir(), 'pinyon-clients');
const MARK = 'installed.json';

/** The folder of the installed client. */
export async function installed(client: Client): Promise<string> {
  const folder = join(ROOT, client.name);
  const mark = join(folder, MARK);
  const recipe = JSON.stringify(client.packages);
  if (existsSync(mark) && readFileSync(mark, 'utf8') === recipe) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await client.install(folder);
  writeFileSync(mark, recipe);
  return folder;
}

/** The commands that a client needs and this machine does not have. */
export function missingCommands(client: Client): readonly string[] {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return client.needs.filter((command) => !folders.some((folder) => existsSync(join(folder, command))));
}
