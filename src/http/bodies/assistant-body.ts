// JSON bodies of assistants: larger than the control plane's, for conversations, and bounded in what they are made of.
import type { FastifyRequest } from 'fastify';
import { boundStructures } from '../../api/json-structures.ts';
import { refuseHalfSurrogates } from '../../api/rest/records/parse-body.ts';
import { mayHaveBody } from '../app.ts';
import { type BodyContext, readBytes, requireJson } from '../routes/base-routes.ts';
import { type JsonBody, parseJsonBody } from './json-body.ts';

/** Of a chat: a history of 64k tokens, of which some have many bytes, and a filter. */
const ASSISTANT_REQUEST_BYTES_MAX = 2 * 1024 * 1024;
/** Messages, mostly. */
const STRUCTURES_MAX = 20_000;
/** What fetch calls a body that it was told no type of: older clients ask for streams so. */
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
