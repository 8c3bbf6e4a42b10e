// The two ends of a connection to a forked process. Nothing can be transferred to another process: values are copied.
import type { ChildProcess } from 'node:child_process';
import type { Endpoint } from './endpoint.ts';

/** A forked process, seen from the one that started it. */
export function childEndpoint(child: ChildProcess): Endpoint {
  return {
    // Sending fails only when the process is gone, which `onEnd` reports.
    post: (message) => void child.send(message, () => undefined),
    onMessage: (listener) => void child.on('message', listener),
    onEnd: (listener) => {
      const { promise, resolve } = Promise.withResolvers<Error>();
      child.once('error', resolve);
      child.once('exit', (code, signal) => resolve(new Error(`it exited with ${signal ?? code}`)));
      void promise.then(listener);
    },
    close: () => void child.kill(),
  };
}

/** The process that forked this one. */
export function parentEndpoint(): Endpoint {
  return {
    post: (message) => void process.send?.(message, () => undefined),
    onMessage: (listener) => void process.on('message', listener),
    onEnd: (listener) => void process.once('disconnect', () => listener(undefined)),
    close: () => process.disconnect?.(),
  };
}
