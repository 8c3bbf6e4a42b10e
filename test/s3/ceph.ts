// A real S3 server for tests: Ceph's gateway over one monitor and one storage daemon that keeps everything in memory.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const PROGRAMS = ['radosgw', 'ceph-mon', 'ceph-osd', 'ceph', 'radosgw-admin', 'monmaptool'];
const PACKAGES = ['radosgw', 'ceph-mon', 'ceph-osd'];
const READY_MS_MAX = 60_000;
const POLL_MS = 500;

export interface RealS3 {
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  stop(): Promise<void>;
}

/**
 * Installs the packages where that is allowed: to root, and unless PINYON_S3_INSTALL is no. Answers why it cannot be run here, or
 * null when it can.
 */
export function whyNotHere(): string | null {
  const missing = () => PROGRAMS.filter((program) => spawnSync('which', [program]).status !== 0);
  if (missing().length === 0) return null;
  const mayInstall = process.env.PINYON_S3_INSTALL !== 'no' && process.getuid?.() === 0;
  if (!mayInstall || spawnSync('which', ['apt-get']).status !== 0) {
    return `not installed: ${missing().join(', ')} (Debian: apt-get install ${PACKAGES.join(' ')})`;
  }
  const options = ['install', '-y', '-q', '--no-install-recommends', ...PACKAGES];
  spawnSync('apt-get', ['update', '-qq'], { stdio: 'inherit' });
  const { status } = spawnSync('apt-get', options, { stdio: 'inherit' });
  if (status !== 0 || missing().length > 0) return `apt-get could not install ${PACKAGES.join(' ')}`;
  return null;
}

/** On a busy machine the storage sometimes never gets ready; what starts anew does. */
export function startRealS3(): Promise<RealS3> {
  return startOnce().catch(() => startOnce());
}

async function startOnce(): Promise<RealS3> {
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-ceph-'));
  const children: ChildProcess[] = [];
  const stop = async (): Promise<void> => {
    for (const child of [...children].reverse()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const [monitorPort, port] = [await freePort(), await freePort()];
    const config = writeConfig(folder, monitorPort);
    const run = (program: string, words: readonly string[]) =>
      children.push(spawn(program, [...words, '-c', config, '-f'], { stdio: 'ignore' }));
    const ask = (program: string, words: readonly string[]) =>
      execFileSync(program, ['-c', config, ...words], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      });
    startMonitor(folder, { monitorPort, config, run });
    await startStorage(folder, { config, run, ask });
    run('radosgw', ['-n', 'client.rgw.t', `--rgw_frontends=beast endpoint=127.0.0.1:${port}`]);
    const keys = { accessKeyId: 'AKPINYON', secretAccessKey: 'a-secret-of-this-test' };
    await until(() => {
      ask('radosgw-admin', [
        'user',
        'create',
        '--uid=t',
        '--display-name=t',
        `--access-key=${keys.accessKeyId}`,
        `--secret-key=${keys.secretAccessKey}`,
      ]);
      return true;
    });
    const endpoint = `http://127.0.0.1:${port}`;
    await until(async () => (await fetch(endpoint)).status < 500);
    return { endpoint, ...keys, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Steps {
  readonly config: string;
  readonly run: (program: string, words: readonly string[]) => void;
}

function startMonitor(folder: string, { monitorPort, config, run }: Steps & { monitorPort: number }): void {
  const map = join(folder, 'monmap');
  const quiet = { stdio: 'ignore' } as const;
  const address = `v1:127.0.0.1:${monitorPort}`;
  execFileSync('monmaptool', ['--create', '--fsid', FSID, '--addv', 'a', address, map], quiet);
  const made = ['--mkfs', '-i', 'a', '--monmap', map, '--no-mon-config', '-c', config];
  execFileSync('ceph-mon', made, quiet);
  run('ceph-mon', ['-i', 'a']);
}

async function startStorage(
  folder: string,
  { config, run, ask }: Steps & { ask: (program: string, words: readonly string[]) => string },
): Promise<void> {
  execFileSync('ceph-osd', ['-i', '0', '--mkfs', '--no-mon-config', '-c', config], { stdio: 'ignore' });
  const fsid = execFileSync('cat', [join(folder, 'osd0', 'fsid')], { encoding: 'utf8' }).trim();
  // The monitor must be told the id that the storage has given itself.
  await until(() => ask('ceph', ['--connect-timeout', '5', 'osd', 'new', fsid]) !== '');
  run('ceph-osd', ['-i', '0']);
  await until(() => ask('ceph', ['--connect-timeout', '5', 'osd', 'stat']).includes('1 up'));
}

const FSID = randomUUID();

function writeConfig(folder: string, monitorPort: number): string {
  for (const name of ['osd0', 'mon', 'rgw', 'run']) mkdirSync(join(folder, name));
  const settings = {
    fsid: FSID,
    mon_host: `v1:127.0.0.1:${monitorPort}`,
    ms_bind_msgr2: false,
    auth_cluster_required: 'none',
    auth_service_required: 'none',
    auth_client_required: 'none',
    osd_pool_default_size: 1,
    osd_pool_default_min_size: 1,
    osd_crush_chooseleaf_type: 0,
    mon_allow_pool_size_one: true,
    osd_pool_default_pg_num: 1,
    osd_pool_default_pg_autoscale_mode: 'off',
    mon_max_pg_per_osd: 5_000,
    mon_data_avail_crit: 0,
    osd_objectstore: 'memstore',
    memstore_device_bytes: 2 ** 31,
    osd_data: join(folder, 'osd0'),
    mon_data: join(folder, 'mon'),
    rgw_data: join(folder, 'rgw'),
    run_dir: join(folder, 'run'),
    log_file: join(folder, '$name.log'),
    admin_socket: join(folder, 'run', '$name.$pid.asok'),
    public_addr: '127.0.0.1',
    cluster_addr: '127.0.0.1',
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  const path = join(folder, 'ceph.conf');
  writeFileSync(path, `[global]\n${lines.join('\n')}\n`);
  return path;
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const start = Date.now(); ; await sleep(POLL_MS)) {
    try {
      if (await holds()) return;
    } catch (error) {
      if (Date.now() - start > READY_MS_MAX) throw error;
    }
    if (Date.now() - start > READY_MS_MAX) throw new Error('the storage did not get ready');
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
