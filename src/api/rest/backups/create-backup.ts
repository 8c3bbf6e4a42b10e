// POST /indexes/{index_name}/backups: starts a backup of an index.
import { isAtLeast, type RequestedVersion } from '../../../domain/api-version.ts';
import { BACKUP_DESCRIPTION_CHARS_MAX, BACKUP_LABEL_CHARS_MAX } from '../../../domain/backups/limits.ts';
import { invalid } from '../../../domain/faults.ts';
import { checkName } from '../../../domain/names.ts';
import type { ControlCall, ControlEndpoint, Reply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { deserialize } from '../indexes/deserialize.ts';
import { indexName } from '../indexes/index-reply.ts';
import { IndexParams } from '../indexes/index-schemas.ts';
import { BackupObject } from './backup-schemas.ts';
import { backupToWire } from './backup-wire.ts';

const Body = Type.Object(
  {
    name: Type.Optional(
      Type.String({
        maxLength: BACKUP_LABEL_CHARS_MAX,
        description: 'Need not be unique. Since 2026-07 it follows the rule for names of indexes.',
      }),
    ),
    description: Type.Optional(Type.String({ maxLength: BACKUP_DESCRIPTION_CHARS_MAX })),
  },
  {
    title: 'CreateBackupRequest',
    examples: [{ name: 'before-cleanup', description: 'Before the cleanup of July' }],
  },
);

async function handle(call: ControlCall): Promise<Reply> {
  const { access, services, version } = call;
  const index = indexName(call);
  // The body is validated only for callers who may see the index.
  await services.indexes.describe(access, index);
  const { name = null, description = null } = call.body === undefined ? {} : deserialize(Body, call);
  if (name !== null) checkLabel(name, version);
  if (description !== null && description.length > BACKUP_DESCRIPTION_CHARS_MAX) {
    throw invalid(`description must be at most ${BACKUP_DESCRIPTION_CHARS_MAX} characters long.`);
  }
  const backup = await services.backups.create(access, index, { name, description });
  return { status: 200, body: backupToWire(backup, version) };
}

function checkLabel(name: string, version: RequestedVersion): void {
  if (isAtLeast(version, '2026-07')) checkName(name);
  else if (name.length > BACKUP_LABEL_CHARS_MAX) {
    throw invalid(`name must be at most ${BACKUP_LABEL_CHARS_MAX} characters long.`);
  }
}

export const createBackup: ControlEndpoint = {
  id: 'create_backup',
  method: 'POST',
  path: '/indexes/{index_name}/backups',
  tag: 'Backups',
  summary: 'Create a backup',
  description:
    'Stores a consistent state of the serverless index, which can be written meanwhile. The backup is Initializing at first, and Ready when it can be restored.',
  since: '2025-04',
  permission: 'control_plane::backups::create',
  errors: 'standard',
  params: IndexParams,
  bodyOptional: true,
  body: Body,
  success: { status: 200, description: 'The new backup.', schema: BackupObject },
  faults: [
    'invalid-argument',
    'body-not-json',
    'body-not-deserializable',
    'index-not-found',
    'index-not-ready',
  ],
  handle,
};
