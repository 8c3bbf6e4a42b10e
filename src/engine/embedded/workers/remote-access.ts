// Typed access to an index from the main thread: every call runs in an engine thread.

import type { ChangedPage, ChangedRecords } from '../../port/changed-records.ts';
import type { IndexBranches } from '../../port/index-branches.ts';
import type { IndexHistory } from '../../port/index-history.ts';
import type { NeighborLists, NeighborRequest } from '../../port/neighbor-lists.ts';
import type { VectorReader, VectorWriter } from '../../port/reader-and-writer.ts';
import type { ChangedCall } from './thread-methods.ts';
import type { BranchCall, HistoryCall, ReaderCall, SendRead, SendWrite, WriterCall } from './typed-calls.ts';

type Answer<Port, Name extends keyof Port> = Port[Name] extends (...args: never[]) => infer Result
  ? Awaited<Result>
  : never;

export function remoteReader(send: SendRead): VectorReader {
  // The thread runs the method of this name, so the response has its type.
  const ask = <Name extends keyof VectorReader>(call: ReaderCall & { readonly method: Name }) =>
    send(call) as Promise<Answer<VectorReader, Name>>;
  return {
    lsn: () => ask({ method: 'lsn', args: [] }),
    query: (request) => ask({ method: 'query', args: [request] }),
    explainQuery: (request) => ask({ method: 'explainQuery', args: [request] }),
    countedQuery: (request) => ask({ method: 'countedQuery', args: [request] }),
    fetch: (namespace, ids, filter) => ask({ method: 'fetch', args: [namespace, ids, filter] }),
    fetchByFilter: (request) => ask({ method: 'fetchByFilter', args: [request] }),
    count: (namespace, filter, among) => ask({ method: 'count', args: [namespace, filter, among] }),
    countValues: (request) => ask({ method: 'countValues', args: [request] }),
    listIds: (request) => ask({ method: 'listIds', args: [request] }),
    listNamespaces: (request) => ask({ method: 'listNamespaces', args: [request] }),
    recordCounts: () => ask({ method: 'recordCounts', args: [] }),
    describeNamespace: (name) => ask({ method: 'describeNamespace', args: [name] }),
    indexedFields: (name) => ask({ method: 'indexedFields', args: [name] }),
  };
}

export function remoteNeighbors(send: SendRead, request: NeighborRequest): Promise<NeighborLists> {
  // What the method returns, as above.
  return send({ method: 'neighbors', args: [request] }) as Promise<NeighborLists>;
}

export function remoteWriter(send: SendWrite): VectorWriter {
  // The thread runs the method of this name, so the response has its type.
  const ask = <Name extends keyof VectorWriter>(call: WriterCall & { readonly method: Name }) =>
    send(call) as Promise<Answer<VectorWriter, Name>>;
  return {
    upsert: (namespace, records) => ask({ method: 'upsert', args: [namespace, records] }),
    update: (namespace, change) => ask({ method: 'update', args: [namespace, change] }),
    updateMany: (namespace, changes) => ask({ method: 'updateMany', args: [namespace, changes] }),
    updateByFilter: (namespace, change) => ask({ method: 'updateByFilter', args: [namespace, change] }),
    deleteIds: (namespace, ids) => ask({ method: 'deleteIds', args: [namespace, ids] }),
    deleteByFilter: (namespace, filter) => ask({ method: 'deleteByFilter', args: [namespace, filter] }),
    deleteNamespace: (name) => ask({ method: 'deleteNamespace', args: [name] }),
    createNamespace: (name, schema) => ask({ method: 'createNamespace', args: [name, schema] }),
    removeExpired: (request) => ask({ method: 'removeExpired', args: [request] }),
  };
}

export function remoteHistory(send: (call: HistoryCall) => Promise<unknown>): IndexHistory {
  // The thread runs the method of this name, so the response has its type.
  const ask = <Name extends keyof IndexHistory>(call: HistoryCall & { readonly method: Name }) =>
    send(call) as Promise<Answer<IndexHistory, Name>>;
  return {
    describe: () => ask({ method: 'describe', args: [] }),
    list: (request) => ask({ method: 'list', args: [request] }),
    feed: (request) => ask({ method: 'feed', args: [request] }),
    lsnAt: (ms) => ask({ method: 'lsnAt', args: [ms] }),
    changedNamespaces: (after, upTo) => ask({ method: 'changedNamespaces', args: [after, upTo] }),
    whyLeft: (request) => ask({ method: 'whyLeft', args: [request] }),
    rollBack: (request) => ask({ method: 'rollBack', args: [request] }),
  };
}

export function remoteBranches(send: (call: BranchCall) => Promise<unknown>): IndexBranches {
  // The thread runs the method of this name, so the response has its type.
  const ask = <Name extends keyof IndexBranches>(call: BranchCall & { readonly method: Name }) =>
    send(call) as Promise<Answer<IndexBranches, Name>>;
  return {
    create: (branch) => ask({ method: 'create', args: [branch] }),
    list: () => ask({ method: 'list', args: [] }),
    differences: (request) => ask({ method: 'differences', args: [request] }),
    merge: (request) => ask({ method: 'merge', args: [request] }),
    makeWhole: (branch) => ask({ method: 'makeWhole', args: [branch] }),
  };
}

export function remoteChanged(ask: (call: ChangedCall) => Promise<ChangedPage>): ChangedRecords {
  return {
    track: async () => void (await ask({ kind: 'track' })),
    forget: async () => void (await ask({ kind: 'forget' })),
    list: (limit) => ask({ kind: 'list', limit }),
    settle: async (changed) => void (await ask({ kind: 'settle', changed })),
  };
}
