// GET /indexes/{index_name}/backup-schedules: lists the schedules of an index, in pages.
import type { ControlCall, ControlEndpoint, Reply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { indexName } from '../indexes/index-reply.ts';
import { IndexParams } from '../indexes/index-schemas.ts';
import { answerPage, PAGE_QUERY, pageOf } from './backup-pages.ts';
import { ScheduleObject } from './backup-schemas.ts';
import { scheduleToWire } from './backup-wire.ts';

async function handle(call: ControlCall): Promise<Reply> {
  const index = indexName(call);
  return answerPage(call, {
    boundTo: [listBackupSchedules.id, index],
    list: (page) => call.services.schedules.listOf(call.access, index, page),
    toWire: scheduleToWire,
  });
}

export const listBackupSchedules: ControlEndpoint = {
  id: 'list_backup_schedules',
  method: 'GET',
  path: '/indexes/{index_name}/backup-schedules',
  tag: 'Backup schedules',
  summary: 'List backup schedules of an index',
  description: 'Newest first.',
  since: '2026-07',
  permission: 'control_plane::backups::list',
  errors: 'standard',
  params: IndexParams,
  query: Type.Object(PAGE_QUERY),
  success: { status: 200, description: 'A page of schedules.', schema: pageOf(ScheduleObject) },
  faults: ['invalid-argument', 'index-not-found'],
  handle,
};
