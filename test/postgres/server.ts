// A real PostgreSQL for tests: Debian's, in a folder of its own, on a loopback port of its own.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const PACKAGE = 'postgresql';
const PROGRAMS = '/usr/lib/postgresql/*/bin/postgres';
/** PostgreSQL refuses to run as root: then it runs as this user. */
const NOBODY = 65_534;
const READY_MS_MAX = 30_000;
const POLL_MS = 50;

export interface RealPostgres {
  /** Of the database that every server has. */
  readonly url: string;
  /** Of a new, empty database. */
  newDatabase(options?: string): Promise<string>;
  /** Runs SQL as the superuser, in the database of the URL. */
  run(sql: string, url?: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Ends the server without warning; it recovers at the next start. */
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Installs the package where that is allowed: to root, and unless PINYON_POSTGRES_INSTALL is no. Answers why it cannot be
 * run here, or null when it can.
 */
export function whyNotHere(): string | null {
  if (programFolder() !== undefined) return null;
  const mayInstall = process.env.PINYON_POSTGRES_INSTALL !== 'no' && process.getuid?.() === 0;
  if (!mayInstall || spawnSync('which', ['apt-get']).status !== 0)
    return `PostgreSQL is not installed (Debian: apt-get install ${PACKAGE})`;
  spawnSync('apt-get', ['update', '-qq'], { stdio: 'inherit' });
  const options = ['install', '-y', '-q', '--no-install-recommends', PACKAGE];
  const { status } = spawnSync('apt-get', options, { stdio: 'inherit' });
  return status === 0 && programFolder() !== undefined ? null : `apt-get could not install ${PACKAGE}`;
}

/** So few that tests can use them up. */
const CONNECTIONS_MAX = 40;

export async function startPostgres(connectionsMax = CONNECTIONS_MAX): Promise<RealPostgres> {
  return started({ connectionsMax, primary: null });
}

/** A server that follows another one by streaming replication, and answers reads until it is promoted. */
export function startStandby(primary: RealPostgres, connectionsMax = CONNECTIONS_MAX): Promise<RealPostgres> {
  return started({ connectionsMax, primary: primary.url });
}

interface ServerOptions {
  readonly connectionsMax: number;
  /** The URL of the server to follow; null for none. */
  readonly primary: string | null;
}

async function started(options: ServerOptions): Promise<RealPostgres> {
  const server = new Server(await freePort(), options);
  await server.start();
  return server;
}

class Server implements RealPostgres {
  readonly #folder = mkdtempSync(join(tmpdir(), 'pinyon-postgres-'));
  readonly #port: number;
  readonly #connectionsMax: number;
  readonly #identity: { readonly uid?: number; readonly gid?: number };
  #child: ChildProcess | null = null;
  #databases = 0;

  constructor(port: number, { connectionsMax, primary }: ServerOptions) {
    this.#port = port;
    this.#connectionsMax = connectionsMax;
    const isRoot = process.getuid?.() === 0;
    if (isRoot) chownSync(this.#folder, NOBODY, NOBODY);
    this.#identity = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
    const fresh = ['-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8'];
    const followed = ['-R', '-X', 'stream', '-C', '-S', `standby_${port}`, '-c', 'fast', '-d', primary ?? ''];
    const [program, words] = primary === null ? ['initdb', fresh] : ['pg_basebackup', followed];
    execFileSync(`${programFolder()}/${program}`, ['-D', this.#data, ...words, '--no-sync'], {
      ...this.#identity,
      cwd: this.#folder,
      stdio: 'ignore',
    });
  }

  get #data(): string {
    return join(this.#folder, 'data');
  }

  get url(): string {
    return this.#url('postgres');
  }

  #url(database: string): string {
    return `postgres://postgres@127.0.0.1:${this.#port}/${database}`;
  }

  async start(): Promise<void> {
    const settings = {
      listen_addresses: '127.0.0.1',
      unix_socket_directories: this.#folder,
      // Kills of the server's process lose nothing of what the system has.
      fsync: 'off',
      max_connections: String(this.#connectionsMax),
      superuser_reserved_connections: '3',
    };
    const words = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    this.#child = spawn(
      `${programFolder()}/postgres`,
      ['-D', this.#data, '-p', String(this.#port), ...words],
      { ...this.#identity, cwd: this.#folder, stdio: 'ignore' },
    );
    const until = performance.now() + READY_MS_MAX;
    while (!(await this.#answers())) {
      if (performance.now() > until) throw new Error('PostgreSQL did not start.');
      await sleep(POLL_MS);
    }
  }

  async newDatabase(options = ''): Promise<string> {
    this.#databases += 1;
    const name = `test_${this.#databases}`;
    await this.run(`create database ${name} ${options}`);
    return this.#url(name);
  }

  async run(sql: string, url = this.#url('postgres')) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      const { rows } = await client.query<Record<string, unknown>>(sql);
      return rows;
    } finally {
      await client.end();
    }
  }

  kill(): Promise<void> {
    return this.#end('SIGQUIT');
  }

  async stop(): Promise<void> {
    await this.#end('SIGQUIT');
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  async #answers(): Promise<boolean> {
    return this.run('select 1').then(
      () => true,
      () => false,
    );
  }
}

function programFolder(): string | undefined {
  const [program] = globSync(PROGRAMS);
  return program?.replace(/\/postgres$/, '');
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('The port is unknown.');
  return address.port;
}
