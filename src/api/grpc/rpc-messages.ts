// The messages of a method: its request becomes what an endpoint is called with, what that answers becomes its response.
import type { JsonObject } from '../../domain/json.ts';
import type { QueryValues } from '../../domain/query-values.ts';
import { fieldsOf } from './fields.ts';
import { FRAME_HEAD_BYTES, frameInPlace } from './frame.ts';
import { MessageWriter } from './message-writer.ts';
import type { MessageName } from './messages.ts';
import { readMessage } from './read-message.ts';
import type { Rpc } from './rpcs.ts';
import { writeMessage } from './write-message.ts';

export interface RpcInput {
  readonly params: Readonly<Record<string, string>>;
  readonly query: QueryValues;
  readonly body: JsonObject;
}

/** The request's fields where the endpoint looks for them. @throws invalid-argument for a malformed message */
export function readRequest(rpc: Rpc, bytes: Uint8Array): RpcInput {
  const message = namesOf(rpc, readMessage(rpc.request, bytes));
  const { place, param } = rpc;
  const { fields, params } = param === undefined ? { fields: message, params: {} } : split(message, param);
  return place === 'body'
    ? { params, query: {}, body: fields }
    : { params, query: queryOf(fields), body: {} };
}

/** The endpoints of aliases name all fields as the definitions do, those of the vector service as JSON does. */
function namesOf({ service, request }: Rpc, message: JsonObject): JsonObject {
  if (service === 'VectorService') return message;
  return Object.fromEntries(fieldsOf(request).list.map(({ name, jsonName }) => [name, message[jsonName]]));
}

function split(message: JsonObject, param: string) {
  const { [param]: part, ...fields } = message;
  return { fields, params: { [param]: String(part ?? '') } };
}

function queryOf(message: JsonObject): QueryValues {
  const given = Object.entries(message).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    given.map(([name, value]) => [name, Array.isArray(value) ? value.map(String) : String(value)]),
  );
}

/** @throws response-too-big when the message passes `bytesMax` */
export function framed(
  name: MessageName,
  message: JsonObject,
  bytesMax = Number.POSITIVE_INFINITY,
): Uint8Array<ArrayBuffer> {
  const writer = new MessageWriter({ headBytes: FRAME_HEAD_BYTES, bytesMax });
  writeMessage(writer, fieldsOf(name), message);
  const answer = writer.finish();
  frameInPlace(answer);
  return answer;
}
