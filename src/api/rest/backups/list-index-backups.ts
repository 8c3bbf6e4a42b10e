// GET /indexes/{index_name}/backups: lists the backups of an index, in pages.
import { invalid } from '../../../domain/faults.ts';
import type { ControlCall, ControlEndpoint, QueryValues, Reply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { indexName } from '../indexes/index-reply.ts';
import { IndexParams } from '../indexes/index-schemas.ts';
import { queryString } from '../records/request-fields.ts';
import { answerPage, PAGE_QUERY, pageOf } from './backup-pages.ts';
import { BackupObject } from './backup-schemas.ts';
import { backupToWire } from './backup-wire.ts';

async function handle(call: ControlCall): Promise<Reply> {
  const { access, query, services, version } = call;
  const source = { indexName: indexName(call), includeDeleted: includesDeleted(query) };
  return answerPage(call, {
    boundTo: [listIndexBackups.id, source.indexName, String(source.includeDeleted)],
    list: (page) => services.backups.listOf(access, source, page),
    toWire: (backup) => backupToWire(backup, version),
  });
}

function includesDeleted(query: QueryValues): boolean {
  const text = queryString(query, 'includeDeleted') ?? 'false';
  if (text !== 'true' && text !== 'false') throw invalid('include_deleted must be true or false.');
  return text === 'true';
}

export const listIndexBackups: ControlEndpoint = {
  id: 'list_index_backups',
  method: 'GET',
  path: '/indexes/{index_name}/backups',
  tag: 'Backups',
  summary: 'List backups of an index',
  description: 'Newest first.',
  since: '2025-04',
  permission: 'control_plane::backups::list',
  errors: 'standard',
  params: IndexParams,
  query: Type.Object({
    ...PAGE_QUERY,
    include_deleted: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Includes backups of deleted indexes of this name; the index need not exist.',
      }),
    ),
  }),
  success: { status: 200, description: 'A page of backups.', schema: pageOf(BackupObject) },
  faults: ['invalid-argument', 'index-not-found'],
  handle,
};
