// Endpoints below /indexes/{index_name}/recall: the recall that searches of an index promise.
import { RECALL_PROMISE_MIN, RECALL_TARGET_MAX } from '../../../domain/limits.ts';
import type { RecallReport } from '../../../domain/recall-promise.ts';
import { Type } from '../../schema/type.ts';
import { indexSetting } from './index-setting.ts';

const RecallBody = Type.Object(
  {
    recall: Type.Number({
      minimum: RECALL_PROMISE_MIN,
      maximum: RECALL_TARGET_MAX,
      description:
        'The share of the true best among the results of searches that name no recall of their own.',
      examples: [0.99],
    }),
  },
  { additionalProperties: false, title: 'RecallRequest', examples: [{ recall: 0.99 }] },
);

const Share = Type.Number({ minimum: 0, maximum: 1 });
const Audited = Type.Object(
  {
    recall: Type.Number({ minimum: 0, maximum: 1, examples: [0.996] }),
    low: Type.Number({ minimum: 0, maximum: 1, examples: [0.993] }),
    high: Type.Number({ minimum: 0, maximum: 1, examples: [0.998] }),
    confidence: Type.Number({ examples: [0.95], description: 'Of the interval from low to high.' }),
  },
  { title: 'AuditedRecall' },
);

const RecallObject = Type.Object(
  {
    recall: Type.Union([Share, Type.Null()], {
      description: 'Null where the index promises no more than usual.',
      examples: [0.99],
    }),
    audited: Type.Union([Audited, Type.Null()], {
      description:
        'What audits of searches with this promise have shown lately, since the start of the server; null where there ' +
        'were too few, as where searches are exact.',
      examples: [{ recall: 0.996, low: 0.993, high: 0.998, confidence: 0.95 }],
    }),
    state: Type.Union([Type.String({ enum: ['held', 'broken', 'undecided'] }), Type.Null()], {
      description:
        '`held` when the whole interval keeps the promise, `broken` when none of it does, else `undecided`. Null ' +
        'without a promise.',
      examples: ['held'],
    }),
  },
  { title: 'Recall' },
);

const CONFIDENCE = 0.95;

export const recallEndpoints = indexSetting({
  id: 'recall',
  tag: 'Recall',
  path: '/indexes/{index_name}/recall',
  body: RecallBody,
  shown: { schema: RecallObject, description: 'The promise and its audits.' },
  texts: {
    describe: { summary: 'Describe the recall that an index promises, and what audits have shown' },
    set: {
      summary: 'Promise a recall to the searches of an index',
      description:
        'Searches of dense vectors take the effort that the promise needs, and more where audits show that it is not kept. ' +
        'A search may name another recall by itself.',
    },
    end: { summary: 'Promise the usual recall again' },
  },
  callsOf: ({ recallPromises }) => recallPromises,
  valueOf: ({ recall }) => recall,
  toWire: reportToWire,
});

function reportToWire({ promised, audited, state }: RecallReport): object {
  const { share, ...bounds } = audited ?? { share: null };
  return {
    recall: promised,
    audited: share === null ? null : { recall: share, ...bounds, confidence: CONFIDENCE },
    state,
  };
}
