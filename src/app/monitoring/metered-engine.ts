// The engine with every request counted: from being handed over to its answer, waiting included.
import { FAULTS, Fault } from '../../domain/faults.ts';
import type { EngineCall, EngineReply, VectorEngine } from '../../engine/port/engine.ts';
import type { RequestMeter } from './request-meter.ts';

type Runs = Pick<VectorEngine, 'run'>;

export function meteredEngine(engine: Runs, meter: Pick<RequestMeter, 'add'>): Runs {
  return {
    run: async (call: EngineCall): Promise<EngineReply> => {
      const startedAt = performance.now();
      const { endpointId, index } = call;
      const count = (status: number) =>
        meter.add(index.id, endpointId, { status, milliseconds: performance.now() - startedAt });
      try {
        const reply = await engine.run(call);
        count(reply.status);
        return reply;
      } catch (error) {
        count(error instanceof Fault ? error.status : FAULTS.internal.status);
        throw error;
      }
    },
  };
}
