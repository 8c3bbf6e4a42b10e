// The namespace of a request: its name in the store, and its name as the caller wrote it.
import { namespaceToStored } from '../../../domain/records/record-id.ts';

export interface NamespaceGiven {
  readonly stored: string;
  /** As the caller wrote it; `""` when absent. */
  readonly echo: string;
}

/** Reads the name of a namespace. @throws invalid-argument */
export function readNamespace(value: unknown): NamespaceGiven {
  return { stored: namespaceToStored(value), echo: typeof value === 'string' ? value : '' };
}
