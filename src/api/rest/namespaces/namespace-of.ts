// The namespace of a request: the name the store knows and the name the answer repeats.
import { namespaceToStored } from '../../../domain/records/record-id.ts';

export interface NamespaceGiven {
  readonly stored: string;
  /** As the caller wrote it; `""` when absent. */
  readonly echo: string;
}

/** @throws invalid-argument */
export function readNamespace(value: unknown): NamespaceGiven {
  return { stored: namespaceToStored(value), echo: typeof value === 'string' ? value : '' };
}
