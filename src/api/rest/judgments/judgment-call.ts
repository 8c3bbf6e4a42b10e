// What the endpoints of judgment sets have in common: their path, bounds and schemas.
import type { FaultName } from '../../../domain/faults.ts';
import {
  GRADE_MAX,
  JUDGED_QUESTIONS_MAX,
  JUDGMENT_SET_BYTES_MAX,
  JUDGMENT_SET_NAME_CHARS_MAX,
  JUDGMENTS_PER_QUESTION_MAX,
  QUESTION_TEXT_CHARS_MAX,
} from '../../../domain/judgments/judgment-set.ts';
import type { EndpointDetails } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { DocumentFilterObject } from '../documents/filter-schema.ts';
import type { BulkEndpoint } from '../import-export/bulk-endpoint.ts';
import { NamespaceName, RecordId, SparseValues, Values } from '../records/schemas.ts';

export const SETS_PATH = '/judgment-sets';
export const SET_PATH = '/judgment-sets/{set_id}';

export const JUDGMENT_CALL = {
  tag: 'Judgment sets',
  since: '2026-07',
  errors: 'standard',
} as const satisfies Partial<EndpointDetails>;

export const READING = { ...JUDGMENT_CALL, permission: 'data_plane::vectors::read' } as const;
export const WRITING = { ...JUDGMENT_CALL, permission: 'data_plane::vectors::write' } as const;

/** Of bodies with questions. Most of their objects are judgments. */
export const QUESTION_BOUNDS: NonNullable<BulkEndpoint['bodyBounds']> = {
  bytesMax: JUDGMENT_SET_BYTES_MAX + 4_096,
  structuresMax: 50_000,
};

/** Of what changes a set. */
export const CHANGE_FAULTS: readonly FaultName[] = [
  'invalid-argument',
  'body-not-json',
  'judgment-set-not-found',
  'judgment-bytes-exhausted',
  'storage-full',
];

export const EXTENSION = ' An extension of this server.';

const SET_ID = '4f2c0d6e-6a57-4b51-9a0e-2f7a1c9d8e10';
export const SetPath = Type.Object({ set_id: Type.String({ examples: [SET_ID] }) });

export const SetName = Type.String({
  minLength: 1,
  maxLength: JUDGMENT_SET_NAME_CHARS_MAX,
  description: 'For people; several sets may have the same.',
  examples: ['everyday questions'],
});

export const SetNamespace = Type.String({
  ...NamespaceName,
  description: 'Where the questions are asked: a namespace or an alias. Default: the default namespace.',
});

export const Grade = Type.Integer({
  minimum: 0,
  maximum: GRADE_MAX,
  description: `How well the record answers: 0 not at all, 1 a little, 2 well, ${GRADE_MAX} perfectly.`,
  examples: [GRADE_MAX],
});

const QUESTION_PARTS = {
  text: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: QUESTION_TEXT_CHARS_MAX,
      description: 'On indexes that search by text.',
      examples: ['films about the sea'],
    }),
  ),
  id: Type.Optional({
    ...RecordId,
    description: 'Searches for records like this one, which does not count itself.',
  }),
  vector: Type.Optional(Values),
  sparse_vector: Type.Optional(SparseValues),
  filter: Type.Optional(DocumentFilterObject),
};

export const QuestionObject = Type.Object(QUESTION_PARTS, {
  title: 'Question',
  description: 'Exactly one of text, id and vectors; of a dense and a sparse vector, one or both.',
  additionalProperties: false,
  examples: [{ text: 'films about the sea', filter: { year: { $gte: 2000 } } }],
});

export const JUDGED_EXAMPLE = {
  vector: [0.1, 0.2, 0.3],
  judgments: [
    { id: 'movie-1', grade: 3 },
    { id: 'movie-2', grade: 0 },
  ],
};

export const JudgedQuestionObject = Type.Object(
  {
    ...QUESTION_PARTS,
    judgments: Type.Array(Type.Object({ id: RecordId, grade: Grade }, { additionalProperties: false }), {
      maxItems: JUDGMENTS_PER_QUESTION_MAX,
      description: 'One for each judged record.',
    }),
  },
  { title: 'JudgedQuestion', additionalProperties: false, examples: [JUDGED_EXAMPLE] },
);

export const Questions = Type.Array(JudgedQuestionObject, { maxItems: JUDGED_QUESTIONS_MAX });

const Time = Type.String({ format: 'date-time', examples: ['2026-07-01T09:30:00.000Z'] });

const SUMMARY_PARTS = {
  id: SetPath.properties.set_id,
  name: SetName,
  namespace: SetNamespace,
  question_count: Type.Integer({ minimum: 0, examples: [1] }),
  judgment_count: Type.Integer({ minimum: 0, examples: [2] }),
  created_at: Time,
  updated_at: Time,
};

export const JudgmentSetSummaryObject = Type.Object(SUMMARY_PARTS, { title: 'JudgmentSetSummary' });

const FigureOrNull = Type.Union([Type.Number({ minimum: 0, maximum: 1 }), Type.Null()]);

/** Of a configuration of a score. */
export const FIGURES = {
  ndcg: {
    ...FigureOrNull,
    description: 'Mean nDCG at k, with the gain 2^grade - 1. Null where no question has a relevant record.',
    examples: [0.92],
  },
  recall: {
    ...FigureOrNull,
    description: 'Mean share of the relevant records among the top k.',
    examples: [1],
  },
  mrr: {
    ...FigureOrNull,
    description: 'Mean of one divided by the rank of the first relevant record.',
    examples: [1],
  },
};

export const JudgmentSetObject = Type.Object(
  {
    ...SUMMARY_PARTS,
    questions: Questions,
    scores: Type.Array(
      Type.Object({
        scored_at: Time,
        k: Type.Integer({ examples: [10] }),
        configurations: Type.Array(
          Type.Object({
            configuration: Type.Object({}, { additionalProperties: true, description: 'As given.' }),
            ...FIGURES,
          }),
        ),
      }),
      {
        description: 'The latest scores, newest first.',
        examples: [
          [
            {
              scored_at: '2026-07-01T09:30:00.000Z',
              k: 10,
              configurations: [{ configuration: {}, ndcg: 0.92, recall: 1, mrr: 1 }],
            },
          ],
        ],
      },
    ),
  },
  { title: 'JudgmentSet' },
);
