// A thread that queries one index without pause, and reports wrong answers.
import { type MessagePort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { Filter } from '../../../../domain/filter/grammar.ts';
import type { IndexProfile } from '../../../../domain/index-model.ts';
import { sampleQuery } from '../../../conformance/sample-data.ts';
import type { Attachment } from '../../indexing/open-index.ts';
import { Random } from '../../kernels/testing/hard-vectors.ts';
import { Epochs } from '../../memory/epochs.ts';
import { IndexReader } from '../../search/index-reader.ts';
import { privateWorkspace } from '../../search/workspace.ts';
import type { StructureDelta } from '../../segments/structure.ts';
import { openForReading } from '../../storage/index-files.ts';

export interface ReadingTask {
  readonly profile: IndexProfile;
  readonly folder: string;
  readonly port: MessagePort;
  readonly attachment: Attachment;
  readonly epochs: SharedArrayBuffer;
  readonly reader: number;
  /** Number of records that match at any time. */
  readonly filter: Filter;
  readonly matching: number;
  /** Prefix of their ids, and of no others. */
  readonly prefix: string;
  /** Word 0: not 0 to stop; the others: number of queries of each reader. */
  readonly stop: SharedArrayBuffer;
}

export interface ReadingReport {
  readonly queries: number;
  readonly problems: readonly string[];
}

export type FromReading =
  | { readonly kind: 'load'; readonly namespaceId: number; readonly filterable: readonly string[] | null }
  | { readonly kind: 'report'; readonly report: ReadingReport };

const task = workerData as ReadingTask;
const { port, profile } = task;
const tell = (message: FromReading) => port.postMessage(message);
const reader = new IndexReader(profile, {
  directRecordsMax: 0,
  context: { reader: task.reader, epochs: new Epochs(task.epochs), workspace: privateWorkspace() },
  files: openForReading(task.folder, profile.dimension),
  ...task.attachment,
  requestLoad: (namespaceId, filterable) => tell({ kind: 'load', namespaceId, filterable }),
  takeMessages: () => {
    for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port))
      reader.views.apply(next.message as StructureDelta);
  },
});
port.on('message', (delta: StructureDelta) => reader.views.apply(delta));

const stop = new Int32Array(task.stop);
const random = new Random(task.reader + 1);
const problems = new Set<string>();
const versions = new Map<string, number>();
let queries = 0;

while (Atomics.load(stop, 0) === 0) {
  try {
    await ask();
  } catch (error) {
    problems.add(error instanceof Error ? `${error.stack}` : String(error));
  }
  queries++;
  Atomics.add(stop, 1 + task.reader, 1);
  if (queries % 8 === 0) await new Promise(setImmediate);
}
port.removeAllListeners('message');
tell({ kind: 'report', report: { queries, problems: [...problems].slice(0, 5) } });
await reader.close();
port.close();

async function ask(): Promise<void> {
  const values = Float32Array.from({ length: profile.dimension ?? 1 }, () => random.normal());
  const filter = queries % 3 === 2 ? null : task.filter;
  // Every other query requests only ids, which come from memory.
  const includeMetadata = queries % 2 === 0;
  const request = sampleQuery({ values, filter, topK: task.matching * 2, includeMetadata });
  const matches = await reader.query(request);
  const ids = new Set(matches.map(({ id }) => id));
  if (ids.size !== matches.length) problems.add(`${matches.length - ids.size} records twice`);
  const scores = matches.map(({ score }) => score);
  if (scores.some((score, i) => i > 0 && score < (scores[i - 1] ?? 0))) problems.add('out of order');
  if (filter !== null && matches.length !== task.matching)
    problems.add(`${matches.length} of ${task.matching} found`);
  if (filter !== null && [...ids].some((id) => !id.startsWith(task.prefix))) problems.add('ids of others');
  if (filter !== null) {
    const count = await reader.count('', filter);
    if (count !== task.matching) problems.add(`${count} of ${task.matching} counted`);
  }
  if (!includeMetadata) return;
  for (const { id, metadataJson } of matches) {
    const version = (JSON.parse(metadataJson ?? '{}') as { version?: number }).version ?? 0;
    if (version < (versions.get(id) ?? 0))
      problems.add(`${id} went back from ${versions.get(id)} to ${version}`);
    versions.set(id, version);
  }
}
