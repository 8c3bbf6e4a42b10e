// How much the log says, and the port that changes it while the server runs.

/** From the most lines to none. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

/** The log of this process. */
export interface LogControl {
  /** Whose owners may change it: the log has lines of every organization. */
  readonly organizationId: string;
  /** By its setting, which holds again after a restart. */
  readonly configured: LogLevel;
  current(): LogLevel;
  set(level: LogLevel): void;
}
