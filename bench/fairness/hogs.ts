// Callers who ask for more than their share, each in a loop until its signal.
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { importedNamespace } from './import-folders.ts';
import { answered, recordText, type SendOptions, send, vectorOf } from './requests.ts';

export interface Hog {
  /** The address of the index that the hogs work on. */
  readonly host: string;
  readonly base: string;
  readonly dimension: number;
  /** Its own. */
  readonly key: string;
  /** Records of the default namespace. */
  readonly records: number;
}

export interface HogKind {
  readonly name: string;
  run(hog: Hog, number: number, signal: AbortSignal): Promise<void>;
}

/** A namespace with fewer records than a graph is made for. */
export const FLAT = { namespace: 'flat', records: 9_500 } as const;
export const ASSISTANT = 'hog';
const FILE_BYTES = 200_000;
const POLL_MS = 200;

const UPSERT_BYTES = 2_000_000;
const BUILD_BYTES = 200_000;
/** Of a value as JSON, about. */
const VALUE_BYTES = 7;
/** After a refusal, as its retry-after asks for at least. */
const REFUSED_MS = 1_000;

/** An upsert of so many bytes, with the records that follow those of the round before. */
function upsertOf(
  bytes: number,
  {
    dimension,
    round,
    namespace,
  }: { readonly dimension: number; readonly round: number; readonly namespace: string },
): string {
  const count = Math.floor(bytes / (dimension * VALUE_BYTES + 300));
  const records = Array.from({ length: count }, (_, at) =>
    recordText((round * count + at) % 100_000, dimension),
  );
  return `{"namespace":"${namespace}","vectors":[${records.join()}]}`;
}

/** Sends the bodies one after the other. */
function loop(path: string, bodyOf: (hog: Hog, round: number, number: number) => unknown): HogKind['run'] {
  return async (hog, number, signal) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let round = number; !signal.aborted; round++) {
      const options = { signal, key: hog.key };
      const status = await send(agent, `${hog.host}${path}`, bodyOf(hog, round, number), options);
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
    name: 'scans of a namespace without a graph',
    run: loop('/query', ({ dimension }, i) => ({
      vector: vectorOf(i, dimension),
      topK: 1_000,
      namespace: FLAT.namespace,
    })),
  },
  {
    name: 'filter deletes that match nothing',
    run: loop('/vectors/delete', (_, i) => ({ filter: { number: { $eq: -1 - i } } })),
  },
  {
    name: 'upserts of 2 MB',
    run: loop('/vectors/upsert', ({ dimension }, i, number) =>
      upsertOf(UPSERT_BYTES, { dimension, round: i, namespace: `upserts-${number}` }),
    ),
  },
  {
    name: 'upserts to a graph under construction',
    run: loop('/vectors/upsert', ({ dimension }, i) =>
      upsertOf(BUILD_BYTES, { dimension, round: i, namespace: '' }),
    ),
  },
  { name: 'clients that do not read', run: withoutReading },
  { name: 'imports', run: importing },
  { name: 'files of an assistant', run: uploading },
  // Last: what was accepted goes on for minutes after the hogs have gone.
  {
    name: 'filter updates of a tenth',
    run: loop('/vectors/update', ({ records }, i) => ({
      filter: { number: { $gte: (i % 10) * (records / 10), $lt: ((i % 10) + 1) * (records / 10) } },
      setMetadata: { round: i },
    })),
  },
];

/** Asks for large answers and reads nothing of them. */
async function withoutReading(
  { host, dimension, key }: Hog,
  number: number,
  signal: AbortSignal,
): Promise<void> {
  const agent = new Agent({ keepAlive: false });
  const headers = { 'api-key': key, 'content-type': 'application/json' };
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

/** Imports a folder, deletes what it has imported, and begins again. */
async function importing({ host, key }: Hog, number: number, signal: AbortSignal): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const options: SendOptions = { signal, key };
  const uri = `${process.env.PINYON_IMPORT_FROM}/${number}`;
  while (!signal.aborted) {
    const { status, text } = await answered(agent, `${host}/bulk/imports`, { uri }, options);
    const { id } = (status === 200 ? JSON.parse(text) : {}) as { readonly id?: string };
    for (let isRunning = id !== undefined; isRunning && !signal.aborted; ) {
      await pause(POLL_MS, undefined, { signal });
      const got = await answered(agent, `${host}/bulk/imports/${id}`, undefined, {
        ...options,
        method: 'GET',
      });
      isRunning = /"(Pending|InProgress)"/.test(got.text);
    }
    await send(agent, `${host}/namespaces/${importedNamespace(number)}`, undefined, {
      ...options,
      method: 'DELETE',
    });
    await pause(id === undefined ? REFUSED_MS : 0, undefined, { signal });
  }
  agent.destroy();
}

/** Uploads files, one after the other. */
async function uploading({ base, key }: Hog, number: number, signal: AbortSignal): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = { 'content-type': 'multipart/form-data; boundary=hog' };
  for (let round = 0; !signal.aborted; round++) {
    const line = `Paragraph ${number} of ${round}: a sentence that somebody may ask about. `;
    const head = `--hog\r\nContent-Disposition: form-data; name="file"; filename="hog-${number}-${round}.txt"`;
    const body = `${head}\r\n\r\n${line.repeat(FILE_BYTES / line.length)}\r\n--hog--\r\n`;
    await send(agent, `${base}/assistant/files/${ASSISTANT}`, body, { signal, key, headers });
    await pause(POLL_MS, undefined, { signal });
  }
  agent.destroy();
}
