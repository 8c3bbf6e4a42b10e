// Encodes errors between threads: structured cloning loses the class, so a Fault is sent as its condition and
// message.
import { FAULTS, Fault, type FaultName } from '../faults.ts';

export type PlainError =
  | { readonly condition: FaultName; readonly message: string }
  | { readonly text: string };

export function toPlain(error: unknown): PlainError {
  if (error instanceof Fault) return { condition: error.condition, message: error.message };
  return { text: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

export function fromPlain(plain: PlainError): Error {
  if ('text' in plain) return new Error(plain.text);
  if (!(plain.condition in FAULTS)) throw new Error(`unknown condition ${plain.condition}`);
  return new Fault(plain.condition, plain.message);
}

/** Both directions, for channels between threads. */
export const FAULT_CODEC = { encode: toPlain, decode: fromPlain };
