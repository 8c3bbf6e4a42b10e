// Calls of the engine's port as messages: the name of a method and its arguments, as plain data.
import type { IndexBranches } from '../../port/index-branches.ts';
import type { IndexHistory } from '../../port/index-history.ts';
import { type NeighborRequest, neighborLists } from '../../port/neighbor-lists.ts';
import type { VectorReader, VectorWriter } from '../../port/reader-and-writer.ts';

type Methods = object;
type CallsOf<Port extends Methods> = {
  [Name in keyof Port]: Port[Name] extends (...args: infer Args) => unknown
    ? { readonly method: Name; readonly args: Args }
    : never;
}[keyof Port];

export type HistoryCall = CallsOf<IndexHistory>;
export type BranchCall = CallsOf<IndexBranches>;

/** Neighbors in bulk are a call of IndexCopies, which reads as searches do. */
export type ReaderCall =
  | CallsOf<VectorReader>
  | { readonly method: 'neighbors'; readonly args: readonly [NeighborRequest] };
export type WriterCall = CallsOf<VectorWriter>;

/** Sends a call and resolves to the result of the method. */
export type SendRead = (call: ReaderCall) => Promise<unknown>;
export type SendWrite = (call: WriterCall) => Promise<unknown>;

/** Runs a read call in its thread. */
export async function answerRead(reader: VectorReader, call: ReaderCall): Promise<unknown> {
  if (call.method === 'neighbors') return neighborLists(reader, ...call.args);
  return Reflect.apply(reader[call.method], reader, call.args);
}

/** Runs a call about the history of an index in its thread. */
export async function answerHistory(history: IndexHistory, call: HistoryCall): Promise<unknown> {
  return Reflect.apply(history[call.method], history, call.args);
}

/** Runs a call about the branches of an index in its thread. */
export async function answerBranches(branches: IndexBranches, call: BranchCall): Promise<unknown> {
  return Reflect.apply(branches[call.method], branches, call.args);
}

/** Runs a write call in its thread. */
export async function answerWrite(writer: VectorWriter, call: WriterCall): Promise<unknown> {
  return Reflect.apply(writer[call.method], writer, call.args);
}
