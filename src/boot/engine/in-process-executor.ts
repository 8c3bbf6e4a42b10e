// Runs data endpoints on the main thread, over an engine's readers and writers: for engines without threads.
import type { DataExecutor, DataRequest } from '../../api/data-request.ts';
import type { RunTools } from '../../api/rest/records/run-data-endpoint.ts';
import type { VectorStore } from '../../engine/port/vector-store.ts';
import { runRequest } from './run-request.ts';

export interface RequestAccess {
  /** What a request reads with; the engine's reader of its index by default. */
  readonly readerOf?: (request: DataRequest) => Pick<RunTools, 'reader' | 'seenLsn'>;
  readonly onError: (requestId: string, error: unknown) => void;
}

export function inProcessExecutor(
  engine: Pick<VectorStore, 'reader' | 'writer'>,
  { readerOf = ({ index }) => ({ reader: engine.reader(index) }), onError }: RequestAccess,
): DataExecutor {
  return {
    run: (request) =>
      runRequest(request, {
        ...readerOf(request),
        writer: engine.writer(request.index),
        onError: (error) => onError(request.requestId, error),
      }),
  };
}
