// The service under test: the real program on a data directory of its own, started, ended and started again.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Answer, type CallOptions, call } from './call.ts';
import './checked-fetch.ts';
import { type ClaimedPorts, claimPorts } from './port-range.ts';
import { type Ended, type RunOptions, ServerProcess } from './server-process.ts';

export const API_KEY = 'pcsk_ring3_0123456789abcdefghij';

export type Environment = Readonly<Record<string, string>>;

/** Of each kind one, whatever the machine has: every thread of a server takes a quarter of a second to start. */
const THREADS = { PINYON_SEARCH_THREADS: '1', PINYON_WRITE_THREADS: '1', PINYON_BUILD_THREADS: '1' };
/** For tests of what readers see of each other's work. */
export const SEVERAL_READERS: Environment = { PINYON_SEARCH_THREADS: '2', PINYON_BUILD_THREADS: '2' };

/** What a start may be given beside what every start has. */
export interface StartOptions {
  readonly env?: Environment;
  readonly fileBytesMax?: number;
  readonly openFilesMax?: number;
}

export class Service {
  readonly #folder = mkdtempSync(join(tmpdir(), 'pinyon-ring3-'));
  readonly #ports: ClaimedPorts;
  #process: ServerProcess | undefined;
  #url = '';

  constructor(ports: ClaimedPorts) {
    this.#ports = ports;
  }

  get dataDir(): string {
    return join(this.#folder, 'data');
  }

  /** Range of index ports, both ends included. */
  get ports(): Pick<ClaimedPorts, 'first' | 'last'> {
    return this.#ports;
  }

  /** Base address of the present run; another one after each start. */
  get url(): string {
    return this.#url;
  }

  get process(): ServerProcess {
    if (this.#process === undefined) throw new Error('the service was not started');
    return this.#process;
  }

  async start({ env = {}, ...limits }: StartOptions = {}): Promise<void> {
    this.#process = this.run({ env, ...limits });
    this.#url = await this.#process.ready();
  }

  /** Starts the program beside the running one, on the same directory unless `env` says otherwise. */
  run({ env, ...more }: RunOptions): ServerProcess {
    const { first, last } = this.#ports;
    const common = {
      PINYON_DATA_DIR: this.dataDir,
      PINYON_PORT: '0',
      PINYON_INDEX_PORTS: `${first}-${last}`,
      PINYON_API_KEY: API_KEY,
      PINYON_LOG_LEVEL: 'error',
      // Tests of wrong credentials send many.
      PINYON_WRONG_CREDENTIALS_MAX: '0',
      ...THREADS,
    };
    return new ServerProcess({ env: { ...common, ...env }, ...more });
  }

  stop(): Promise<Ended> {
    return this.process.end('SIGTERM');
  }

  kill(): Promise<Ended> {
    return this.process.end('SIGKILL');
  }

  async restart(options?: StartOptions): Promise<Ended> {
    const ended = await this.stop();
    await this.start(options);
    return ended;
  }

  /** A raw request to the base address. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer> {
    return call(this.#url, method, path, { key: API_KEY, ...options });
  }

  /** Makes an index over the wire and returns its address. */
  async createIndex(body: Readonly<Record<string, unknown>>): Promise<string> {
    const spec = { serverless: { cloud: 'aws', region: 'us-east-1' } };
    const answer = await this.call('POST', '/indexes', { body: { spec, ...body } });
    if (answer.status !== 201) throw new Error(`create index: ${answer.status} ${answer.text}`);
    return (answer.body as { readonly host: string }).host;
  }

  async dispose(): Promise<void> {
    await this.#process?.end('SIGKILL');
    this.#ports.release();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** A service that is not started yet; to be disposed of after the tests. */
export async function newService(): Promise<Service> {
  return new Service(await claimPorts());
}

export async function startService(options?: StartOptions): Promise<Service> {
  const service = await newService();
  try {
    await service.start(options);
  } catch (error) {
    await service.dispose();
    throw error;
  }
  return service;
}
