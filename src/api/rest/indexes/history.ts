// Endpoints below /indexes/{index_name}: the history of an index, and the way back to a moment in it.

import { invalid } from '../../../domain/faults.ts';
import { millisecondsOf } from '../../../domain/filter/moment.ts';
import {
  HISTORY_PAGE,
  type PastChange,
  type Undo,
  type UndoRequest,
} from '../../../domain/history/services.ts';
import { namespaceToShown } from '../../../domain/records/record-id.ts';
import type { ControlEndpoint, EndpointDetails } from '../../endpoint.ts';
import { readNamespace } from '../../request-namespaces.ts';
import { Type } from '../../schema/type.ts';
import { queryInteger, queryString } from '../records/request-fields.ts';
import { deserialize } from './deserialize.ts';
import { indexName } from './index-reply.ts';
import { IndexParams } from './index-schemas.ts';

const OURS = ' An extension of this server, not part of the public API.';
const STATES = ['Pending', 'Running', 'Undoing', 'Completed', 'Failed', 'Cancelled'];
const Lsn = (description: string, example: number) =>
  Type.Integer({ minimum: 0, description, examples: [example] });

const common = {
  tag: 'History',
  since: '2026-07',
  errors: 'standard',
  params: IndexParams,
} as const satisfies Partial<EndpointDetails>;

const HistoryObject = Type.Object(
  {
    enabled: Type.Boolean({
      description: 'False where the server keeps no history; the fields of its extent are missing.',
    }),
    from_time: Type.Optional(
      Type.String({ format: 'date-time', description: 'The earliest moment that an undo can return to.' }),
    ),
    from_lsn: Type.Optional(Lsn('The last write before the first change that is kept.', 0)),
    to_lsn: Type.Optional(Lsn('The last write of the index.', 118)),
    bytes: Type.Optional(Type.Integer({ description: 'Bytes on disk.', examples: [48_210] })),
    changes: Type.Optional(Type.Integer({ description: 'Changed records.', examples: [1_200] })),
    undo_state: Type.Optional(
      Type.String({ enum: STATES, description: 'Of the latest undo; missing without one.' }),
    ),
  },
  {
    title: 'IndexHistory',
    examples: [
      {
        enabled: true,
        from_time: '2026-07-01T08:00:00.000Z',
        from_lsn: 0,
        to_lsn: 118,
        bytes: 48_210,
        changes: 1_200,
      },
    ],
  },
);

export const describeHistory: ControlEndpoint = {
  ...common,
  path: '/indexes/{index_name}/history',
  id: 'describe_history',
  method: 'GET',
  summary: 'Describe the history of an index',
  description: `Tells how far back changes of records are kept.${OURS}`,
  permission: 'data_plane::vectors::read',
  success: { status: 200, description: 'The history.', schema: HistoryObject },
  faults: ['index-not-found', 'index-not-ready'],
  handle: async (call) => {
    const { window, undoState } = await call.services.histories.describe(call.access, indexName(call));
    const undo = undoState === null ? {} : { undo_state: undoState };
    if (window === null) return { status: 200, body: { enabled: false, ...undo } };
    const { from, fromLsn, toLsn, bytes, changes } = window;
    const lsns = { from_lsn: fromLsn, to_lsn: toLsn };
    return { status: 200, body: { enabled: true, from_time: from, ...lsns, bytes, changes, ...undo } };
  },
};

export const KIND = Type.String({
  enum: ['upsert', 'update', 'delete', 'create-namespace', 'delete-namespace'],
});
export const CAUSE = Type.String({
  enum: ['request', 'expiry', 'undo', 'publish', 'branch', 'merge'],
  description:
    '`publish`: a job made a namespace visible that it had filled. `branch`: the namespace began with the records of ' +
    'another. `merge`: a branch was merged.',
});

const ChangeObject = Type.Object(
  {
    lsn: Lsn('Of its first write.', 117),
    undo_to_lsn: Lsn('Where an undo returns to that is to undo this change and all later ones.', 116),
    time: Type.String({ format: 'date-time' }),
    namespace: Type.String(),
    kind: KIND,
    cause: CAUSE,
    record_count: Type.Integer({ minimum: 0, description: 'Records changed.' }),
  },
  {
    title: 'PastChange',
    examples: [
      {
        lsn: 117,
        undo_to_lsn: 116,
        time: '2026-07-01T09:30:00.000Z',
        namespace: 'films',
        kind: 'delete',
        cause: 'request',
        record_count: 250,
      },
    ],
  },
);

export const listChanges: ControlEndpoint = {
  ...common,
  path: '/indexes/{index_name}/history/changes',
  id: 'list_changes',
  method: 'GET',
  summary: 'List what changed in an index',
  description: `What each request or job changed in each namespace, the latest first.${OURS}`,
  permission: 'data_plane::vectors::read',
  query: Type.Object({
    namespace: Type.Optional(
      Type.String({ description: 'Only this namespace, or the target of this alias. Default all.' }),
    ),
    before: Type.Optional(
      Type.Integer({ minimum: 0, description: '`next` of the page before; only earlier changes.' }),
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: HISTORY_PAGE.min, maximum: HISTORY_PAGE.max, default: HISTORY_PAGE.preset }),
    ),
  }),
  success: {
    status: 200,
    description: 'A page of changes.',
    schema: Type.Object(
      {
        changes: Type.Array(ChangeObject),
        next: Type.Optional(
          Type.Integer({ description: 'Where the next page begins; missing on the last.' }),
        ),
      },
      { title: 'PastChangeList' },
    ),
  },
  faults: ['index-not-found', 'index-not-ready', 'invalid-argument'],
  handle: async (call) => {
    const { query } = call;
    const namespace = queryString(query, 'namespace');
    const { changes, next } = await call.services.histories.changes(call.access, indexName(call), {
      namespace: namespace === undefined ? null : readNamespace(namespace).stored,
      before: lsnOf(queryString(query, 'before')),
      limit: queryInteger(query, 'limit', HISTORY_PAGE) ?? HISTORY_PAGE.preset,
    });
    return { status: 200, body: { changes: changes.map(changeToWire), ...(next !== null && { next }) } };
  },
};

const UndoBody = Type.Object(
  {
    namespace: Type.Optional(
      Type.String({
        description: 'Only this namespace. Default all that changed since.',
        examples: ['films'],
      }),
    ),
    to_lsn: Type.Optional(Lsn('The state to return to is the one after this write.', 116)),
    to_time: Type.Optional(
      Type.String({ format: 'date-time', description: 'Or the state at this moment. Give one of the two.' }),
    ),
  },
  { additionalProperties: false, title: 'UndoRequest', examples: [{ namespace: 'films', to_lsn: 116 }] },
);

const UndoObject = Type.Object(
  {
    index_name: Type.String(),
    state: Type.String({ enum: STATES }),
    percent_complete: Type.Number({ minimum: 0, maximum: 100 }),
    namespace: Type.Optional(Type.String({ description: 'Missing where it is about all.' })),
    to_lsn: Lsn('The state that it returns to.', 116),
    from_lsn: Lsn('The last write when it was requested. An undo to it undoes this one.', 118),
    records_restored: Type.Integer({ description: 'Records written as they were, in finished namespaces.' }),
    records_removed: Type.Integer({ description: 'Records removed that were not there then.' }),
    left_namespaces: Type.Optional(
      Type.Array(Type.Object({ namespace: Type.String(), reason: Type.String() }), {
        description:
          'Namespaces that are left as they are, the first 100: their names are aliases, aliases lead to them, or they ' +
          'are, or were, branches that would not come back. Missing where there are none.',
      }),
    ),
    error: Type.Optional(Type.String({ description: 'Why it failed or is being retried.' })),
    created_at: Type.String({ format: 'date-time' }),
    finished_at: Type.Optional(Type.String({ format: 'date-time' })),
  },
  {
    title: 'Undo',
    examples: [
      {
        index_name: 'films',
        state: 'Running',
        percent_complete: 40,
        namespace: 'films',
        to_lsn: 116,
        from_lsn: 118,
        records_restored: 0,
        records_removed: 0,
        created_at: '2026-07-01T09:30:00.000Z',
      },
    ],
  },
);

const undoPath = { ...common, path: '/indexes/{index_name}/undo' } as const;

export const startUndo: ControlEndpoint = {
  ...undoPath,
  id: 'start_undo',
  method: 'POST',
  summary: 'Take an index back to a moment',
  description:
    'Writes the records of one namespace, or of all, as they were, in the background; goes on after a restart. What is ' +
    'written after the request stays. The undo is part of the history, so it can be undone.' +
    OURS,
  permission: 'data_plane::vectors::write',
  body: UndoBody,
  success: {
    status: 202,
    description: 'The undo, or the one in progress to the same state.',
    schema: UndoObject,
  },
  faults: [
    'index-not-found',
    'index-not-ready',
    'body-not-json',
    'body-not-deserializable',
    'write-to-alias',
    'invalid-argument',
    'reembedding-under-way',
  ],
  handle: async (call) => {
    const name = indexName(call);
    const { namespace, to_lsn: lsn, to_time: time } = deserialize(UndoBody, call);
    const request = {
      namespace: namespace === undefined ? null : readNamespace(namespace).stored,
      to: momentOf(lsn, time),
    };
    return {
      status: 202,
      body: undoToWire(name, await call.services.histories.undo(call.access, name, request)),
    };
  },
};

export const describeUndo: ControlEndpoint = {
  ...undoPath,
  id: 'describe_undo',
  method: 'GET',
  summary: 'Describe the latest undo of an index',
  description: OURS.trim(),
  permission: 'data_plane::vectors::read',
  success: { status: 200, description: 'The undo and its progress.', schema: UndoObject },
  faults: ['index-not-found', 'undo-not-found'],
  handle: async (call) => {
    const name = indexName(call);
    return {
      status: 200,
      body: undoToWire(name, await call.services.histories.latestUndo(call.access, name)),
    };
  },
};

/** @throws invalid-argument */
function lsnOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (!/^\d{1,15}$/.test(text)) throw invalid(`before must be an LSN, got '${text}'`);
  return Number(text);
}

/** @throws invalid-argument */
function momentOf(lsn: number | undefined, time: string | undefined): UndoRequest['to'] {
  if ((lsn === undefined) === (time === undefined)) throw invalid('give one of to_lsn and to_time');
  if (lsn !== undefined) return { lsn };
  const ms = millisecondsOf(time ?? '');
  if (ms === null) throw invalid(`to_time must be a moment such as 2026-07-01T09:30:00Z, got '${time}'`);
  return { ms };
}

function changeToWire({ lsn, at, namespace, kind, cause, records }: PastChange) {
  return {
    ...{ lsn, undo_to_lsn: lsn - 1, time: at, namespace: namespaceToShown(namespace), kind, cause },
    record_count: records,
  };
}

function undoToWire(name: string, { namespace, error, finishedAt, left, ...undo }: Undo) {
  return {
    ...{ index_name: name, state: undo.state, percent_complete: undo.percent },
    ...(namespace !== null && { namespace: namespaceToShown(namespace) }),
    ...{ to_lsn: undo.toLsn, from_lsn: undo.fromLsn },
    ...{ records_restored: undo.restored, records_removed: undo.removed },
    ...(left.length > 0 && {
      left_namespaces: left.map((each) => ({ ...each, namespace: namespaceToShown(each.namespace) })),
    }),
    ...(error !== null && { error }),
    created_at: undo.createdAt,
    ...(finishedAt !== null && { finished_at: finishedAt }),
  };
}
