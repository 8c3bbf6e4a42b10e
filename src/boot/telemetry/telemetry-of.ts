// The telemetry that the settings ask for.
import packageJson from '../../../package.json' with { type: 'json' };
import type { Logger } from '../../http/request-log.ts';
import type { Settings } from '../settings.ts';
import type { Telemetry } from './open-telemetry.ts';

const PERCENT_ALL = 100;

/** Null without a receiver. The SDK loads only where there is one. */
export async function telemetryOf(
  { otlpUrl, tracePercent, otlpSeconds }: Settings,
  logger: Logger,
): Promise<Telemetry | null> {
  if (otlpUrl === null) return null;
  const { openTelemetry } = await import('./open-telemetry.ts');
  return openTelemetry({
    url: otlpUrl.replace(/\/+$/, ''),
    traceShare: tracePercent / PERCENT_ALL,
    metricsSeconds: otlpSeconds,
    release: packageJson.version,
    logger,
  });
}
