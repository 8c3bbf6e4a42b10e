// POST /indexes/{index_name}/recoveries: starts recovering an index, as it was at a moment, to a new index.
import { invalid } from '../../../domain/faults.ts';
import { checkName } from '../../../domain/names.ts';
import { momentOf } from '../../../domain/recovery/moment.ts';
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
import { indexName } from '../indexes/index-reply.ts';
import { OURS, RecoveryAnswer, SourceParams } from './recovery-schemas.ts';

const Body = Type.Object(
  {
    name: Name,
    time: Type.String({
      format: 'date-time',
      description:
        'The moment, in RFC 3339 with its time zone. A time without a fraction means the whole second, to its end.',
      examples: ['2026-07-03T09:29:59Z'],
    }),
    tags: Type.Optional(TagsBody),
    deletion_protection: Type.Optional(DeletionProtectionBody),
  },
  {
    additionalProperties: false,
    title: 'RecoveryRequest',
    examples: [{ name: 'books-before', time: '2026-07-03T09:29:59Z' }],
  },
);

async function handle(call: ControlCall): Promise<Reply> {
  const { access, version } = call;
  const { recoveries } = call.services;
  const source = indexName(call);
  // The body is validated only for callers who may see the index.
  await recoveries.describe(access, source);
  const { name, time, tags, deletion_protection: protection } = deserialize(Body, call);
  checkName(name);
  if (tags !== undefined) checkTags(tags, tagAlphabet(version));
  const moment = momentOf(time);
  if (moment === null)
    throw invalid(`time must be a moment such as 2026-07-03T09:29:59Z, got ${JSON.stringify(time)}`);
  const job = await recoveries.start(access, source, {
    ...{ name, moment },
    ...(tags !== undefined && { tags: mergeTags({}, tags) }),
    ...(protection !== undefined && { deletionProtection: deletionProtectionNamed(protection) }),
  });
  return { status: 202, body: { recovery_id: job.id, index_id: job.input.indexId } };
}

export const startRecovery: ControlEndpoint = {
  id: 'start_recovery',
  method: 'POST',
  path: '/indexes/{index_name}/recoveries',
  tag: 'Recoveries',
  summary: 'Recover an index to a moment, as a new index',
  description:
    'The new index is Initializing at first, and Ready when the job is Completed; no request sees a part of it. Dimension, ' +
    'metric, schema and embedding are those of the moment, and so are tags unless given. The index that it is recovered ' +
    `from stays as it is. Goes on after a restart.${OURS}`,
  since: '2026-07',
  permission: 'control_plane::indexes::create',
  errors: 'standard',
  params: SourceParams,
  body: Body,
  success: { status: 202, description: 'The index and the job that fills it.', schema: RecoveryAnswer },
  faults: [
    'invalid-argument',
    'body-not-json',
    'body-not-deserializable',
    'index-not-found',
    'name-taken',
    'index-ports-exhausted',
  ],
  handle,
};
