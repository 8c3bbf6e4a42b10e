// Warnings in the log: of this process and its threads, of its own code, of packages and of Node.
import type { EventEmitter } from 'node:events';
import type { Logger } from './request-log.ts';
import { logTrouble } from './trouble-log.ts';

/** Has each warning logged, with the index that it is about. Node would print it between the lines of the log. */
export function logWarnings(source: Pick<EventEmitter, 'on' | 'removeAllListeners'>, logger: Logger): void {
  source.removeAllListeners('warning');
  source.on('warning', (warning: Error & { readonly indexId?: string }) => {
    const { indexId } = warning;
    logTrouble(logger, 'warn', { ...(indexId !== undefined && { indexId }), err: warning }, 'a warning');
  });
}
