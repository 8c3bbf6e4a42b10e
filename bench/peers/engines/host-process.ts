// The process that hosts an engine: this program's own code in Node, or a Python program that speaks lines of JSON.
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { end, keepTrack } from '../support/children.ts';
import { isPythonPeer, pythonProgram } from '../support/python-package.ts';
import type { HostOptions, Reply, Request } from './host-protocol.ts';
import { engineNamed } from './index.ts';

const NODE_HOST = fileURLToPath(new URL('./host.ts', import.meta.url));
const PYTHON_HOST = fileURLToPath(new URL('../python/host.py', import.meta.url));

export interface HostProcess {
  /** @throws when the process ends before it has replied */
  call(request: Request, secondsMax: number): Promise<Reply>;
  end(): Promise<void>;
}

export function startHost(options: HostOptions): HostProcess {
  return typeof engineNamed(options.engine).runs === 'string' ? pythonHost(options) : nodeHost(options);
}

function nodeHost(options: HostOptions): HostProcess {
  const child = keepTrack(
    fork(NODE_HOST, [], {
      serialization: 'advanced',
      // The second as the product sets it for itself (src/boot/runtime-flags.ts).
      execArgv: ['--expose-gc', '--no-maglev-osr'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { ...process.env, RUST_LOG: 'off', LANCE_LOG: 'off' },
    }),
  );
  child.send(options);
  return {
    call: (request, secondsMax) =>
      untilReply(child, { request: request.do, secondsMax }, async (signal) => {
        child.send(request);
        const [reply] = (await once(child, 'message', { signal })) as [Reply];
        return reply;
      }),
    end: () => end(child, 'SIGKILL'),
  };
}

function pythonHost({ queries, ...options }: HostOptions): HostProcess {
  const { peer, runs, searches } = engineNamed(options.engine);
  if (peer === null || !isPythonPeer(peer)) throw new Error(`${options.engine} is not a package of Python`);
  const child = keepTrack(spawn(pythonProgram(peer), [PYTHON_HOST], { stdio: ['pipe', 'pipe', 'inherit'] }));
  const lines = createInterface({ input: child.stdout });
  const ask = async (message: unknown, signal: AbortSignal): Promise<Reply> => {
    child.stdin.write(`${JSON.stringify(message)}\n`);
    const [line] = (await once(lines, 'line', { signal })) as [string];
    return JSON.parse(line) as Reply;
  };
  const queriesPath = `${options.folder}.queries.f32`;
  writeFileSync(queriesPath, Buffer.concat(queries.map((query) => new Uint8Array(query.slice().buffer))));
  const start = { do: 'start', options: { ...options, engine: runs, queriesPath, search: searches[0] } };
  let isStarted = false;
  return {
    call: (request, secondsMax) =>
      untilReply(child, { request: request.do, secondsMax }, async (signal) => {
        const started = isStarted ? null : await ask(start, signal);
        isStarted = true;
        return started === null || started.ok ? ask(request, signal) : started;
      }),
    end: () => end(child, 'SIGKILL'),
  };
}

async function untilReply(
  child: ChildProcess,
  { request, secondsMax }: { readonly request: string; readonly secondsMax: number },
  ask: (signal: AbortSignal) => Promise<Reply>,
): Promise<Reply> {
  const timer = setTimeout(() => child.kill('SIGKILL'), 1000 * secondsMax);
  const gone = new AbortController();
  const died = once(child, 'exit', { signal: gone.signal }).then(([code, signal]) => {
    throw new Error(`its process ended with ${code ?? signal} during ${request}`);
  });
  died.catch(() => {});
  const replied = ask(gone.signal);
  replied.catch(() => {});
  try {
    return await Promise.race([replied, died]);
  } finally {
    clearTimeout(timer);
    gone.abort();
  }
}
