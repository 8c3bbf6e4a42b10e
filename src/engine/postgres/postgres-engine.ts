// The engine on PostgreSQL with pgvector: records in tables of their index, searches in SQL, no state in this process.
import type { Clock } from '../../domain/expiry/time-to-live.ts';
import type { IndexProfile } from '../../domain/index-model.ts';
import type { IndexCheck } from '../../domain/integrity/index-check.ts';
import { placeOf } from '../../platform/postgres/sessions.ts';
import type { ChangedRecords } from '../port/changed-records.ts';
import { UNMEASURED } from '../port/engine-metrics.ts';
import type { IndexBranches } from '../port/index-branches.ts';
import type { IndexCopies } from '../port/index-copies.ts';
import type { IndexHistory } from '../port/index-history.ts';
import { liveReader } from '../port/live-reader.ts';
import { liveWriter } from '../port/live-writer.ts';
import type { VectorReader, VectorWriter } from '../port/reader-and-writer.ts';
import type { StagedNamespaces } from '../port/staged-namespaces.ts';
import type { EngineCapabilities, EngineMetrics, VectorStore } from '../port/vector-store.ts';
import { Database, type DatabaseOptions } from './database.ts';
import { NamespaceHints } from './namespace-hints.ts';
import { NamespaceRemover } from './namespace-remover.ts';
import { NAMESPACE_COLUMNS, type NamespaceRow, PUBLISHED } from './namespaces.ts';
import { EngineOpenError } from './open-error.ts';
import { postgresCopies } from './postgres-copies.ts';
import { postgresReader } from './postgres-reader.ts';
import { postgresStaging } from './postgres-staging.ts';
import { postgresWriter } from './postgres-writer.ts';
import { openingReason, prepareDatabase } from './prepare-database.ts';
import { forgetRemovals } from './removals.ts';
import { type RequestReaders, requestReaders } from './request-reader.ts';
import { bytesSql } from './shards.ts';
import { tablesOf } from './table-names.ts';
import { createTables, dropTables } from './tables.ts';
import type { Upgrade } from './upgrade-options.ts';

/** pgvector stores no longer vectors. */
const DIMENSION_MAX = 16_000;
const CAPABILITIES: EngineCapabilities = {
  dimensionMax: DIMENSION_MAX,
  sparseExact: true,
  documents: true,
  ranksTexts: false,
  tracksChanges: false,
  history: false,
  branches: false,
  memoryProfiles: false,
  portableCopies: true,
  // Each takes milliseconds to find its place in a graph.
  writeRecordsMax: 1_000,
  writeBytesMax: 2 ** 25,
  mergedRecordsMax: 5_000,
};

export interface EngineOptions extends Omit<DatabaseOptions, 'onDiscarded'> {
  /** Told of errors of work in the background. By default, nobody is. */
  readonly onError?: (error: unknown) => void;
  /** Told while opening brings tables of an earlier release up to date, which may take long. By default, nobody is. */
  readonly onUpgrade?: (upgrade: Upgrade) => void;
}

function ignore(): void {}

interface IndexSize {
  readonly records: number;
  readonly bytes: number;
}

export class PostgresEngine implements VectorStore {
  readonly capabilities = CAPABILITIES;
  /** The database decides what is in memory. */
  readonly reshape = (): Promise<void> => Promise.resolve();
  readonly earlierWrites = ({ id }: IndexProfile): Promise<void> => this.#database.earlierChanges(id);
  readonly branches = (): IndexBranches => {
    throw new Error('this engine has no branches');
  };
  readonly logs = null;
  readonly history = (): IndexHistory => {
    throw new Error('this engine keeps no history');
  };
  readonly #database: Database;
  readonly #remover: NamespaceRemover;
  readonly #hints = new NamespaceHints();
  /** Readers that one request has to itself. */
  readonly requests: RequestReaders;

  private constructor(database: Database, remover: NamespaceRemover) {
    this.#database = database;
    this.#remover = remover;
    this.requests = requestReaders(database, this.#hints);
  }

  /** @throws EngineOpenError when the database cannot be used, lacks pgvector, or is of a newer release */
  static async open({
    onError = ignore,
    onUpgrade = ignore,
    ...options
  }: EngineOptions): Promise<PostgresEngine> {
    const database = new Database({ ...options, onDiscarded: () => remover.wake() });
    const remover = new NamespaceRemover(database, onError);
    try {
      await database.preparation((client) => prepareDatabase(client, { shards: database.shards, onUpgrade }));
    } catch (error) {
      await database.close();
      const reason = openingReason(error);
      if (reason === null) throw error;
      throw new EngineOpenError(placeOf(options.url), reason, error);
    }
    remover.wake();
    return new PostgresEngine(database, remover);
  }

  async createIndex(profile: IndexProfile): Promise<void> {
    await this.#database.transaction(async (client) => {
      const { rowCount } = await client.query(
        'insert into indexes (id) values ($1) on conflict (id) do nothing',
        [profile.id],
      );
      // The tables are made with the row, or not at all.
      if (rowCount === 1) await client.query(createTables(profile, this.#database.shards));
    });
  }

  async dropIndex(indexId: string): Promise<void> {
    await this.#database.transaction(async (client) => {
      await client.query('delete from indexes where id = $1', [indexId]);
      // After it has waited for the index's last write.
      await client.query('delete from namespace_changes where index_id = $1', [indexId]);
      await forgetRemovals(client, indexId);
      await client.query(dropTables(indexId));
    });
  }

  async sizeOf(profile: IndexProfile): Promise<IndexSize> {
    return (await this.#sizes([profile])).get(profile.id) ?? { records: 0, bytes: 0 };
  }

  async metrics(profiles: readonly IndexProfile[]): Promise<EngineMetrics> {
    const sizes = await this.#sizes(profiles);
    const indexes = profiles.flatMap(({ id }) => {
      const size = sizes.get(id);
      if (size === undefined) return [];
      return [{ indexId: id, records: size.records, bytesOnDisk: size.bytes, ...UNMEASURED }];
    });
    return { indexes, threads: [] };
  }

  /** The database keeps checksums of its own pages: what it can read counts as whole. */
  async check(profile: IndexProfile): Promise<IndexCheck> {
    const { namespaces } = tablesOf(profile.id);
    const rows = await this.#database.rows<NamespaceRow>(
      `select ${NAMESPACE_COLUMNS} from ${namespaces} where owner = $1 order by name`,
      [PUBLISHED],
      profile,
    );
    const found = rows.map(({ name, records }) => ({ name, records, lost: 0, lostIds: [] }));
    const { bytes } = await this.sizeOf(profile);
    return { problems: [], derived: [], namespaces: found, bytes };
  }

  reader(profile: IndexProfile, clock?: Clock): VectorReader {
    const reader = postgresReader(this.#database, profile, { hints: this.#hints });
    return liveReader(reader, profile, clock);
  }

  /** @param isWanted whether the client still waits for its writes; without, they wait for their turn however long */
  writer(profile: IndexProfile, clock?: Clock, isWanted?: () => boolean): VectorWriter {
    return liveWriter(postgresWriter(this.#database, profile, isWanted), profile.timeToLive, {
      clock,
    });
  }

  copies(profile: IndexProfile): IndexCopies {
    return postgresCopies(this.#database, profile, { capabilities: CAPABILITIES, hints: this.#hints });
  }

  staging(profile: IndexProfile): StagedNamespaces {
    return postgresStaging(this.#database, profile, CAPABILITIES);
  }

  changed(): ChangedRecords {
    throw new Error('this engine does not track changes');
  }

  async close(): Promise<void> {
    await this.#remover.close();
    await this.#database.close();
  }

  /** Of those that exist. */
  async #sizes(profiles: readonly IndexProfile[]): Promise<ReadonlyMap<string, IndexSize>> {
    const { rows } = await this.#database.read<{ id: string }>(
      'select id from indexes where id = any($1::text[])',
      [profiles.map(({ id }) => id)],
    );
    const sizes = new Map<string, IndexSize>();
    for (const { id } of rows) {
      const { namespaces, records, postings } = tablesOf(id);
      const found = await this.#database.read<IndexSize>(
        `select coalesce(sum(records), 0) as records,
           ${bytesSql(this.#database.shards, '$1')} + ${bytesSql(this.#database.shards, '$2')} as bytes
         from ${namespaces} where owner = $3`,
        [records, postings, PUBLISHED],
      );
      const [size] = found.rows;
      if (size !== undefined) sizes.set(id, size);
    }
    return sizes;
  }
}
