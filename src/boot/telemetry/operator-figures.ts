// Everything that the operator sees at /metrics, for telemetry.
import { metricFamilies, readProcess } from '../../app/monitoring/metric-families.ts';
import { operatorFamilies } from '../../app/monitoring/operator-families.ts';
import type { Family } from '../../app/monitoring/prometheus-text.ts';
import { readMetrics } from '../../app/monitoring/read-metrics.ts';
import type { MetricsRoutesOptions } from '../../http/routes/metrics-routes.ts';

export async function operatorFigures({
  sources,
  operator,
}: Pick<MetricsRoutesOptions, 'sources' | 'operator'>): Promise<readonly Family[]> {
  const reading = await readMetrics(sources, null);
  return [
    ...metricFamilies(reading, readProcess()),
    ...operatorFamilies(await operator.read(), reading.indexes),
  ];
}
