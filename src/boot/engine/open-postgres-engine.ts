// Opens the engine on PostgreSQL, with the data endpoints running on the main thread.

import { liveReader } from '../../engine/port/live-reader.ts';
import { PostgresEngine } from '../../engine/postgres/postgres-engine.ts';
import type { Logger } from '../../http/request-log.ts';
import type { Settings } from '../settings.ts';
import { inProcessExecutor } from './in-process-executor.ts';
import type { EngineSurroundings, OpenEngine } from './open-engine.ts';

/** Expects settings that name a database. @throws EngineOpenError */
export async function openPostgresEngine(
  { engineUrl, databaseUrl, engineConnections: connectionsMax, engineShards: shards }: Settings,
  logger: Logger,
  { isAlias }: EngineSurroundings = {},
): Promise<OpenEngine> {
  const url = engineUrl ?? databaseUrl;
  if (url === null) throw new Error('The settings name no database for the records.');
  const engine = await PostgresEngine.open({
    ...{ url, connectionsMax, shards, ...(isAlias && { isAlias }) },
    onUpgrade: (upgrade) => logger.warn(upgrade, 'the tables of records are being brought up to date'),
    onError: (error) => logger.error({ err: error }, 'the rows of deleted namespaces could not be removed'),
  });
  const onError = (requestId: string, error: unknown) =>
    logger.error({ requestId, err: error }, 'a request failed');
  const executor = inProcessExecutor(engine, {
    accessOf: ({ index, explain, isWanted }, clock) => {
      const request = engine.requests.of(index, explain === true);
      return {
        ...request,
        reader: liveReader(request.reader, index, clock),
        writer: engine.writer(index, clock, isWanted),
      };
    },
    onError,
  });
  return { engine, executor, descriptions: null };
}
