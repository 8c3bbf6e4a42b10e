// Guarantees of the reading thread of an import: what it yields, in what order, and how it ends.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { StorableRecord } from '../../domain/records/record.ts';
import { unpackRecords } from '../../engine/port/packed-records.ts';
import { lowThreads } from '../../platform/testing/low-threads.ts';
import { SourceProblem, SourceUnavailable } from '../../storage-locations/source.ts';
import { type FakeS3, fakeS3, refuse } from '../../storage-locations/testing/fake-s3.ts';
import { fileOf } from '../testing/record-files.ts';
import type { ImportEvent, ReaderStart } from './messages.ts';
import { readInThread } from './source-reader.ts';

const shape = { vectorType: 'dense', metric: 'cosine', dimension: 2 } as const;
const ROWS = 2_500;

function records(from: number, count: number): readonly StorableRecord[] {
  return Array.from({ length: count }, (_, i) => ({
    id: `r${from + i}`,
    values: Float32Array.of(1, from + i),
    sparse: null,
    metadataJson: null,
  }));
}

describe('an import from S3-compatible storage', () => {
  let s3: FakeS3;
  before(async () => {
    s3 = await fakeS3();
    s3.objects.set('in/a/1.parquet', await fileOf('parquet', records(0, ROWS)));
    s3.objects.set('in/a/2.jsonl', await fileOf('jsonl', records(ROWS, 10)));
    s3.objects.set('in/__default__/3.parquet', Buffer.from('corrupt, and long enough to be parsed'));
  });
  after(() => s3.close());

  function start(details: Partial<ReaderStart> = {}): ReaderStart {
    const credentials = { accessKeyId: 'AK', secretAccessKey: 'SK' };
    const access = { endpoint: s3.endpoint, region: 'us-east-1', credentials, mayBePrivate: true };
    const roots = [{ kind: 's3', bucket: 'bucket', prefix: 'in' }] as const;
    return { uri: 's3://bucket/in', rules: { roots, s3: access }, shape, from: null, ...details };
  }

  function read(details?: Partial<ReaderStart>, signal = new AbortController().signal) {
    return readInThread(start(details), signal);
  }

  it('lets queries and writes go first', async () => {
    const before = lowThreads();
    const events = read();
    await events.next();
    const during = lowThreads();
    await events.return(undefined);
    // Threads that it has started take its priority.
    if (before !== null) assert.ok((during ?? 0) > before);
  });

  it('yields the plan, then every record in order, and the position after each batch', async () => {
    const messages = await Array.fromAsync(read());
    const [plan, damaged, ...batches] = messages as [
      ImportEvent,
      ...Extract<ImportEvent, { type: 'batch' }>[],
    ];
    assert.deepEqual(plan.type === 'plan' && plan.namespaces, ['', 'a']);
    assert.match(damaged?.refused[0]?.reason ?? '', /not a Parquet file/);
    const ids = batches.flatMap((batch) =>
      (batch.records === null ? [] : unpackRecords(batch.records)).map(({ id }) => id),
    );
    assert.deepEqual(
      ids,
      records(0, ROWS + 10).map(({ id }) => id),
    );
    assert.deepEqual(
      batches.map(({ place }) => [place.file, place.row]),
      [
        [1, 1_000],
        [1, 2_000],
        [1, 2_500],
        [2, 10],
      ],
    );
    assert.equal(batches.at(-1)?.percent, 100);
    // The same from a position in the middle: nothing before it, everything after it.
    const [, , third] = batches;
    const planDigest = plan.type === 'plan' ? plan.planDigest : '';
    const rest = await Array.fromAsync(
      read({ from: { planDigest, place: batches[1]?.place ?? { file: 0, row: 0, byte: 0 } } }),
    );
    assert.deepEqual(rest.slice(1), [third, batches[3]]);
    await assert.rejects(
      Array.fromAsync(read({ from: { planDigest: 'other', place: { file: 0, row: 0, byte: 0 } } })),
      /Files were added, removed or changed/,
    );
  });

  it('ends with a lasting or a passing problem', async () => {
    await assert.rejects(Array.fromAsync(read({ uri: 's3://bucket/none' })), SourceProblem);
    s3.fault = (_, answer) => refuse(answer, 403, 'AccessDenied');
    await assert.rejects(Array.fromAsync(read()), SourceProblem);
    s3.fault = (_, answer) => {
      answer.destroy();
      return true;
    };
    await assert.rejects(Array.fromAsync(read()), SourceUnavailable);
    s3.fault = null;
  });

  it('ends at once when aborted, though the storage does not respond', async () => {
    const ending = new AbortController();
    s3.fault = () => {
      ending.abort(new Error('aborted by the test'));
      return true;
    };
    await assert.rejects(Array.fromAsync(read({}, ending.signal)), /aborted by the test/);
    s3.fault = null;
  });
});
