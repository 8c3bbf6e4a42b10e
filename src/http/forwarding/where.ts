// Where a request is answered, if nodes have records of their own: one table for all endpoints.
import type { EndpointDetails } from '../../api/endpoint.ts';

/**
 * `index`, `assistant`: at the node that has it. `new`: at the node chosen for what the request makes. `body`: at the node
 * of the assistant that the body names. `any`: at the node that the client called, from the catalog and the blobs alone.
 */
export type Where = 'index' | 'assistant' | 'new' | 'body' | 'any';

/** Endpoints whose path does not tell. */
export const EXCEPTIONS: Readonly<Record<string, Where>> = {
  create_index: 'new',
  create_index_for_model: 'new',
  create_index_from_backup_operation: 'new',
  create_assistant: 'new',
  create_chat_completion: 'body',
  // From the catalog, so that they answer although the node does not. Jobs wait for the node that has their index.
  describe_index: 'any',
  create_backup: 'any',
  list_index_backups: 'any',
  create_backup_schedule: 'any',
  list_backup_schedules: 'any',
  get_assistant: 'any',
  update_assistant: 'any',
  delete_assistant: 'any',
  list_files: 'any',
  describe_file: 'any',
  describe_operation: 'any',
  list_operations: 'any',
};

/** @param isAtIndex for endpoints at addresses of indexes */
export function whereOf({ id, path }: Pick<EndpointDetails, 'id' | 'path'>, isAtIndex: boolean): Where {
  if (isAtIndex) return 'index';
  const exception = EXCEPTIONS[id];
  if (exception !== undefined) return exception;
  if (path.includes('{index_name}')) return 'index';
  return path.includes('{assistant_name}') ? 'assistant' : 'any';
}
