// Serves calls of the main thread in an engine thread.
import { FAULT_CODEC } from '../../../domain/faults/plain-error.ts';
import { statusFileOfThread } from '../../../platform/thread-activity.ts';
import type { ChannelServer } from '../../../platform/worker-channel/channel-server.ts';
import { textOf } from '../../../platform/worker-channel/errors.ts';
import { serveParent } from '../../../platform/worker-channel/serve-parent.ts';
import type { ServedCall } from '../../../platform/worker-channel/served-call.ts';
import type { BuilderThread } from '../indexing/builds/builder-thread.ts';
import type { StartNotice, ThreadNotice } from './protocol.ts';
import type { ReaderThread } from './reader-thread.ts';
import type { BuilderThreadMethods, EngineMethods, ReaderMethods, WriterMethods } from './thread-methods.ts';
import type { WriterThread } from './writer-thread.ts';

type Sent = ThreadNotice | StartNotice;

export function serveReader(thread: ReaderThread): ChannelServer<ReaderMethods, never, Sent> {
  const server = serveParent<ReaderMethods, never, Sent>(
    {
      run: (task, call) => noteWait(call, thread.run(task)),
      read: (request, call) => noteWait(call, thread.read(request)),
      join: (request) => thread.join(request),
    },
    { codec: FAULT_CODEC, onClose: () => thread.close() },
  );
  noteStart(server);
  return server;
}

export function serveWriter(thread: WriterThread): ChannelServer<WriterMethods, never, Sent> {
  const server = serveParent<WriterMethods, never, Sent>(thread.handlers(), {
    codec: FAULT_CODEC,
    onClose: () => thread.close(),
  });
  noteStart(server);
  return server;
}

/** Tells the main thread where it sees what this one does, should it end without an exit. */
function noteStart(server: Pick<ChannelServer<EngineMethods, never, Sent>, 'notify'>): void {
  server.notify({ type: 'started', statusFile: statusFileOfThread() });
}

/** @param onJoin called with the port of each writer thread that the builder works for */
export function serveBuilder(
  thread: BuilderThread,
  onJoin: (port: EngineMethods['join']['request']['port']) => void = () => undefined,
): void {
  serveParent<BuilderThreadMethods, never, ThreadNotice>(
    {
      join: ({ port }) => {
        onJoin(port);
        thread.serve(port);
        return null;
      },
    },
    { codec: FAULT_CODEC },
  );
}

/** Reports an unexpected error to the main thread, which logs it. */
export function reportError(
  server: Pick<ChannelServer<EngineMethods, never, ThreadNotice>, 'notify'>,
  requestId: string,
  error: unknown,
): void {
  server.notify({ type: 'error', requestId, error: textOf(error) });
}

type Notes = Pick<ServedCall<EngineMethods['run']>, 'note'>;

/**
 * Notifies the caller when a response is still pending after the thread has done its part. The call then waits for
 * another thread, perhaps for seconds, and this one can run others.
 */
function noteWait(call: Notes, answer: Promise<unknown>): Promise<unknown> {
  let isThere = false;
  // Responses that need no other thread are complete, promises included, before the event loop continues.
  setImmediate(() => {
    if (!isThere) call.note('waits');
  });
  return answer.finally(() => {
    isThere = true;
  });
}
