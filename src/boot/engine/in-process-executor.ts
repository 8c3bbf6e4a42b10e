// Runs data endpoints on the main thread, over an engine's readers and writers: for engines without threads.
import type { DataExecutor, DataRequest } from '../../api/data-request.ts';
import type { RunTools } from '../../api/rest/records/run-data-endpoint.ts';
import { type Clock, clockAt } from '../../domain/expiry/time-to-live.ts';
import type { VectorStore } from '../../engine/port/vector-store.ts';
import { runRequest } from './run-request.ts';

export interface ExecutorOptions {
  /** What a request reads and writes with; the engine's reader and writer of its index by default. */
  readonly accessOf?: (request: DataRequest, clock: Clock) => Pick<RunTools, 'reader' | 'seenLsn' | 'writer'>;
  readonly onError: (requestId: string, error: unknown) => void;
}

export function inProcessExecutor(
  engine: Pick<VectorStore, 'reader' | 'writer'>,
  {
    accessOf = ({ index }, clock) => ({
      reader: engine.reader(index, clock),
      writer: engine.writer(index, clock),
    }),
    onError,
  }: ExecutorOptions,
): DataExecutor {
  return {
    run: (request) => {
      // One moment for all that the request reads.
      const clock = clockAt();
      return runRequest(request, {
        ...accessOf(request, clock),
        onError: (error) => onError(request.requestId, error),
      });
    },
  };
}
