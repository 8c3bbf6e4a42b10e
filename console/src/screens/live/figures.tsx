// Plots of requests and latencies for each minute.
import { call } from '../../api/call.ts';
import type { Answers } from '../../api/generated/answers.ts';
import { project } from '../../api/session.ts';
import { Shown } from '../../ui/feedback.tsx';
import { count } from '../../ui/format.ts';
import { useRefresh } from '../../ui/refresh.ts';
import { useResource } from '../../ui/resource.ts';
import { Plot } from './plot.tsx';

const REFRESH_MS = 10_000;
const MINUTE_SECONDS = 60;
const SECOND_MS = 1_000;

export function Figures({ minutes }: { readonly minutes: string }) {
  const figures = useResource(`figures ${project.value?.id} ${minutes}`, (signal) =>
    call<Answers['read_live_figures']>('GET', 'console/metrics', { query: { minutes }, signal }),
  );
  useRefresh(figures.refresh, REFRESH_MS);
  return (
    <Shown of={figures}>
      {(value) => {
        const from = Date.parse(value.from) / SECOND_MS;
        const times = value.queries.map((_, at) => from + at * MINUTE_SECONDS);
        const { queries, writes, others, refused, failed } = value;
        return (
          <div class="plots">
            <Plot
              title="Requests a minute"
              summary={`${count(sum(queries))} queries, ${count(sum(writes))} writes, ${count(sum(others))} others`}
              times={times}
              lines={[
                { title: 'Queries', color: '--plot-1', values: queries },
                { title: 'Writes', color: '--plot-2', values: writes },
                { title: 'Others', color: '--plot-3', values: others },
              ]}
            />
            <Plot
              title="Latency of queries, ms"
              summary="Upper bounds of half of the queries, and of 99 in 100"
              times={times}
              lines={[
                { title: 'p50', color: '--plot-1', values: value.p50_ms },
                { title: 'p99', color: '--plot-4', values: value.p99_ms },
              ]}
            />
            <Plot
              title="Errors a minute"
              summary={`${count(sum(refused))} refused, ${count(sum(failed))} failed`}
              times={times}
              lines={[
                { title: 'Refused (4xx)', color: '--plot-4', values: refused },
                { title: 'Failed (5xx)', color: '--plot-5', values: failed },
              ]}
            />
          </div>
        );
      }}
    </Shown>
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, each) => total + each, 0);
}
