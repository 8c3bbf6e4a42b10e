// POST /indexes: creates an index from either form of the body.
import { PREVIEW_VERSION } from '../../../domain/api-version.ts';
import { textFieldsOf } from '../../../domain/document-schema.ts';
import { fault } from '../../../domain/faults.ts';
import type { NewIndex } from '../../../domain/index-lifecycle.ts';
import { isJsonObject } from '../../../domain/json.ts';
import type { ControlCall, ControlEndpoint, Reply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { tagAlphabet } from './body-parts.ts';
import { chooseBody } from './choose-body.ts';
import { deserialize } from './deserialize.ts';
import { indexReply } from './index-reply.ts';
import { IndexObject } from './index-schemas.ts';
import { NewerCreateBody, newIndexFromNewer } from './newer-create-body.ts';
import { newIndexFromOlder, OlderCreateBody } from './older-create-body.ts';
import { withKindsAlone } from './other-kinds.ts';

const KEYS = { older: ['dimension', 'metric', 'vector_type', 'spec'], newer: ['schema', 'deployment'] };

async function handle(call: ControlCall): Promise<Reply> {
  const { indexes, collections } = call.services;
  await requireNamedCollection(call);
  const requested = requestedIndex(call);
  await refuseTextInCmekProject(requested, call);
  const collection = requested.deployment.kind === 'byoc' ? null : requested.deployment.sourceCollection;
  const index = await (collection === null
    ? indexes.create(call.access, requested)
    : collections.createIndex(call.access, collection, requested));
  return indexReply(201, index, call);
}

/**
 * Clients expect this refusal even for a body with other mistakes, so it precedes every other check.
 * @throws source-collection-not-found
 */
async function requireNamedCollection({ body, access, services }: ControlCall): Promise<void> {
  const name = collectionNamedIn(body);
  if (name !== undefined) await services.collections.requireSource(access, name);
}

function collectionNamedIn(body: unknown): string | undefined {
  const spec = memberOf(body, 'spec');
  const names = ['pod', 'serverless'].map((kind) => memberOf(memberOf(spec, kind), 'source_collection'));
  return names.find((name) => typeof name === 'string');
}

function memberOf(value: unknown, name: string): unknown {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function requestedIndex(call: ControlCall): NewIndex {
  const { bodyText, services } = call;
  const { regions } = services.indexes;
  const alphabet = tagAlphabet(call.version);
  const { form, body } = chooseBody(call.body, call.version, KEYS);
  if (form === 'older') {
    return newIndexFromOlder(deserialize(OlderCreateBody, { body, bodyText }), regions, alphabet);
  }
  const isPreview = call.version === PREVIEW_VERSION;
  const newer = deserialize(NewerCreateBody, { body: withKindsAlone(body), bodyText });
  return newIndexFromNewer(newer, { regions, alphabet, bodyText, models: services.inference, isPreview });
}

/** @throws full-text-in-cmek-project */
async function refuseTextInCmekProject(
  { documents }: NewIndex,
  { access, services }: ControlCall,
): Promise<void> {
  if (documents === null || textFieldsOf(documents).size === 0) return;
  const { organizationId, projectId: id } = access;
  const project = await services.catalog.administration.projects.find({ organizationId, id });
  if (project?.forceEncryptionWithCmek) throw fault('full-text-in-cmek-project');
}

export const createIndex: ControlEndpoint = {
  id: 'create_index',
  method: 'POST',
  path: '/indexes',
  tag: 'Indexes',
  summary: 'Create an index',
  description:
    'Every version accepts either form of the body; their keys cannot be mixed. The index is ready in the response or, if created from a collection, once its records are copied.',
  since: '2024-04',
  permission: 'control_plane::indexes::create',
  errors: 'standard',
  body: Type.Union([NewerCreateBody, OlderCreateBody]),
  success: { status: 201, description: 'The new index.', schema: IndexObject },
  faults: [
    'invalid-argument',
    'body-not-json',
    'body-not-deserializable',
    'region-not-found',
    'model-not-found',
    'source-collection-not-found',
    'name-taken',
    'index-ports-exhausted',
    'full-text-in-cmek-project',
  ],
  handle,
};
