// JSON bodies of assistants: larger than the control plane's, to hold conversations, with a bound on their structures.

import type { FastifyRequest } from 'fastify';
import { boundStructures } from '../../api/json-structures.ts';
import { refuseHalfSurrogates } from '../../api/rest/records/parse-body.ts';
import { type BodyContext, readBytes, requireJson } from '../routes/base-routes.ts';
import { type JsonBody, parseJsonBody } from './json-body.ts';
import { mayHaveBody } from './may-have-body.ts';

/** Room for a chat: a history of 64k tokens, some of them many bytes long, and a filter. */
const ASSISTANT_REQUEST_BYTES_MAX = 2 * 1024 * 1024;
/** Mostly messages. */
const STRUCTURES_MAX = 20_000;
/** The type that fetch gives a body by default: older clients request streams with it. */
const PLAIN_TEXT = /^text\/plain\s*(;|$)/i;

/** @throws unsupported-media-type, body-not-json, and as readBytes */
export async function readAssistantBody(request: FastifyRequest, context: BodyContext): Promise<JsonBody> {
  if (!mayHaveBody(request)) return { value: undefined, text: '' };
  if (!PLAIN_TEXT.test(request.headers['content-type'] ?? '')) requireJson(request);
  const bytes = await readBytes(request, { ...context, bodyBytesMax: ASSISTANT_REQUEST_BYTES_MAX });
  boundStructures(bytes, STRUCTURES_MAX);
  const body = parseJsonBody(bytes);
  refuseHalfSurrogates(body.text, body.value);
  return body;
}
