// Copies of an index on PostgreSQL, and its records in bulk: snapshots that writes do not change.
import { fault } from '../../domain/faults.ts';
import type { IndexProfile } from '../../domain/index-model.ts';
import { CopyFailed } from '../port/copy-failed.ts';
import type {
  CopyDetails,
  CopyOptions,
  ImportOptions,
  IndexCopies,
  IndexExport,
  ReadingOptions,
  RecordBatch,
  RecordReading,
} from '../port/index-copies.ts';
import { neighborLists } from '../port/neighbor-lists.ts';
import { packRecords, unpackRecords } from '../port/packed-records.ts';
import { FrameWriter, headOf } from '../port/portable-copy.ts';
import { portableItems } from '../port/portable-items.ts';
import { frameContent } from '../port/portable-records.ts';
import type { StorableRecord } from '../port/reader-and-writer.ts';
import type { EngineCapabilities } from '../port/vector-store.ts';
import { assertWritable } from '../port/writable.ts';
import { type ChangingClient, type Database, isMissingTable, type OwnConnection } from './database.ts';
import type { NamespaceHints } from './namespace-hints.ts';
import { NAMESPACE_COLUMNS, type NamespaceRow, PUBLISHED, schemaOf, summaryOf } from './namespaces.ts';
import { postgresReader } from './postgres-reader.ts';
import { postgresWriter } from './postgres-writer.ts';
import { type RecordRow, recordOf } from './record-rows.ts';
import { RecordTables } from './record-tables.ts';
import { createTables } from './tables.ts';

const BATCH_RECORDS = 500;

export function postgresCopies(
  database: Database,
  profile: IndexProfile,
  { capabilities, hints }: { readonly capabilities: EngineCapabilities; readonly hints: NamespaceHints },
): IndexCopies {
  const tables = new RecordTables(profile);

  async function read(options: ReadingOptions = {}): Promise<Snapshot> {
    options.signal?.throwIfAborted();
    return Snapshot.open({ database, profile, tables }, options);
  }

  /** Copies of other engines have larger batches. */
  async function putInSteps(client: ChangingClient, namespace: number, records: readonly StorableRecord[]) {
    for (let first = 0; first < records.length; first += BATCH_RECORDS)
      await tables.put(client, namespace, records.slice(first, first + BATCH_RECORDS));
  }

  return {
    read,

    neighbors: (request) => neighborLists(postgresReader(database, profile, { hints }), request),

    export: async (options: CopyOptions = {}): Promise<IndexExport> => {
      const snapshot = await read(options);
      const written = Promise.withResolvers<string>();
      written.promise.catch(() => undefined);
      return {
        ...snapshot.details,
        bytesExpected: snapshot.details.sizeBytes,
        bytes: exported(snapshot, profile, written),
        sha256: written.promise,
        release: () => snapshot.release(),
      };
    },

    import: async (bytes, { signal, sha256 }: ImportOptions = {}) =>
      database.longTransaction(async ({ query }) => {
        // Nobody has counted the namespaces of a new index, nor made aliases beside them.
        const client: ChangingClient = {
          query,
          touch: () => undefined,
          discard: () => undefined,
          admit: () => Promise.resolve(),
        };
        const { rowCount } = await client.query(
          'insert into indexes (id) values ($1) on conflict (id) do nothing',
          [profile.id],
        );
        if (rowCount !== 1) throw new Error(`the storage of index ${profile.id} exists already`);
        await client.query(createTables(profile, database.shards));
        let details: CopyDetails | null = null;
        let number = Number.NaN;
        for await (const item of portableItems(bytes, profile, { signal, sha256 }))
          if (item.kind === 'head') details = item.details;
          else if (item.kind === 'namespace')
            ({ number } = await tables.addNamespace(client, { owner: PUBLISHED, ...item.namespace }));
          else await putInSteps(client, number, item.records);
        if (details === null) throw new CopyFailed('damaged', 'it has no beginning');
        await client.query('update indexes set lsn = $2 where id = $1', [profile.id, details.seq]);
        return details;
      }),

    write: async (namespace, records) => {
      assertWritable(records, profile, capabilities);
      return postgresWriter(database, profile).upsert(namespace, unpackRecords(records));
    },
  };
}

async function* exported(
  snapshot: Snapshot,
  profile: IndexProfile,
  written: Pick<PromiseWithResolvers<string>, 'resolve' | 'reject'>,
): AsyncGenerator<Uint8Array> {
  const frames = new FrameWriter();
  const json = (value: object) => Buffer.from(JSON.stringify(value));
  try {
    yield frames.frame('head', json(headOf(profile, snapshot.details)));
    for (const namespace of snapshot.namespaces) {
      const { name, schema, isExplicit } = namespace;
      yield frames.frame('namespace', json({ name, schema: schemaOf(schema), isExplicit }));
      for await (const { records } of snapshot.batchesOf(namespace, null))
        if (records.count > 0) yield frames.frame('records', frameContent(records));
    }
    yield frames.frame('end', new Uint8Array());
    written.resolve(frames.digest());
  } catch (error) {
    written.reject(error);
    throw error;
  } finally {
    await snapshot.release();
  }
}

interface SnapshotParts {
  readonly database: Database;
  readonly profile: IndexProfile;
  readonly tables: RecordTables;
}

/** One state of an index, which a connection keeps. */
class Snapshot implements RecordReading {
  readonly details: CopyDetails;
  readonly namespaces: readonly NamespaceRow[];
  readonly batches: AsyncIterable<RecordBatch>;
  readonly #client: OwnConnection;
  readonly #parts: SnapshotParts;
  readonly #signal: AbortSignal | undefined;
  #isReleased = false;

  private constructor(
    client: OwnConnection,
    parts: SnapshotParts,
    {
      lsn,
      namespaces,
      options,
    }: { lsn: number; namespaces: readonly NamespaceRow[]; options: ReadingOptions },
  ) {
    this.#client = client;
    this.#parts = parts;
    this.#signal = options.signal;
    this.namespaces = namespaces;
    this.details = {
      seq: lsn,
      recordCount: namespaces.reduce((sum, { records }) => sum + records, 0),
      namespaceCount: namespaces.length,
      sizeBytes: namespaces.reduce((sum, { bytes }) => sum + bytes, 0),
    };
    this.batches = this.#all(options);
  }

  static async open(parts: SnapshotParts, options: ReadingOptions): Promise<Snapshot> {
    const { database, profile, tables } = parts;
    const client = await database.longSnapshot();
    try {
      const known = await client.query<{ lsn: number }>('select lsn from indexes where id = $1', [
        profile.id,
      ]);
      const [index] = known.rows;
      if (index === undefined) throw fault('index-not-found', { name: profile.name });
      const { rows } = await client.query<NamespaceRow>(
        `select ${NAMESPACE_COLUMNS} from ${tables.names.namespaces}
         where owner = $1 and ($2::text is null or name = $2) order by name`,
        [PUBLISHED, options.namespace ?? null],
      );
      return new Snapshot(client, parts, { lsn: index.lsn, namespaces: rows, options });
    } catch (error) {
      await client.release();
      throw isMissingTable(error) ? fault('index-not-found', { name: profile.name }) : error;
    }
  }

  get seq(): number {
    return this.details.seq;
  }

  get recordCount(): number {
    return this.details.recordCount;
  }

  get namespaceCount(): number {
    return this.details.namespaceCount;
  }

  get sizeBytes(): number {
    return this.details.sizeBytes;
  }

  async release(): Promise<void> {
    if (this.#isReleased) return;
    this.#isReleased = true;
    await this.#client.release();
  }

  /** A namespace without records, or whose last one was read before, has one batch without any. */
  async *batchesOf(namespace: NamespaceRow, after: string | null): AsyncGenerator<RecordBatch> {
    const { tables, profile } = this.#parts;
    for (let last = after, isLast = false; !isLast; ) {
      this.#signal?.throwIfAborted();
      if (this.#isReleased) throw new Error('The reading was released.');
      const { rows } = await this.#client.query<RecordRow>(
        `select ${tables.columns} from ${tables.names.records}
         where namespace = $1 and ($2::text is null or id > $2) order by id limit ${BATCH_RECORDS + 1}`,
        [namespace.number, last],
      );
      const records = rows.slice(0, BATCH_RECORDS).map(recordOf);
      isLast = rows.length <= BATCH_RECORDS;
      last = records.at(-1)?.id ?? null;
      yield { namespace: summaryOf(namespace), isLast, records: packRecords(records, profile.dimension) };
    }
  }

  async *#all({ after }: ReadingOptions): AsyncGenerator<RecordBatch> {
    for (const namespace of this.namespaces) {
      if (after !== undefined && namespace.name < after.namespace) continue;
      yield* this.batchesOf(namespace, after?.namespace === namespace.name ? after.id : null);
    }
  }
}
