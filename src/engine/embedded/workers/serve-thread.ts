// Serves the calls of the serving thread in an engine thread.
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

/** @param onJoin called with the port of each writer thread ahead of the builder */
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

/** Tells the serving thread what to log for a plain 500. */
export function reportError(
  server: Pick<ChannelServer<EngineMethods, never, ThreadNotice>, 'notify'>,
  requestId: string,
  error: unknown,
): void {
  server.notify({ type: 'error', requestId, error: textOf(error) });
}

type Notes = Pick<ServedCall<EngineMethods['run']>, 'note'>;

/**
 * Notes of an answer that is not there when the thread has nothing left to do for it: the call waits for another thread,
 * maybe for seconds, and this one can take up others.
 */
function noteWait(call: Notes, answer: Promise<unknown>): Promise<unknown> {
  let isThere = false;
  // Answers that need nobody else are made in one go, promises and all, before the event loop goes on.
  setImmediate(() => {
    if (!isThere) call.note('waits');
  });
  return answer.finally(() => {
    isThere = true;
  });
}
