// Calls of the engine's port on their way to a thread: a method's name and its arguments, all of it plain data.
import type { VectorReader, VectorWriter } from '../../port/reader-and-writer.ts';

type Methods = object;
type CallsOf<Port extends Methods> = {
  [Name in keyof Port]: Port[Name] extends (...args: infer Args) => unknown
    ? { readonly method: Name; readonly args: Args }
    : never;
}[keyof Port];

export type ReaderCall = CallsOf<VectorReader>;
export type WriterCall = CallsOf<VectorWriter>;

/** Sends a call and resolves with what the method resolves with. */
export type SendRead = (call: ReaderCall) => Promise<unknown>;
export type SendWrite = (call: WriterCall) => Promise<unknown>;

/** Carries out a call that arrived in a thread. */
export async function answerRead(reader: VectorReader, call: ReaderCall): Promise<unknown> {
  return Reflect.apply(reader[call.method], reader, call.args);
}

/** Carries out a call that arrived in a thread. */
export async function answerWrite(writer: VectorWriter, call: WriterCall): Promise<unknown> {
  return Reflect.apply(writer[call.method], writer, call.args);
}
