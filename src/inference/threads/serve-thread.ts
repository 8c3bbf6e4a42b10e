// The thread's side of the channel: starts the model, and processes requests one after the other.
import { serveParent } from '../../platform/worker-channel/serve-parent.ts';
import { MODEL_CODEC, type ModelMethods } from './model-methods.ts';
import { stepBack } from './step-back.ts';

type Answer<EmbedRequest, Name extends keyof ModelMethods<EmbedRequest>> = (
  request: ModelMethods<EmbedRequest>[Name]['request'],
) => Promised<ModelMethods<EmbedRequest>[Name]['response']>;

type Promised<Value> = Value | Promise<Value>;

export interface ThreadWork<EmbedRequest> {
  readonly embed: Answer<EmbedRequest, 'embed'>;
  readonly score: Answer<EmbedRequest, 'score'>;
  /** Of models of natural language inference. */
  readonly infer?: Answer<EmbedRequest, 'infer'>;
  /** Attributes that are reported to the main thread. */
  readonly attributes: unknown;
}

/** @param start called once by the main thread, before any request */
export function serveThread<EmbedRequest>(start: () => Promise<ThreadWork<EmbedRequest>>): void {
  stepBack();
  const started = Promise.withResolvers<ThreadWork<EmbedRequest>>();
  let turn: Promise<unknown> = started.promise;
  async function inTurn<Result>(
    answer: (work: ThreadWork<EmbedRequest>) => Promised<Result>,
  ): Promise<Result> {
    const work = await started.promise;
    const answered = turn.then(() => answer(work));
    turn = answered.catch(() => undefined);
    return await answered;
  }
  serveParent<ModelMethods<EmbedRequest>>(
    {
      start: async () => {
        started.resolve(await start());
        return (await started.promise).attributes;
      },
      embed: (request) => inTurn((work) => work.embed(request)),
      score: (batch) => inTurn((work) => work.score(batch)),
      infer: (batch) =>
        inTurn(
          (work) => work.infer?.(batch) ?? Promise.reject(new Error('the model does not tell entailment')),
        ),
    },
    { codec: MODEL_CODEC },
  );
}
