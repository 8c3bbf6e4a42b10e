// Callers who ask for more than their share, each in a loop until its signal.
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { KEY } from '../support/service.ts';
import { recordOf, send, vectorOf } from './requests.ts';

export interface Hog {
  /** The address of the index that the hogs work on. */
  readonly host: string;
  readonly base: string;
  readonly dimension: number;
}

export interface HogKind {
  readonly name: string;
  run(hog: Hog, number: number, signal: AbortSignal): Promise<void>;
}

const UPSERT_BYTES = 2_000_000;
/** Of a value as JSON, about. */
const VALUE_BYTES = 7;
/** After a refusal, as its retry-after asks for at least. */
const REFUSED_MS = 1_000;

/** Sends the bodies one after the other. */
function loop(path: string, bodyOf: (hog: Hog, round: number) => unknown): HogKind['run'] {
  return async (hog, number, signal) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let round = number; !signal.aborted; round++) {
      const status = await send(agent, `${hog.host}${path}`, bodyOf(hog, round), signal);
      if (status === 429) await pause(REFUSED_MS, undefined, { signal });
    }
    agent.destroy();
  };
}

export const HOG_KINDS: readonly HogKind[] = [
  {
    name: 'answers that are too large',
    run: loop('/query', ({ dimension }, i) => ({
      vector: vectorOf(i, dimension),
      topK: 10_000,
      includeValues: true,
    })),
  },
  {
    name: 'topK 10,000',
    run: loop('/query', ({ dimension }, i) => ({ vector: vectorOf(i, dimension), topK: 10_000 })),
  },
  {
    name: 'filtered scans',
    run: loop('/query', ({ dimension }, i) => ({
      vector: vectorOf(i, dimension),
      topK: 1_000,
      includeMetadata: true,
      filter: { number: { $gte: i % 100 } },
    })),
  },
  {
    name: 'filter deletes',
    run: loop('/vectors/delete', (_, i) => ({ filter: { number: { $eq: -1 - i } } })),
  },
  {
    name: 'upserts of 2 MB, and the graph that they need',
    run: loop('/vectors/upsert', ({ dimension }, i) => {
      const count = Math.floor(UPSERT_BYTES / (dimension * VALUE_BYTES + 300));
      return {
        vectors: Array.from({ length: count }, (_, at) => recordOf((i * count + at) % 100_000, dimension)),
      };
    }),
  },
  { name: 'clients that do not read', run: withoutReading },
];

/** Asks for large answers and reads nothing of them. */
async function withoutReading({ host, dimension }: Hog, number: number, signal: AbortSignal): Promise<void> {
  const agent = new Agent({ keepAlive: false });
  const headers = { 'api-key': KEY, 'content-type': 'application/json' };
  while (!signal.aborted) {
    const outgoing = request(`${host}/query`, { method: 'POST', agent, headers, signal }, (answer) =>
      answer.pause(),
    );
    outgoing.on('error', () => undefined);
    outgoing.end(JSON.stringify({ vector: vectorOf(number, dimension), topK: 1_000, includeMetadata: true }));
    await pause(REFUSED_MS, undefined, { signal });
    outgoing.destroy();
  }
}
