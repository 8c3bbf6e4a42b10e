// The thread's side of the channel: starts the model, and processes requests one after the other.
import { serveParent } from '../../platform/worker-channel/serve-parent.ts';
import { MODEL_CODEC, type ModelMethods } from './model-methods.ts';
import { stepBack } from './step-back.ts';

export interface ThreadWork<Request> {
  /** Attributes that are reported to the main thread. */
  readonly attributes: unknown;
  readonly answer: (request: Request) => unknown;
}

/** @param start called once by the main thread, before any request */
export function serveThread<Request>(start: () => Promise<ThreadWork<Request>>): void {
  stepBack();
  const work = Promise.withResolvers<ThreadWork<Request>>();
  let turn: Promise<unknown> = work.promise;
  serveParent<ModelMethods>(
    {
      start: async () => {
        work.resolve(await start());
        return (await work.promise).attributes;
      },
      answer: async (request) => {
        const { answer } = await work.promise;
        // The entry point and the starter of the thread agree on the type of requests.
        const answered = turn.then(() => answer(request as Request));
        turn = answered.catch(() => undefined);
        return await answered;
      },
    },
    { codec: MODEL_CODEC },
  );
}
