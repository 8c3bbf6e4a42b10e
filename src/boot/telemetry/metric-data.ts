// The metrics of /metrics as OpenTelemetry's data model has them: one source, two ways out.
import type { MetricData } from '@opentelemetry/sdk-metrics';
import type { Family, Labels, Sample } from '../../app/monitoring/prometheus-text.ts';
import { AggregationTemporality, DataPointType, ValueType } from '../../platform/telemetry/opentelemetry.ts';

type Instant = [seconds: number, nanoseconds: number];

const UNITS: readonly (readonly [RegExp, string])[] = [
  [/_seconds(_total)?$/, 's'],
  [/_bytes(_total)?$/, 'By'],
  [/_duration_sum$/, 'ms'],
];
const NO_UNIT = '1';

/** @param since when the counters began, on the clock of `Date.now()`; as `now` */
export function metricData(families: readonly Family[], since: number, now: number): readonly MetricData[] {
  const span = { startTime: instant(since), endTime: instant(now) };
  return families.filter(({ samples }) => samples.length > 0).map((family) => oneMetric(family, span));
}

function oneMetric(
  { name, help, type, samples }: Family,
  span: { readonly startTime: Instant; readonly endTime: Instant },
): MetricData {
  const unit = UNITS.find(([form]) => form.test(name))?.[1] ?? NO_UNIT;
  const common = {
    descriptor: { name, description: help, unit, valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  if (type === 'histogram') {
    const dataPoints = [...byLabels(samples)].map(([, one]) => ({ ...span, ...histogramOf(one) }));
    return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints };
  }
  const dataPoints = samples.map(({ labels, value }) => ({ ...span, attributes: { ...labels }, value }));
  return type === 'counter'
    ? { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
    : { ...common, dataPointType: DataPointType.GAUGE, dataPoints };
}

/** The samples of each histogram of a family; buckets differ in `le` alone. */
function byLabels(samples: readonly Sample[]): ReadonlyMap<string, readonly Sample[]> {
  return Map.groupBy(samples, ({ labels }) => JSON.stringify(withoutBound(labels)));
}

function histogramOf(samples: readonly Sample[]) {
  const buckets = samples.filter(({ suffix }) => suffix === '_bucket');
  const totals = buckets.map(({ value }) => value);
  const totalOf = (suffix: string) => samples.find((sample) => sample.suffix === suffix)?.value ?? 0;
  return {
    attributes: withoutBound(samples[0]?.labels ?? {}),
    value: {
      // The last bucket is for values above every bound.
      buckets: {
        boundaries: buckets.slice(0, -1).map(({ labels }) => Number(labels.le)),
        counts: totals.map((total, i) => total - (totals[i - 1] ?? 0)),
      },
      sum: totalOf('_sum'),
      count: totalOf('_count'),
    },
  };
}

function withoutBound({ le: _, ...labels }: Labels): Record<string, string> {
  return labels;
}

function instant(milliseconds: number): Instant {
  const seconds = Math.floor(milliseconds / 1_000);
  return [seconds, Math.round((milliseconds - seconds * 1_000) * 1e6)];
}
