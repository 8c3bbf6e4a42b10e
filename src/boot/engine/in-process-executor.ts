// Runs data endpoints on the main thread, over an engine's readers and writers: for engines without threads.
import type { DataExecutor } from '../../api/data-request.ts';
import type { VectorStore } from '../../engine/port/vector-store.ts';
import { runRequest } from './run-request.ts';

export function inProcessExecutor(
  engine: Pick<VectorStore, 'reader' | 'writer'>,
  onError: (requestId: string, error: unknown) => void,
): DataExecutor {
  return {
    run: (request) =>
      runRequest(request, {
        reader: engine.reader(request.index),
        writer: engine.writer(request.index),
        onError: (error) => onError(request.requestId, error),
      }),
  };
}
