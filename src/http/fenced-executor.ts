// An executor within a fence: requests to what is not here fail, and no write is acknowledged that another node may miss.
import type { DataExecutor } from '../api/data-request.ts';
import type { Fence } from '../app/nodes/fence.ts';

/** @param writes the ids of the endpoints that write. A read ended in the state of when it began, so its index may have moved since */
export function fencedExecutor(
  executor: DataExecutor,
  fence: Pick<Fence, 'requireHere' | 'requireHeld'>,
  writes: ReadonlySet<string>,
): DataExecutor {
  return {
    run: async (request) => {
      fence.requireHere(request.index);
      const answer = await executor.run(request);
      if (writes.has(request.endpointId)) fence.requireHere(request.index);
      else fence.requireHeld();
      return answer;
    },
  };
}
