// The main thread's part of a text search: embeds the query before the engine searches, and reranks the hits
// afterwards.
import { Buffer } from 'node:buffer';
import { packEngineBody } from '../../../domain/embedding/engine-body.ts';
import type { DataAnswer } from '../../data-request.ts';
import type { PreprocessorCall } from '../../endpoint.ts';
import { boundStructures } from '../../json-structures.ts';
import { parseObject, refuseTooBig } from './parse-body.ts';
import { optionalObject } from './request-fields.ts';
import { readFields, readQuery, readText, targetKind } from './search-request.ts';
import { readRerank, rerankReply } from './search-rerank.ts';
import { textLists } from './text-lists.ts';

/** A body that needs a model contains one of these: the two fields, or an escape that could spell them. */
const ASKING = ['inputs', 'rerank', '\\u'];
/** Mostly objects and lists of a filter. */
const STRUCTURES_MAX = 100_000;

export async function preprocessSearch(call: PreprocessorCall): Promise<DataAnswer> {
  const pieces = await Array.fromAsync(call.body);
  const body = pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);
  // Searches by vector or id are parsed in the engine thread, like all other requests.
  if (!asksModels(body)) return call.run(packEngineBody(pieces, []));
  refuseTooBig(body.byteLength);
  boundStructures(body, STRUCTURES_MAX);
  const request = parseObject(body, 'The request body');
  const query = readQuery(request);
  const text = targetKind(query) === 'inputs' ? readText(query) : null;
  const requested = optionalObject(request, 'rerank');
  const search = { inference: call.inference, text, shown: readFields(request), shownKey: 'fields' };
  const rerank = requested === undefined ? null : readRerank(requested, search);
  const lists = text === null ? [] : await textLists(call, query, text);
  if (text !== null) call.noteQuery?.(text);
  const reply = await call.run(packEngineBody(pieces, lists));
  return rerank === null || reply.status !== 200 ? reply : rerankReply(reply, rerank, call);
}

function asksModels(body: Uint8Array): boolean {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return ASKING.some((name) => bytes.includes(name));
}
