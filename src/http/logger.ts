// The log of the process: JSON lines for machines, and on a terminal lines for people.
import { type DestinationStream, destination, type Logger, pino, stdTimeFunctions } from 'pino';
import { logText } from './log-text.ts';

/** The log goes to standard error. Standard output is for messages to people, such as the first key. */
const STANDARD_ERROR = 2;

export interface LogSettings {
  readonly logLevel: string;
  /** `auto` means text on a terminal, else JSON. */
  readonly logFormat: 'auto' | 'json' | 'text';
}

export function createLogger({ logLevel, logFormat }: LogSettings): Logger {
  const isText = logFormat === 'text' || (logFormat === 'auto' && process.stderr.isTTY);
  const lines = destination({ dest: STANDARD_ERROR, sync: false });
  const texts = {
    write: (line: string) => void lines.write(logText(line)),
    // Which a fatal line needs: the process may kill itself next.
    flushSync: () => lines.flushSync(),
  };
  return createLoggerTo(isText ? texts : lines, logLevel);
}

export function createLoggerTo(stream: DestinationStream, level: string): Logger {
  const formatters = { level: (label: string) => ({ level: label }) };
  return pino({ level, base: null, formatters, timestamp: stdTimeFunctions.isoTime }, stream);
}
