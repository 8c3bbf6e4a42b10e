// The gRPC side of the data endpoints: request messages become what they are called with, what they answer becomes messages.

import { fetchUnits } from '../../app/records/read-units.ts';
import type { Match, StoredRecord } from '../../app/records/record-access.ts';
import { type JsonObject, membersOf } from '../../domain/json.ts';
import { RESPONSE_BYTES_MAX } from '../../domain/limits.ts';
import { boundedScore } from '../../domain/records/float32-text.ts';
import { parseMetadata } from '../../domain/records/metadata.ts';
import type { DataReply } from '../endpoint.ts';
import { refuseTooBig } from '../rest/records/parse-body.ts';
import { fitRecords, type RecordForm } from '../rest/records/records-answer.ts';
import { statsBody } from '../rest/records/stats-answer.ts';
import type { Wire } from '../rest/records/wire.ts';
import { fieldsOf } from './fields.ts';
import { unframe } from './frame.ts';
import { statusHeaders } from './grpc-status.ts';
import { MessageWriter } from './message-writer.ts';
import { framed, readRequest } from './rpc-messages.ts';
import { RPCS, type Rpc } from './rpcs.ts';
import { writeMessage } from './write-message.ts';

/** Of an entry of a map beside its key and its value: tags and lengths. */
const ENTRY_BYTES_MAX = 16;

/** @param name of a method of the service */
export function grpcWire(name: string): Wire {
  const rpc = RPCS.find((each) => each.name === name);
  if (rpc === undefined) throw new Error(`no service has a method ${name}`);
  return {
    read: (details) => {
      const message = unframe(details.body);
      refuseTooBig(message.byteLength);
      return { ...details, ...readRequest(rpc, message) };
    },
    answer: ({ status, headers = {}, ...reply }) => ({ status, headers, body: answerFrame(rpc, reply) }),
    refusal: (_, fault) => ({
      status: fault.status,
      refusal: fault.condition,
      headers: statusHeaders(fault),
      body: '',
    }),
  };
}

function answerFrame({ response }: Rpc, reply: Omit<DataReply, 'status'>): Uint8Array {
  const { records, stats } = reply;
  const body = stats === undefined ? reply.body : statsBody(stats);
  if (records === undefined) return framed(response, membersOf(body));
  const { namespace } = records;
  if ('matches' in records) {
    const { matches, readUnits } = records;
    const message = { matches: matches.map(scoredVector), namespace, usage: { readUnits } };
    return framed(response, message, RESPONSE_BYTES_MAX);
  }
  const { pieces, next } = fitRecords(records, ENTRY);
  return framed(response, {
    vectors: Object.fromEntries(pieces),
    namespace,
    usage: { readUnits: fetchUnits(pieces.length) },
    pagination: next === null ? null : { next },
  });
}

/** Written ahead of the rest, so that its size is known. */
const ENTRY: RecordForm<readonly [id: string, vector: Uint8Array]> = {
  write: (record) => {
    const writer = new MessageWriter();
    writeMessage(writer, fieldsOf('Vector'), { id: record.id, ...partsOf(record) });
    return [record.id, writer.finish()];
  },
  sizeOf: ([id, vector]) => ENTRY_BYTES_MAX + id.length + vector.byteLength,
};

function scoredVector(match: Match): JsonObject {
  return { id: match.id, score: boundedScore(match.score), ...partsOf(match) };
}

function partsOf({ values, sparse, metadataJson }: Partial<StoredRecord>): JsonObject {
  const metadata = metadataJson ? parseMetadata(metadataJson) : null;
  return { values: values ?? null, sparseValues: sparse ?? null, metadata };
}
