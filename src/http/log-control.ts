// Changes how much the log says while the server runs.
import type { Logger } from 'pino';
import { LOG_LEVELS, type LogControl, type LogLevel } from '../domain/log-level.ts';

/** @param organizationId whose owners may change it */
export function logControl(logger: Logger, configured: LogLevel, organizationId: string): LogControl {
  return {
    organizationId,
    configured,
    current: () => LOG_LEVELS.find((level) => level === logger.level) ?? configured,
    set: (level) => {
      logger.level = level;
    },
  };
}
