// Serves calls of the main thread in an engine thread.
import { FAULT_CODEC } from '../../../domain/faults/plain-error.ts';
import type { ChannelServer } from '../../../platform/worker-channel/channel-server.ts';
import { textOf } from '../../../platform/worker-channel/errors.ts';
import { serveParent } from '../../../platform/worker-channel/serve-parent.ts';
import type { ServedCall } from '../../../platform/worker-channel/served-call.ts';
import type { BuilderThread } from '../indexing/builds/builder-thread.ts';
import type { ThreadNotice } from './protocol.ts';
import type { ReaderThread } from './reader-thread.ts';
import type { BuilderThreadMethods, EngineMethods, ReaderMethods, WriterMethods } from './thread-methods.ts';
import type { WriterThread } from './writer-thread.ts';

export function serveReader(thread: ReaderThread): ChannelServer<ReaderMethods, never, ThreadNotice> {
  return serveParent<ReaderMethods, never, ThreadNotice>(
    {
      run: (task, call) => noteWait(call, thread.run(task)),
      read: (request, call) => noteWait(call, thread.read(request)),
      join: (request) => thread.join(request),
    },
    { codec: FAULT_CODEC, onClose: () => thread.close() },
  );
}

export function serveWriter(thread: WriterThread): ChannelServer<WriterMethods, never, ThreadNotice> {
  return serveParent<WriterMethods, never, ThreadNotice>(thread.handlers(), {
    codec: FAULT_CODEC,
    onClose: () => thread.close(),
  });
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
