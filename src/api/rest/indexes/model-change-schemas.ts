// Schemas of changes of the model of an index, and their form on the wire.
import type {
  ModelChangeStatus,
  ModelComparison,
  SetFigures,
  VectorSetSummary,
} from '../../../domain/embedding/model-change-service.ts';
import { MODEL_CHANGE_STATES } from '../../../domain/embedding/vector-sets.ts';
import { namespaceToShown } from '../../../domain/records/record-id.ts';
import { Type } from '../../schema/type.ts';
import { EmbedParametersBody } from './embed-bodies.ts';

const JOB_STATES = ['Pending', 'Running', 'Undoing', 'Completed', 'Failed', 'Cancelled'];
export const COMPARED_QUERIES_MAX = 100;
export const COMPARED_TOP_K_MAX = 100;
export const COMPARED_TOP_K = 10;

export const StartModelChangeBody = Type.Object(
  {
    model: Type.String({ description: 'An embedding model that this server lists.' }),
    dimension: Type.Optional(
      Type.Integer({
        description:
          "Default: that of the present vectors where the model can make it, else the model's own.",
      }),
    ),
    write_parameters: Type.Optional(EmbedParametersBody),
    read_parameters: Type.Optional(EmbedParametersBody),
  },
  {
    additionalProperties: false,
    title: 'StartModelChangeRequest',
    examples: [{ model: 'llama-text-embed-v2' }],
  },
);

export const CompareModelsBody = Type.Object(
  {
    top_k: Type.Optional(
      Type.Integer({
        description: `Records to compare for each query, 1 to ${COMPARED_TOP_K_MAX}. Default ${COMPARED_TOP_K}.`,
      }),
    ),
    queries: Type.Optional(
      Type.Array(
        Type.Object(
          {
            text: Type.String(),
            namespace: Type.Optional(Type.String()),
            relevant_ids: Type.Optional(
              Type.Array(Type.String(), { description: 'The records that answer, where you know them.' }),
            ),
          },
          { additionalProperties: false },
        ),
        {
          description: `Up to ${COMPARED_QUERIES_MAX} queries. Default: the latest that the index was asked by text since the start of the server.`,
        },
      ),
    ),
  },
  {
    additionalProperties: false,
    title: 'CompareModelsRequest',
    examples: [
      { queries: [{ text: 'How do I reset my password?', namespace: 'films', relevant_ids: ['faq-17'] }] },
    ],
  },
);

const VectorSetObject = Type.Object({
  models: Type.Array(Type.String()),
  dimension: Type.Optional(Type.Integer({ description: 'Absent where its vectors are sparse.' })),
});

export const ModelChangeObject = Type.Object(
  {
    index_name: Type.String(),
    state: Type.String({
      enum: [...MODEL_CHANGE_STATES],
      description:
        'Preparing: new vectors are being made. Ready: they follow every write, and can be compared and switched to. Switched: they answer, and the former ones follow. Ending: those that do not answer are being removed.',
    }),
    answering: VectorSetObject,
    standby: VectorSetObject,
    job_state: Type.Optional(
      Type.String({ enum: JOB_STATES, description: 'Of the job that makes the new vectors.' }),
    ),
    percent_complete: Type.Number({ minimum: 0, maximum: 100 }),
    records_copied: Type.Integer({
      description: 'Records whose new vectors were made before the state Ready.',
    }),
    changes_pending: Type.Integer({
      description: 'Changed records and namespaces that the vectors on standby do not have yet.',
    }),
    problem: Type.Optional(
      Type.String({ description: 'Why new vectors cannot be made, or those on standby cannot follow.' }),
    ),
    started_at: Type.String({ format: 'date-time' }),
    changed_at: Type.String({ format: 'date-time' }),
  },
  {
    title: 'IndexModelChange',
    examples: [
      {
        index_name: 'notes',
        state: 'Ready',
        answering: { models: ['llama-text-embed-v2'], dimension: 1024 },
        standby: { models: ['all-minilm-l6-v2'], dimension: 384 },
        job_state: 'Completed',
        percent_complete: 100,
        records_copied: 480,
        changes_pending: 0,
        started_at: '2026-07-01T09:30:00.000Z',
        changed_at: '2026-07-01T09:31:10.000Z',
      },
    ],
  },
);

const SetFiguresObject = Type.Object({
  expected_recall: Type.Number({
    description: 'Mean recall that the searches expect against an exact search of the same vectors.',
  }),
  recall: Type.Optional(Type.Number({ description: 'Mean share of relevant_ids found.' })),
  ndcg: Type.Optional(Type.Number({ description: 'Mean nDCG at top_k by relevant_ids.' })),
});

export const ModelComparisonObject = Type.Object(
  {
    index_name: Type.String(),
    top_k: Type.Integer(),
    overlap: Type.Number({ description: 'Mean share of the top records that both have.' }),
    same_first: Type.Number({ description: 'Share of queries with the same first record.' }),
    rank_biased_overlap: Type.Number({ description: 'Mean rank-biased overlap (p = 0.9) of both rankings.' }),
    answering: SetFiguresObject,
    standby: SetFiguresObject,
    queries: Type.Array(
      Type.Object({
        text: Type.String(),
        namespace: Type.String(),
        overlap: Type.Number(),
        answering_ids: Type.Array(Type.String()),
        standby_ids: Type.Array(Type.String()),
      }),
      { description: 'The queries whose results differ most.' },
    ),
  },
  {
    title: 'ModelComparison',
    examples: [
      {
        index_name: 'notes',
        top_k: 10,
        overlap: 0.7,
        same_first: 1,
        rank_biased_overlap: 0.82,
        answering: { expected_recall: 1, recall: 0.5, ndcg: 0.39 },
        standby: { expected_recall: 1, recall: 1, ndcg: 0.92 },
        queries: [
          {
            text: 'How do I reset my password?',
            namespace: '__default__',
            overlap: 0.7,
            answering_ids: ['faq-3', 'faq-17'],
            standby_ids: ['faq-17', 'faq-3'],
          },
        ],
      },
    ],
  },
);

export function modelChangeToWire(name: string, status: ModelChangeStatus) {
  const { state, answering, standby, job, copied, pending, problem } = status;
  const error = state === 'Preparing' ? (job?.error ?? null) : problem;
  return {
    index_name: name,
    state,
    answering: setToWire(answering),
    standby: setToWire(standby),
    ...(job !== null && { job_state: job.state }),
    percent_complete: state === 'Preparing' ? (job?.percent ?? 0) : 100,
    records_copied: copied,
    changes_pending: pending,
    ...(error !== null && { problem: error }),
    started_at: status.startedAt,
    changed_at: status.changedAt,
  };
}

export function comparisonToWire(name: string, comparison: ModelComparison) {
  const { topK, overlap, sameFirst, rankBiasedOverlap, answering, standby, queries } = comparison;
  return {
    index_name: name,
    top_k: topK,
    overlap,
    same_first: sameFirst,
    rank_biased_overlap: rankBiasedOverlap,
    answering: figuresToWire(answering),
    standby: figuresToWire(standby),
    queries: queries.map((query) => ({
      text: query.text,
      namespace: namespaceToShown(query.namespace),
      overlap: query.overlap,
      answering_ids: query.answering,
      standby_ids: query.standby,
    })),
  };
}

function setToWire({ models, dimension }: VectorSetSummary) {
  return { models, ...(dimension !== null && { dimension }) };
}

function figuresToWire({ expectedRecall, recall, ndcg }: SetFigures) {
  return {
    expected_recall: expectedRecall,
    ...(recall !== null && { recall }),
    ...(ndcg !== null && { ndcg }),
  };
}
