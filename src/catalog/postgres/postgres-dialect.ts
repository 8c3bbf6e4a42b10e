// Kysely's dialect for the catalog on PostgreSQL: the column types that give its tables the meaning they have in SQLite.
import {
  type ColumnDataType,
  type DataTypeNode,
  type Dialect,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import { PostgresDriver, type PostgresDriverParts } from './postgres-driver.ts';

/**
 * SQLite's integers have 64 bits, its floats too, and it compares text by bytes. No collation of the database can then
 * change the order of a list, or what is unique.
 */
const TYPES: Readonly<Partial<Record<ColumnDataType, string>>> = {
  integer: 'bigint',
  real: 'double precision',
  text: 'text collate "C"',
};

export function postgresDialect(parts: PostgresDriverParts): Dialect {
  return {
    createDriver: () => new PostgresDriver(parts),
    createQueryCompiler: () => new CatalogCompiler(),
    createAdapter: () => new CatalogAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
  };
}

class CatalogCompiler extends PostgresQueryCompiler {
  protected override visitDataType({ dataType }: DataTypeNode): void {
    this.append(TYPES[dataType] ?? dataType);
  }
}

class CatalogAdapter extends PostgresAdapter {
  /** Migrations run in one transaction, which keeps all others out: see postgres-driver.ts. */
  override acquireMigrationLock(): Promise<void> {
    return Promise.resolve();
  }

  override releaseMigrationLock(): Promise<void> {
    return Promise.resolve();
  }
}
