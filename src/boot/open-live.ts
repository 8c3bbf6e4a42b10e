// Opens what the console shows live: the latest requests, and figures of the last day, kept over a restart.
import { join } from 'node:path';
import { SeriesKeeper } from '../app/monitoring/kept-series.ts';
import { type LiveParts, LiveService } from '../app/monitoring/live-service.ts';
import { MinuteSeries } from '../app/monitoring/minute-series.ts';
import { RecentRequests } from '../app/monitoring/recent-requests.ts';
import type { RequestMeter } from '../app/monitoring/request-meter.ts';
import type { Logger } from '../http/request-log.ts';
import type { Settings } from './settings.ts';

/** In the data directory. */
const SERIES_FILE = 'minute-figures.gz';

export interface OpenLive {
  readonly requests: RecentRequests;
  /** Counts each data request, for the figures and for another meter. */
  meterWith(meter: Pick<RequestMeter, 'add'>): Pick<RequestMeter, 'add'>;
  view(indexes: LiveParts['indexes']): LiveService;
  close(): Promise<void>;
}

export async function openLive({ dataDir }: Pick<Settings, 'dataDir'>, logger: Logger): Promise<OpenLive> {
  const series = new MinuteSeries();
  const requests = new RecentRequests();
  const keeper = await SeriesKeeper.open(series, join(dataDir, SERIES_FILE), (error) =>
    logger.error({ err: error }, 'the figures of the last day could not be kept'),
  );
  return {
    requests,
    meterWith: (meter) => ({
      add: (...counted) => {
        meter.add(...counted);
        series.add(...counted);
      },
    }),
    view: (indexes) => new LiveService({ indexes, series, requests }),
    close: () => keeper.close(),
  };
}
