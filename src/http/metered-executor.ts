// An executor with every request counted: from being handed over to its answer, waiting included.

import type { AnswerWork, DataAnswer, DataExecutor, DataRequest } from '../api/data-request.ts';
import type { RequestMeter } from '../app/monitoring/request-meter.ts';
import { FAULTS, Fault } from '../domain/faults.ts';
import { indexIdOf } from '../domain/index-model.ts';

export function meteredExecutor(executor: DataExecutor, meter: Pick<RequestMeter, 'add'>): DataExecutor {
  return {
    run: async (request: DataRequest): Promise<DataAnswer> => {
      const startedAt = performance.now();
      const { endpointId, index } = request;
      const count = (status: number, work?: AnswerWork) =>
        meter.add(indexIdOf(index), endpointId, {
          status,
          milliseconds: performance.now() - startedAt,
          ...(work !== undefined && {
            work: {
              engineMs: work[0],
              expectedRecall: work[1],
              auditedRecall: work[2],
              promisedRecall: work[3],
            },
          }),
        });
      try {
        const answer = await executor.run(request);
        count(answer.status, answer.work);
        return answer;
      } catch (error) {
        count(error instanceof Fault ? error.status : FAULTS.internal.status);
        throw error;
      }
    },
  };
}
