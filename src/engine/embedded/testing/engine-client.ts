// An engine with its real threads, and the data plane requests that tests send it.

import { embeddedExecutor } from '../../../boot/engine/embedded-executor.ts';
import { mintProjectAccess } from '../../../domain/access.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import type { QueryValues } from '../../../domain/query-values.ts';
import { EmbeddedEngine, type EmbeddedEngineOptions } from '../embedded-engine.ts';
import type { ThreadKind } from '../workers/protocol.ts';

const THREADS = new URL('../../../boot/engine/', import.meta.url);
const ENTRIES = {
  reader: new URL('reader.ts', THREADS),
  writer: new URL('writer.ts', THREADS),
  builder: new URL('builder.ts', THREADS),
};

export interface Answer<Body> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
}

export interface EngineClientOptions {
  readonly queueMax?: number;
  readonly queueBytesMax?: number;
  readonly readerThreads?: number;
  readonly writerThreads?: number;
  readonly memory?: EmbeddedEngineOptions['memory'];
  readonly open?: EmbeddedEngineOptions['open'];
  readonly history?: EmbeddedEngineOptions['history'];
  /** Entry files to use instead of the product's. */
  readonly entries?: Partial<Record<ThreadKind, URL>>;
}

export class EngineClient {
  readonly engine: EmbeddedEngine;
  /** Failures that threads reported, and threads that died. */
  readonly problems: string[] = [];

  constructor(dataDir: string, options: EngineClientOptions = {}) {
    const {
      queueMax = 20_000,
      readerThreads = 2,
      writerThreads = 1,
      entries,
      queueBytesMax,
      memory,
      open,
      history,
    } = options;
    this.engine = new EmbeddedEngine({
      dataDir,
      counts: { reader: readerThreads, writer: writerThreads, builder: 1 },
      queueMax,
      ...(queueBytesMax !== undefined && { queueBytesMax }),
      ...(memory !== undefined && { memory }),
      ...(open !== undefined && { open }),
      ...(history !== undefined && { history }),
      entries: { ...ENTRIES, ...entries },
      events: {
        onReport: ({ error }) => this.problems.push(error),
        onDamage: () => undefined,
        onRestart: ({ kind, number }, error) =>
          this.problems.push(`${kind} ${number} restarted: ${error.message}`),
        onCrashLoop: (error) => this.problems.push(`storm: ${error.message}`),
        onDeadlock: ({ kind, number }) => this.problems.push(`${kind} ${number} is stuck`),
      },
    });
  }

  /** Sends a request; query strings go in `query`. */
  async call<Body>(
    index: IndexProfile,
    endpointId: string,
    request: {
      readonly body?: unknown;
      readonly query?: QueryValues;
      readonly params?: Record<string, string>;
    },
  ): Promise<Answer<Body>> {
    const text = request.body === undefined ? '' : JSON.stringify(request.body);
    const reply = await embeddedExecutor(this.engine).run({
      endpointId,
      access: mintProjectAccess({ organizationId: 'o', projectId: index.projectId, principalId: 'p' }),
      version: null,
      index,
      params: request.params ?? {},
      query: request.query ?? {},
      body: [new TextEncoder().encode(text)],
      requestId: 'test',
    });
    const answered = typeof reply.body === 'string' ? reply.body : new TextDecoder().decode(reply.body);
    return { ...reply, body: (answered === '' ? null : JSON.parse(answered)) as Body };
  }
}
