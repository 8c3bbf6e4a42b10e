// The bodies of the endpoints of branches.
import {
  BRANCH_COMPARISON,
  type BranchComparison,
  type DifferenceCounts,
  type Merge,
  type NamespaceBranch,
} from '../../../domain/branches/services.ts';
import { namespaceToShown } from '../../../domain/records/record-id.ts';
import { Type } from '../../schema/type.ts';
import { NamespaceName, RecordId, Values } from '../records/schemas.ts';

const Count = (description: string, example: number) =>
  Type.Integer({ minimum: 0, description, examples: [example] });
const Time = (description: string) =>
  Type.String({ format: 'date-time', description, examples: ['2026-07-01T09:30:00.000Z'] });
const BranchName = Type.String({ ...NamespaceName, examples: ['films-cleaned'] });
const SourceName = Type.String({ ...NamespaceName, examples: ['films'] });
const ON_CONFLICT = ['fail', 'branch', 'source'];

export const BranchObject = Type.Object(
  {
    name: BranchName,
    source: Type.String({
      ...NamespaceName,
      description: 'The namespace that it was made of.',
      examples: ['films'],
    }),
    base_lsn: Count('The last write of the source that it began with.', 118),
    created_at: Time('When it was created.'),
    state: Type.String({
      enum: ['shared', 'whole', 'detached'],
      description:
        '`shared`: what neither side has changed is stored once. `whole`: all records are its own. `detached`: its ' +
        'source was deleted; it becomes an ordinary namespace.',
    }),
    record_count: Count('Records that it shows.', 1_000_000),
    own_record_count: Count('Records that are stored for it alone.', 250),
    own_bytes: Count('Bytes of those: ids, vectors and metadata.', 812_000),
    changed_record_count: Count('Records that it has written or deleted, and that are not merged.', 250),
    deleted_record_count: Count('The deleted ones among them.', 10),
    changed_in_source_count: Count('Records that the source has written or deleted since.', 0),
  },
  {
    title: 'NamespaceBranch',
    examples: [
      {
        ...{ name: 'films-cleaned', source: 'films', base_lsn: 118, created_at: '2026-07-01T09:30:00.000Z' },
        ...{ state: 'shared', record_count: 1_000_000, own_record_count: 240, own_bytes: 812_000 },
        ...{ changed_record_count: 250, deleted_record_count: 10, changed_in_source_count: 0 },
      },
    ],
  },
);

export const CreateBranchBody = Type.Object(
  {
    name: BranchName,
    source: Type.Optional(SourceName),
    as_of_lsn: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'Begin with the state after this write. Default the present.',
      }),
    ),
    as_of_time: Type.Optional(Time('Or with the state at this moment. Give one of the two at most.')),
  },
  {
    additionalProperties: false,
    title: 'CreateBranchRequest',
    examples: [{ source: 'films', name: 'films-cleaned' }],
  },
);

const Side = Type.String({ enum: ['added', 'changed', 'deleted'] });
const SideCounts = Type.Object({ added: Type.Integer(), changed: Type.Integer(), deleted: Type.Integer() });

export const DifferencesObject = Type.Object(
  {
    differences: Type.Array(
      Type.Object(
        { id: RecordId, in_branch: Type.Optional(Side), in_source: Type.Optional(Side) },
        {
          title: 'BranchDifference',
          description: 'A record that is not the same on both sides, and what each has done to it since.',
          examples: [{ id: 'movie-1', in_branch: 'changed' }],
        },
      ),
    ),
    counts: Type.Optional(
      Type.Object(
        {
          in_branch: SideCounts,
          in_source: SideCounts,
          conflicts: Count('Records that both sides have changed.', 0),
        },
        { description: 'Of all differing records; with `counts=true`.' },
      ),
    ),
    next: Type.Optional(Type.String({ description: 'Where the next page begins; missing on the last.' })),
  },
  { title: 'BranchDifferences' },
);

export const CompareBody = Type.Object(
  {
    queries: Type.Array(
      Type.Object({
        id: Type.Optional(RecordId),
        vector: Type.Optional(Values),
        text: Type.Optional(Type.String({ maxLength: BRANCH_COMPARISON.textCharsMax })),
      }),
      {
        minItems: 1,
        maxItems: BRANCH_COMPARISON.queriesMax,
        description:
          'Each by a vector, by the id of a record, of the source if it is there, or by a text, in an index that was made for a model.',
      },
    ),
    recall: Type.Optional(
      Type.Boolean({
        default: false,
        description: `Searches exactly, too, which takes a scan of each side; for at most ${BRANCH_COMPARISON.exactQueriesMax} queries.`,
      }),
    ),
    top_k: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: BRANCH_COMPARISON.topKMax,
        default: BRANCH_COMPARISON.topKPreset,
      }),
    ),
  },
  {
    additionalProperties: false,
    title: 'CompareBranchRequest',
    examples: [{ queries: [{ id: 'movie-1' }], top_k: 5 }],
  },
);

const Overlap = Type.Number({
  minimum: 0,
  maximum: 1,
  description: 'The share of the results of the source that the branch has, too.',
  examples: [0.9],
});
const share = Type.Number({ minimum: 0, maximum: 1, examples: [0.99] });
const SideRecall = Type.Object(
  { source: share, branch: share },
  {
    description: 'With recall: the share of the exact results of each side that its search finds.',
    examples: [{ source: 0.99, branch: 1 }],
  },
);
const Place = Type.Integer({ minimum: 1, description: 'From 1; missing where it is not among the results.' });

export const ComparisonObject = Type.Object(
  {
    overlap: Overlap,
    recall: Type.Optional(SideRecall),
    queries: Type.Array(
      Type.Object({
        overlap: Overlap,
        recall: Type.Optional(SideRecall),
        moved: Type.Array(
          Type.Object({ id: RecordId, in_source: Type.Optional(Place), in_branch: Type.Optional(Place) }),
        ),
      }),
      { description: 'In the order of the request, each with the results that are at another place.' },
    ),
  },
  {
    title: 'BranchComparison',
    examples: [{ overlap: 0.9, queries: [{ overlap: 0.9, moved: [{ id: 'movie-7', in_source: 10 }] }] }],
  },
);

export const MergeBody = Type.Object(
  {
    on_conflict: Type.Optional(
      Type.String({
        enum: ON_CONFLICT,
        default: 'fail',
        description:
          'What happens to records that both sides have changed: the request fails, or the record of the branch or of ' +
          'the source stays.',
      }),
    ),
  },
  { additionalProperties: false, title: 'MergeBranchRequest', examples: [{ on_conflict: 'branch' }] },
);

export const MergeObject = Type.Object(
  {
    index_name: Type.String(),
    branch: BranchName,
    on_conflict: Type.String({ enum: ON_CONFLICT }),
    state: Type.String({ enum: ['Pending', 'Running', 'Undoing', 'Completed', 'Failed', 'Cancelled'] }),
    percent_complete: Type.Number({ minimum: 0, maximum: 100 }),
    records_written: Count('Records of the source written as they are in the branch.', 240),
    records_deleted: Count('Records deleted from the source.', 10),
    conflicts: Count('Records that both sides had changed.', 0),
    from_lsn: Count('The last write when it was requested. An undo to it undoes the merge.', 130),
    error: Type.Optional(Type.String({ description: 'Why it failed or is being retried.' })),
    created_at: Type.String({ format: 'date-time' }),
    finished_at: Type.Optional(Type.String({ format: 'date-time' })),
  },
  {
    title: 'BranchMerge',
    examples: [
      {
        ...{ index_name: 'films', branch: 'films-cleaned', on_conflict: 'fail', state: 'Running' },
        ...{ percent_complete: 40, records_written: 100, records_deleted: 4, conflicts: 0, from_lsn: 130 },
        created_at: '2026-07-01T09:40:00.000Z',
      },
    ],
  },
);

export function branchToWire(branch: NamespaceBranch) {
  return {
    ...{ name: namespaceToShown(branch.name), source: namespaceToShown(branch.source) },
    ...{ base_lsn: branch.baseLsn, created_at: branch.createdAt, state: branch.state },
    ...{ record_count: branch.records, own_record_count: branch.ownRecords, own_bytes: branch.ownBytes },
    ...{ changed_record_count: branch.changedRecords, deleted_record_count: branch.deletedRecords },
    changed_in_source_count: branch.changedInSource,
  };
}

export function countsToWire({ inBranch, inSource, conflicts }: DifferenceCounts) {
  return { in_branch: inBranch, in_source: inSource, conflicts };
}

export function comparisonToWire({ overlap, recall, queries }: BranchComparison) {
  return {
    overlap,
    ...(recall !== null && { recall }),
    queries: queries.map((query) => ({
      overlap: query.overlap,
      ...(query.recall !== null && { recall: query.recall }),
      moved: query.moved.map(({ id, inSource, inBranch }) => ({
        id,
        ...(inSource !== null && { in_source: inSource }),
        ...(inBranch !== null && { in_branch: inBranch }),
      })),
    })),
  };
}

export function mergeToWire(index: string, { error, finishedAt, ...merge }: Merge) {
  return {
    ...{ index_name: index, branch: namespaceToShown(merge.branch), on_conflict: merge.onConflict },
    ...{ state: merge.state, percent_complete: merge.percent },
    ...{ records_written: merge.written, records_deleted: merge.deleted, conflicts: merge.conflicts },
    ...{ from_lsn: merge.fromLsn, ...(error !== null && { error }), created_at: merge.createdAt },
    ...(finishedAt !== null && { finished_at: finishedAt }),
  };
}
