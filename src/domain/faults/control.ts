// Conditions of the control plane: indexes, collections, backups, restore jobs, schedules.
import { entry, type FaultEntry } from './entry.ts';

export const CONTROL_FAULTS = {
  'index-not-found': entry(
    404,
    'NOT_FOUND',
    'The project has no index of this name.',
    'Index {name} not found.',
  ),
  'name-taken': entry(
    409,
    'ALREADY_EXISTS',
    'An index or collection of this name exists.',
    'Resource already exists.',
  ),
  'region-not-found': entry(
    404,
    'NOT_FOUND',
    'This server does not offer the cloud and region, or the region has not the form of the cloud.',
    'Resource cloud: {cloud} region: {region} not found.',
  ),
  'deletion-protected': entry(
    403,
    'FORBIDDEN',
    'Deletion protection is enabled on the index.',
    'Deletion protection is enabled for this index. Disable deletion protection before retrying.',
  ),
  'capacity-change-running': entry(
    403,
    'FORBIDDEN',
    'A read capacity change is still running.',
    'Read capacity of index {name} is being changed. Retry when its status is Ready.',
  ),
  'full-text-in-cmek-project': entry(
    412,
    'FAILED_PRECONDITION',
    'The project has `force_encryption_with_cmek`, and the new index has text to search.',
    'Index creation failed. Indexes with full_text_search fields are not supported in CMEK-encrypted projects',
  ),
  'index-ports-exhausted': entry(
    403,
    'FORBIDDEN',
    'All ports for indexes are in use: those of the range, or as many as the limit of open files lets indexes have.',
    'All {count} index ports of this server are in use. Delete an index or {remedy}.',
  ),
  'node-not-found': entry(
    404,
    'NOT_FOUND',
    'No node has this id or address, or this server is not one of several with records of their own.',
    'Node {node} not found.',
  ),
  'move-refused': entry(
    412,
    'FAILED_PRECONDITION',
    'The index, or the assistant, cannot be moved to the node at present, or not that way.',
    'It cannot be moved: {reason}.',
  ),
  'node-in-use': entry(
    412,
    'FAILED_PRECONDITION',
    'A node cannot be forgotten while it runs, or while it has indexes or assistants.',
    'Node {node} runs, or has indexes or assistants. Stop it and move them first.',
  ),
  'collection-not-found': entry(
    404,
    'NOT_FOUND',
    'The project has no collection of this name.',
    'Collection {name} not found.',
  ),
  'source-collection-not-found': entry(
    400,
    'INVALID_ARGUMENT',
    'The source collection of a new index does not exist in the project.',
    'Resource {name} not found',
  ),
  'pending-collections': entry(
    412,
    'FAILED_PRECONDITION',
    'A collection of the index is still being created.',
    'Unable to delete an index. There are pending collections for this index: [{names}]',
  ),
  'backup-not-found': entry(
    404,
    'NOT_FOUND',
    'The project has no backup of this id.',
    'Backup {id} not found.',
  ),
  'backup-not-ready': entry(
    412,
    'FAILED_PRECONDITION',
    'An index cannot be created from the backup: it is incomplete, has failed or is being deleted.',
    'Backup {id} is not completed',
  ),
  'pending-restore-jobs': entry(
    412,
    'FAILED_PRECONDITION',
    'Indexes are being created from the backup.',
    'Unable to delete backup. There are pending restore jobs for this backup: [{ids}]',
  ),
  'restore-job-not-found': entry(
    404,
    'NOT_FOUND',
    'The project has no restore job of this id.',
    'Restore job {id} not found.',
  ),
  'recovery-not-found': entry(
    404,
    'NOT_FOUND',
    'The project has no recovery of this id.',
    'Recovery {id} not found.',
  ),
  'schedule-not-found': entry(
    404,
    'NOT_FOUND',
    'The project has no backup schedule of this id.',
    'Backup schedule not found.',
  ),
  'schedule-exists': entry(
    409,
    'ALREADY_EXISTS',
    'The index has an enabled backup schedule.',
    'This index already has an enabled backup schedule. Disable or delete it first.',
  ),
  'model-not-found': entry(
    404,
    'NOT_FOUND',
    'No embedding model of this name is installed.',
    'Model {name} not found: no embedding model of this name is installed on this server. Installed: {supported}.',
  ),
} as const satisfies Record<string, FaultEntry>;
