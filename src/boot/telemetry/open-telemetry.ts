// Opens telemetry over OTLP: traces, and the metrics of the operator at an interval. Loaded only where it is configured.
import { hostname } from 'node:os';
import type { Family } from '../../app/monitoring/prometheus-text.ts';
import { LogBudget } from '../../http/log-budget.ts';
import type { Logger } from '../../http/request-log.ts';
import {
  DiagLogLevel,
  defaultResource,
  detectResources,
  diag,
  envDetector,
  MeterProvider,
  OTLPMetricExporter,
  PeriodicExportingMetricReader,
  resourceFromAttributes,
} from '../../platform/telemetry/opentelemetry.ts';
import { otlpTracing } from '../../platform/telemetry/otlp-tracing.ts';
import type { Tracing } from '../../platform/telemetry/tracing.ts';
import { metricData } from './metric-data.ts';

const SECOND_MS = 1_000;
const CLOSE_MS_MAX = 3_000;
const FAILURE_LINES_A_SECOND_MAX = 1;

export interface TelemetryOptions {
  /** The receiver's address without `/v1/traces` and `/v1/metrics`. */
  readonly url: string;
  readonly traceShare: number;
  readonly metricsSeconds: number;
  readonly release: string;
  readonly logger: Logger;
}

export interface Telemetry {
  readonly tracing: Tracing;
  /** Begins to send metrics. */
  measure(read: () => Promise<readonly Family[]>): void;
  /** Sends the metrics once more and never again, within seconds; to be called while what they tell of is open. */
  closeMetrics(): Promise<void>;
  /** Sends the spans that are left, within seconds. */
  close(): Promise<void>;
}

export function openTelemetry(options: TelemetryOptions): Telemetry {
  const { url, traceShare, metricsSeconds, release, logger } = options;
  logFailures(logger);
  // What OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME say wins.
  const own = { 'service.name': 'pinyon', 'service.version': release, 'host.name': hostname() };
  const resource = defaultResource()
    .merge(resourceFromAttributes(own))
    .merge(detectResources({ detectors: [envDetector] }));
  const tracing = otlpTracing({ url, resource, share: traceShare });
  const since = Date.now();
  let meters: MeterProvider | undefined;
  return {
    tracing,
    measure: (read) => {
      const collect = async () => {
        const metrics = [...metricData(await read(), since, Date.now())];
        return {
          resourceMetrics: { resource, scopeMetrics: [{ scope: { name: 'pinyon' }, metrics }] },
          errors: [],
        };
      };
      const reader = new PeriodicExportingMetricReader({
        exporter: new OTLPMetricExporter({ url: `${url}/v1/metrics` }),
        exportIntervalMillis: metricsSeconds * SECOND_MS,
        exportTimeoutMillis: Math.min(metricsSeconds, 30) * SECOND_MS,
        metricProducers: [{ collect }],
      });
      meters = new MeterProvider({ resource, readers: [reader] });
    },
    closeMetrics: async () => {
      await meters?.shutdown({ timeoutMillis: CLOSE_MS_MAX }).catch(() => undefined);
    },
    close: async () => {
      await tracing.close();
      diag.disable();
    },
  };
}

/** The SDK tells its log of receivers that do not answer. A failing receiver must not fill our log. */
function logFailures(logger: Logger): void {
  const budget = new LogBudget(FAILURE_LINES_A_SECOND_MAX, () => undefined);
  const note = (message: string) => {
    if (budget.take('failure')) logger.warn({ reason: message.slice(0, 300) }, 'telemetry could not be sent');
  };
  const ignore = () => undefined;
  diag.setLogger(
    { error: note, warn: note, info: ignore, debug: ignore, verbose: ignore },
    DiagLogLevel.WARN,
  );
}
