import { LOG_LEVELS } from '../../domain/log-level.ts';
import { apiKey, httpAddress, oneOf, wholeNumber } from '../setting-kinds.ts';
import { optional, type Setting, setting } from './setting.ts';

export const MONITORING_SETTINGS = {
  metricsKey: optional(
    'PINYON_METRICS_KEY',
    apiKey,
    'Key with which `GET /metrics` shows all projects, and more of the process and the machine. It opens nothing else.',
  ),
  logLevel: setting('PINYON_LOG_LEVEL', oneOf(LOG_LEVELS), {
    preset: 'info',
    about:
      'Minimum severity of log lines. `info` writes one line per request, or some of them while there are very many. Owners change it while the server runs by `PUT /admin/log-level`, until the next start.',
  }),
  logFormat: setting('PINYON_LOG_FORMAT', oneOf(['auto', 'json', 'text']), {
    preset: 'auto',
    about: 'Form of log lines: `json`, `text` for people, or `auto`: text on a terminal, else JSON.',
  }),
  slowRequestMs: setting('PINYON_SLOW_REQUEST_MS', wholeNumber(0, 3_600_000), {
    preset: '1000',
    about:
      'Milliseconds after which a request to an index is slow: the log then has a line at level `warn`, with the times in the queue, in models and in the engine, and what a search did. `0` for no such lines.',
  }),
  otlpUrl: optional(
    'PINYON_OTLP_URL',
    httpAddress,
    'Address of an OpenTelemetry receiver (OTLP over HTTP), such as `http://localhost:4318`, for traces and metrics. The standard variables `OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_RESOURCE_ATTRIBUTES` and `OTEL_SERVICE_NAME` hold.',
  ),
  tracePercent: setting('PINYON_TRACE_PERCENT', wholeNumber(0, 100), {
    preset: '100',
    about:
      'Percentage of traces that begin here and are recorded. Traces of callers are recorded when the caller does.',
  }),
  otlpSeconds: setting('PINYON_OTLP_SECONDS', wholeNumber(1, 3_600), {
    preset: '60',
    about: 'Interval at which metrics are sent to `PINYON_OTLP_URL`.',
  }),
} as const satisfies Record<string, Setting<unknown>>;
