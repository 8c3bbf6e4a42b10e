// PATCH /indexes/{index_name}: changes the mutable attributes of an index.
import type { IndexChange } from '../../../domain/index-lifecycle.ts';
import type { ControlCall, ControlEndpoint, Reply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { tagAlphabet } from './body-parts.ts';
import { chooseBody } from './choose-body.ts';
import {
  changeFromNewer,
  changeFromOlder,
  NewerConfigureBody,
  OlderConfigureBody,
} from './configure-bodies.ts';
import { deserialize } from './deserialize.ts';
import { embedChange, semanticTextChange } from './embed-bodies.ts';
import { indexName, indexReply } from './index-reply.ts';
import { IndexObject, IndexParams } from './index-schemas.ts';

const KEYS = { older: ['spec', 'embed'], newer: ['deployment', 'schema', 'read_capacity'] };

async function handle(call: ControlCall): Promise<Reply> {
  const { indexes } = call.services;
  const name = indexName(call);
  // The body is validated only for callers who may see the index.
  await indexes.describe(call.access, name);
  return indexReply(200, await indexes.configure(call.access, name, requestedChange(call)), call);
}

function requestedChange(call: ControlCall): IndexChange {
  const alphabet = tagAlphabet(call.version);
  const { inference } = call.services;
  const { form, body: chosen } = chooseBody(call.body, call.version, KEYS);
  const given = { body: chosen, bodyText: call.bodyText };
  if (form === 'older') {
    const body = deserialize(OlderConfigureBody, given);
    const embed = body.embed === undefined ? {} : embedChange(inference, body.embed);
    return { ...changeFromOlder(body, alphabet), ...embed };
  }
  const body = deserialize(NewerConfigureBody, given);
  const embed = body.schema === undefined ? {} : semanticTextChange(inference, body.schema.fields);
  return { ...changeFromNewer(body, alphabet), ...embed };
}

export const configureIndex: ControlEndpoint = {
  id: 'configure_index',
  method: 'PATCH',
  path: '/indexes/{index_name}',
  tag: 'Indexes',
  summary: 'Configure an index',
  description:
    'Fields absent from the body keep their values; tags are merged. `embed` turns a plain index into an integrated one, once, or changes the text field and the parameters of an integrated one. Changes of read capacity and pods continue in the background, as the status of the index shows.',
  since: '2024-04',
  permission: 'control_plane::indexes::configure',
  errors: 'standard',
  params: IndexParams,
  body: Type.Union([NewerConfigureBody, OlderConfigureBody]),
  success: { status: 200, description: 'The changed index.', schema: IndexObject },
  faults: [
    'invalid-argument',
    'body-not-json',
    'body-not-deserializable',
    'index-not-found',
    'index-not-ready',
    'model-not-found',
    'capacity-change-running',
    'model-change-under-way',
  ],
  handle,
};
