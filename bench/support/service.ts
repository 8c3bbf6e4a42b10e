// The service as a benchmark runs it: the real program on a folder, and the lightest HTTP client Node has.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { fileURLToPath } from 'node:url';

/** Another release's command, to compare with. */
const MAIN = process.env.BENCH_PROGRAM ?? fileURLToPath(new URL('../../bin/pinyon.mjs', import.meta.url));
export const KEY = 'pcsk_benchmark_0123456789abcdefghijklmnopqrstuvwxyz';
const READY_MS_MAX = 30_000;

/** Where the log goes, requests included; nowhere by default. */
const LOG_FILE = process.env.BENCH_SERVICE_LOG;

export interface Service {
  readonly base: string;
  readonly pid: number;
  /** Milliseconds from the start command to the first 200 of /health. */
  readonly startMs: number;
  stop(): Promise<void>;
}

/** Starts the program and waits for its first healthy answer. */
export async function startService(dataDir: string, ports: { readonly base: number }): Promise<Service> {
  const base = `http://localhost:${ports.base}`;
  if (await isHealthy(base)) throw new Error(`another service answers at ${base}`);
  const started = performance.now();
  const child = spawn(process.execPath, [MAIN], {
    stdio: ['ignore', 'ignore', LOG_FILE === undefined ? 'inherit' : openSync(LOG_FILE, 'a')],
    env: {
      ...process.env,
      PINYON_DATA_DIR: dataDir,
      PINYON_PORT: String(ports.base),
      PINYON_INDEX_PORTS: `${ports.base + 1}-${ports.base + 20}`,
      PINYON_API_KEY: KEY,
      PINYON_LOG_LEVEL: LOG_FILE === undefined ? 'warn' : 'info',
    },
  });
  while (!(await isHealthy(base))) {
    if (child.exitCode !== null) throw new Error('the service ended at its start');
    if (performance.now() - started > READY_MS_MAX) throw new Error('the service did not get ready');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return { base, pid: child.pid ?? 0, startMs: performance.now() - started, stop: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

async function isHealthy(base: string): Promise<boolean> {
  try {
    return (await call(new Agent(), `${base}/health`)).status === 200;
  } catch {
    return false;
  }
}

/** One request, with more headers where asked for; the answer is read whole. */
export function call(
  agent: Agent,
  url: string,
  body?: Buffer,
  more: Readonly<Record<string, string>> = {},
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = {
      'api-key': KEY,
      'content-type': 'application/json',
      'content-length': body?.length ?? 0,
      ...more,
    };
    const outgoing = request(
      url,
      { agent, method: body === undefined ? 'GET' : 'POST', headers },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('end', () =>
          resolve({ status: incoming.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
        );
        incoming.on('error', reject);
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** As `call`, for requests that must succeed. */
export async function ask(agent: Agent, url: string, body?: unknown): Promise<Record<string, unknown>> {
  const bytes =
    body === undefined ? undefined : Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  const { status, text } = await call(agent, url, bytes);
  if (status >= 300) throw new Error(`${url} answered ${status}: ${text}`);
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
}
