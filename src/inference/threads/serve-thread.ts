// The thread's side: starts, and answers requests one after the other.
import { serveParent } from '../../platform/worker-channel/serve-parent.ts';
import { MODEL_CODEC, type ModelMethods } from './model-methods.ts';
import { stepBack } from './step-back.ts';

export interface ThreadWork<Request> {
  /** What the other side learns of the start. */
  readonly attributes: unknown;
  readonly answer: (request: Request) => unknown;
}

/** @param start called when the serving thread wants it; no request comes before its end */
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
        // The thread's entry and whoever starts it name the same type of requests.
        const answered = turn.then(() => answer(request as Request));
        turn = answered.catch(() => undefined);
        return await answered;
      },
    },
    { codec: MODEL_CODEC },
  );
}
