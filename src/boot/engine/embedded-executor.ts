// Runs data endpoints in the embedded engine's threads, next to the data, including parsing and rendering.
import type { DataAnswer, DataExecutor } from '../../api/data-request.ts';
import { dataEndpoints } from '../../api/rest/data-endpoints.ts';
import type { EmbeddedEngine } from '../../engine/embedded/embedded-engine.ts';
import { guessReadMs } from './guess-read.ts';
import { packDetails } from './request-details.ts';

const QUEUES = new Map(dataEndpoints.map(({ id, queue }) => [id, queue]));

const OK_MAX = 299;

/** What is refused says nothing about how long the like of it takes. */
function isAnswered(answer: unknown): boolean {
  return (answer as DataAnswer).status <= OK_MAX;
}

export function embeddedExecutor(engine: Pick<EmbeddedEngine, 'run'>): DataExecutor {
  return {
    run: async (request) => {
      const { index, body, isWanted } = request;
      const queue = QUEUES.get(request.endpointId) ?? 'read';
      // The entries of the threads answer with nothing else.
      const caller = request.access.principalId;
      const task = {
        index,
        queue,
        caller,
        details: packDetails(request),
        body,
        ...(isWanted && { isWanted }),
        ...(queue === 'read' && { guessMs: guessReadMs(request), isTelling: isAnswered }),
      };
      return (await engine.run(task)) as DataAnswer;
    },
  };
}
