// The log of the process: JSON lines for machines, and on a terminal lines for people.
import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';
import { LogLines } from './log-lines.ts';
import { standardError } from './log-target.ts';
import { logText } from './log-text.ts';

export interface LogSettings {
  readonly logLevel: string;
  /** `auto` means text on a terminal, else JSON. */
  readonly logFormat: 'auto' | 'json' | 'text';
}

/**
 * The log goes to standard error: standard output is for messages to people, such as the first key. What cannot be
 * written there is dropped, and counted in a line once lines can be written again.
 */
export function createLogger({ logLevel, logFormat }: LogSettings): Logger {
  const isText = logFormat === 'text' || (logFormat === 'auto' && process.stderr.isTTY);
  const lines = new LogLines(standardError(), (lost) => logger.warn(lost, 'lines of the log were lost'));
  const flushSync = () => lines.flushSync();
  const write = isText ? (line: string) => lines.write(logText(line)) : (line: string) => lines.write(line);
  // Fatal lines are flushed, since the process may kill itself next.
  const logger = createLoggerTo({ write, flushSync }, logLevel);
  process.on('exit', flushSync);
  // Of Node itself and of packages, which write there too. Unheard, it would end the process.
  process.stderr.on('error', () => undefined);
  return logger;
}

export function createLoggerTo(
  stream: DestinationStream & { readonly flushSync?: () => void },
  level: string,
): Logger {
  const formatters = { level: (label: string) => ({ level: label }) };
  return pino({ level, base: null, formatters, timestamp: stdTimeFunctions.isoTime }, stream);
}
