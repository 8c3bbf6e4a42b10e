// POST /backups/{backup_id}/create-index: starts restoring a backup to a new index.
import { checkName } from '../../../domain/names.ts';
import { initialCapacity } from '../../../domain/read-capacity.ts';
import { checkTags, mergeTags } from '../../../domain/tags.ts';
import type { ControlCall, ControlEndpoint, Reply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import {
  DeletionProtectionBody,
  deletionProtectionNamed,
  Name,
  TagsBody,
  tagAlphabet,
} from '../indexes/body-parts.ts';
import { deserialize } from '../indexes/deserialize.ts';
import { ReadCapacityBody, requestedCapacity } from '../indexes/read-capacity-body.ts';
import { BackupParams, RestoreAnswer } from './backup-schemas.ts';
import { backupId } from './describe-backup.ts';

const Body = Type.Object(
  {
    name: Name,
    tags: Type.Optional(TagsBody),
    deletion_protection: Type.Optional(DeletionProtectionBody),
    read_capacity: Type.Optional(ReadCapacityBody),
  },
  { title: 'CreateIndexFromBackupRequest', examples: [{ name: 'books-restored' }] },
);

async function handle(call: ControlCall): Promise<Reply> {
  const { access, services, version } = call;
  const id = backupId(call);
  // The body is validated only for callers who may see the backup.
  await services.backups.describe(access, id);
  const { name, tags, deletion_protection: protection, read_capacity: capacity } = deserialize(Body, call);
  checkName(name);
  if (tags !== undefined) checkTags(tags, tagAlphabet(version));
  const job = await services.backups.restore(access, id, {
    name,
    ...(tags === undefined ? {} : { tags: mergeTags({}, tags) }),
    ...(protection === undefined ? {} : { deletionProtection: deletionProtectionNamed(protection) }),
    ...(capacity === undefined ? {} : { readCapacity: initialCapacity(requestedCapacity(capacity)) }),
  });
  return { status: 202, body: { restore_job_id: job.id, index_id: job.input.indexId } };
}

export const createIndexFromBackup: ControlEndpoint = {
  id: 'create_index_from_backup_operation',
  method: 'POST',
  path: '/backups/{backup_id}/create-index',
  tag: 'Backups',
  summary: 'Create an index from a backup',
  description:
    'The index is Initializing at first, and Ready when the restore job is Completed. Dimension, metric, schema and embedding come from the backup, and so do tags unless given.',
  since: '2025-04',
  permission: 'control_plane::indexes::create',
  errors: 'standard',
  params: BackupParams,
  body: Body,
  success: { status: 202, description: 'The index and the job that fills it.', schema: RestoreAnswer },
  faults: [
    'invalid-argument',
    'body-not-json',
    'body-not-deserializable',
    'backup-not-found',
    'backup-not-ready',
    'name-taken',
    'index-ports-exhausted',
  ],
  handle,
};
