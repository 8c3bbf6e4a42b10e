// Each run of a job begins a trace of its own.
import type { JobKind } from '../../jobs/port.ts';
import { type Tracing, within } from '../../platform/telemetry/tracing.ts';

export function tracedJobs(tracing: Tracing | null, kinds: readonly JobKind[]): readonly JobKind[] {
  return tracing === null ? kinds : kinds.map((kind) => tracedJob(tracing, kind));
}

function tracedJob(tracing: Tracing, kind: JobKind): JobKind {
  return {
    ...kind,
    kind: kind.kind,
    run: async (run) => {
      const { id, projectId, indexId, attempts } = run.job;
      const attributes = {
        'pinyon.job_id': id,
        'pinyon.job_kind': kind.kind,
        'pinyon.project_id': projectId,
        'pinyon.index_id': indexId ?? undefined,
        'pinyon.attempt': attempts,
      };
      const span = tracing.start(`job ${kind.kind}`, { kind: 'internal', parent: null, attributes });
      try {
        await within(span.context, tracing, () => kind.run(run));
        span.end();
      } catch (error) {
        span.end({ failure: error instanceof Error ? error.name : 'error' });
        throw error;
      }
    },
    ...(kind.beforeUndo !== undefined && {
      beforeUndo: (job) => kind.beforeUndo?.(job) ?? Promise.resolve(null),
    }),
    ...(kind.undo !== undefined && {
      undo: (job, outcome) => kind.undo?.(job, outcome) ?? Promise.resolve(),
    }),
  };
}
