// Endpoints below /indexes/{index_name}/branches: namespaces that begin as what others are, compared and merged.

import {
  BRANCH_COMPARISON,
  BRANCH_PAGE,
  type BranchQuery,
  type ComparisonRequest,
  type OnConflict,
} from '../../../domain/branches/services.ts';
import { invalid } from '../../../domain/faults.ts';
import { millisecondsOf } from '../../../domain/filter/moment.ts';
import { checkRecordId } from '../../../domain/records/record-id.ts';
import type { ControlCall, ControlEndpoint, EndpointDetails } from '../../endpoint.ts';
import { readNamespace } from '../../request-namespaces.ts';
import { Type } from '../../schema/type.ts';
import { checkInteger, queryBoolean, queryInteger, queryString } from '../records/request-fields.ts';
import { NamespaceName } from '../records/schemas.ts';
import {
  BranchObject,
  branchToWire,
  CompareBody,
  ComparisonObject,
  CreateBranchBody,
  comparisonToWire,
  countsToWire,
  DifferencesObject,
  MergeBody,
  MergeObject,
  mergeToWire,
} from './branch-schemas.ts';
import { deserialize } from './deserialize.ts';
import { indexName } from './index-reply.ts';
import { IndexParams } from './index-schemas.ts';

const OURS = ' An extension of this server, not part of the public API.';

const common = {
  tag: 'Branches',
  since: '2026-07',
  errors: 'standard',
} as const satisfies Partial<EndpointDetails>;
const READ = 'data_plane::vectors::read';
const WRITE = 'data_plane::vectors::write';
const FAULTS = ['index-not-found', 'index-not-ready', 'invalid-argument'] as const;
const BODY_FAULTS = ['body-not-json', 'body-not-deserializable'] as const;

const branches = { ...common, path: '/indexes/{index_name}/branches', params: IndexParams } as const;
const oneBranch = {
  ...common,
  path: '/indexes/{index_name}/branches/{branch_name}',
  params: Type.Object({
    index_name: Type.String({ description: 'Name of the index.', examples: ['films'] }),
    branch_name: Type.String({
      ...NamespaceName,
      description: 'Name of the branch.',
      examples: ['films-cleaned'],
    }),
  }),
} as const;

/** The `branch_name` of the path. @throws invalid-argument */
function branchName({ params }: ControlCall): string {
  return readNamespace(params.branch_name).stored;
}

export const listBranches: ControlEndpoint = {
  ...branches,
  id: 'list_branches',
  method: 'GET',
  summary: 'List the branches of an index',
  description: OURS.trim(),
  permission: READ,
  success: {
    status: 200,
    description: 'All branches by their names.',
    schema: Type.Object({ branches: Type.Array(BranchObject) }, { title: 'NamespaceBranchList' }),
  },
  faults: [...FAULTS],
  handle: async (call) => {
    const all = await call.services.branches.list(call.access, indexName(call));
    return { status: 200, body: { branches: all.map(branchToWire) } };
  },
};

export const createBranch: ControlEndpoint = {
  ...branches,
  id: 'create_branch',
  method: 'POST',
  summary: 'Create a branch of a namespace',
  description:
    'Creates a namespace with the records of another, in the same time at any size. What neither side changes is stored ' +
    `once. All calls work on it.${OURS}`,
  permission: WRITE,
  body: CreateBranchBody,
  success: { status: 201, description: 'The branch.', schema: BranchObject },
  faults: [
    ...FAULTS,
    ...BODY_FAULTS,
    'namespace-not-found',
    'namespace-exists',
    'name-in-use-by-alias',
    'reembedding-under-way',
    'embedded-since',
    'storage-full',
  ],
  handle: async (call) => {
    const { name, source, as_of_lsn: lsn, as_of_time: time } = deserialize(CreateBranchBody, call);
    const request = {
      name: readNamespace(name).stored,
      source: readNamespace(source).stored,
      asOf: momentOf(lsn, time),
    };
    const branch = await call.services.branches.create(call.access, indexName(call), request);
    return { status: 201, body: branchToWire(branch) };
  },
};

export const describeBranch: ControlEndpoint = {
  ...oneBranch,
  id: 'describe_branch',
  method: 'GET',
  summary: 'Describe a branch',
  description: OURS.trim(),
  permission: READ,
  success: { status: 200, description: 'The branch.', schema: BranchObject },
  faults: [...FAULTS, 'branch-not-found'],
  handle: async (call) => {
    const branch = await call.services.branches.describe(call.access, indexName(call), branchName(call));
    return { status: 200, body: branchToWire(branch) };
  },
};

export const deleteBranch: ControlEndpoint = {
  ...oneBranch,
  id: 'delete_branch',
  method: 'DELETE',
  summary: 'Drop a branch',
  description: `Deletes the namespace, as its deletion does, and leaves the source as it is.${OURS}`,
  permission: WRITE,
  success: { status: 202, description: 'The branch is gone.' },
  faults: [...FAULTS, 'branch-not-found', 'storage-full'],
  handle: async (call) => {
    await call.services.branches.drop(call.access, indexName(call), branchName(call));
    return { status: 202 };
  },
};

export const listDifferences: ControlEndpoint = {
  ...oneBranch,
  path: '/indexes/{index_name}/branches/{branch_name}/differences',
  id: 'list_branch_differences',
  method: 'GET',
  summary: 'List the records that differ',
  description:
    'Records that are not the same in a branch and in its source, by their ids, and which side has changed them. A page ' +
    `may have fewer than the limit before the last.${OURS}`,
  permission: READ,
  query: Type.Object({
    after: Type.Optional(Type.String({ description: '`next` of the page before.' })),
    limit: Type.Optional(
      Type.Integer({ minimum: BRANCH_PAGE.min, maximum: BRANCH_PAGE.max, default: BRANCH_PAGE.preset }),
    ),
    counts: Type.Optional(Type.Boolean({ default: false, description: 'Whether to count all differences.' })),
  }),
  success: { status: 200, description: 'A page of differences.', schema: DifferencesObject },
  faults: [...FAULTS, 'branch-not-found'],
  handle: async (call) => {
    const { query, services, access } = call;
    const [index, branch] = [indexName(call), branchName(call)];
    const limit = queryInteger(query, 'limit', BRANCH_PAGE) ?? BRANCH_PAGE.preset;
    const given = queryString(query, 'after');
    const after = given === undefined ? null : checkRecordId(given);
    const { differences, next } = await services.branches.differences(access, index, {
      branch,
      after,
      limit,
    });
    const counts = queryBoolean(query, 'counts')
      ? { counts: countsToWire(await services.branches.countDifferences(access, index, branch)) }
      : {};
    const shown = differences.map(({ id, inBranch, inSource }) => ({
      id,
      ...(inBranch !== null && { in_branch: inBranch }),
      ...(inSource !== null && { in_source: inSource }),
    }));
    return { status: 200, body: { differences: shown, ...counts, ...(next !== null && { next }) } };
  },
};

export const compareBranch: ControlEndpoint = {
  ...oneBranch,
  path: '/indexes/{index_name}/branches/{branch_name}/compare',
  id: 'compare_branch',
  method: 'POST',
  summary: 'Compare the results of searches',
  description:
    `Runs the same queries in a branch and in its source, and tells how their results differ. With recall, ` +
    `each is also run exactly on both sides, to tell how much of the exact results its search finds.${OURS}`,
  permission: READ,
  body: CompareBody,
  success: { status: 200, description: 'The comparison.', schema: ComparisonObject },
  faults: [
    ...FAULTS,
    ...BODY_FAULTS,
    'branch-not-found',
    'dimension-mismatch',
    'zero-vector',
    'embedding-changed',
    'model-unavailable',
  ],
  handle: async (call) => {
    const request = { branch: branchName(call), ...readComparison(call) };
    const { branches } = call.services;
    const comparison = await branches.compare(call.access, indexName(call), request);
    return { status: 200, body: comparisonToWire(comparison) };
  },
};

/** @throws body-not-json, body-not-deserializable, invalid-argument */
function readComparison(call: ControlCall): ComparisonRequest {
  const { queriesMax, exactQueriesMax, topKMax, topKPreset } = BRANCH_COMPARISON;
  const { queries, top_k: topK = topKPreset, recall: hasRecall = false } = deserialize(CompareBody, call);
  checkInteger(topK, 'top_k', { min: 1, max: topKMax });
  if (queries.length < 1 || queries.length > queriesMax)
    throw invalid(`queries must hold 1 to ${queriesMax} queries, got ${queries.length}`);
  if (hasRecall && queries.length > exactQueriesMax)
    throw invalid(`with recall, at most ${exactQueriesMax} queries, got ${queries.length}`);
  return { queries: queries.map(readQuery), topK, hasRecall };
}

const mergePath = { ...oneBranch, path: '/indexes/{index_name}/branches/{branch_name}/merge' } as const;

export const mergeBranch: ControlEndpoint = {
  ...mergePath,
  id: 'merge_branch',
  method: 'POST',
  summary: 'Merge a branch into its source',
  description:
    'Writes to the source what the branch has changed, in the background; goes on after a restart. The branch stays. ' +
    `What others write to the source meanwhile is a change of both sides.${OURS}`,
  permission: WRITE,
  body: MergeBody,
  success: { status: 202, description: 'The merge, or the one in progress.', schema: MergeObject },
  faults: [...FAULTS, ...BODY_FAULTS, 'branch-not-found', 'branch-conflicts', 'reembedding-under-way'],
  handle: async (call) => {
    const { on_conflict: given = 'fail' } = deserialize(MergeBody, call);
    const index = indexName(call);
    const request = { branch: branchName(call), onConflict: conflictOf(given) };
    return {
      status: 202,
      body: mergeToWire(index, await call.services.branches.merge(call.access, index, request)),
    };
  },
};

export const describeMerge: ControlEndpoint = {
  ...mergePath,
  id: 'describe_branch_merge',
  method: 'GET',
  summary: 'Describe the latest merge of a branch',
  description: OURS.trim(),
  permission: READ,
  success: { status: 200, description: 'The merge and its progress.', schema: MergeObject },
  faults: ['index-not-found', 'invalid-argument', 'merge-not-found'],
  handle: async (call) => {
    const index = indexName(call);
    const merge = await call.services.branches.latestMerge(call.access, index, branchName(call));
    return { status: 200, body: mergeToWire(index, merge) };
  },
};

/** @throws invalid-argument */
function momentOf(lsn: number | undefined, time: string | undefined) {
  if (lsn !== undefined && time !== undefined) throw invalid('give one of as_of_lsn and as_of_time at most');
  if (lsn !== undefined) return { lsn };
  if (time === undefined) return null;
  const ms = millisecondsOf(time);
  if (ms === null) throw invalid(`as_of_time must be a moment such as 2026-07-01T09:30:00Z, got '${time}'`);
  return { ms };
}

/** @throws invalid-argument */
function readQuery(query: BranchQuery): BranchQuery {
  const { id, vector, text } = query;
  const given = [id, vector, text].filter((each) => each !== undefined);
  if (given.length !== 1) throw invalid('a query has one of id, vector and text');
  if (id !== undefined) checkRecordId(id);
  if (text !== undefined) checkText(text);
  return query;
}

/** @throws invalid-argument */
function checkText(text: string): void {
  const { textCharsMax } = BRANCH_COMPARISON;
  if (text.trim() === '') throw invalid('the text of a query must not be empty');
  if (text.length > textCharsMax)
    throw invalid(`the text of a query must be at most ${textCharsMax} characters long, got ${text.length}`);
}

/** @throws invalid-argument */
function conflictOf(given: string): OnConflict {
  if (given === 'fail' || given === 'branch' || given === 'source') return given;
  throw invalid(`on_conflict must be fail, branch or source, got '${given}'`);
}
