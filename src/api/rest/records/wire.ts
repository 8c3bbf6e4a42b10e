// The forms in which data endpoints receive requests and answer them: JSON over HTTP, or another with the same meaning.
import type { SharedAliases } from '../../../domain/aliases/alias-names.ts';
import type { Fault } from '../../../domain/faults.ts';
import type { DataAnswer } from '../../data-request.ts';
import type { DataCall, DataReply, ErrorFamily } from '../../endpoint.ts';
import { faultBody, faultHeaders } from '../../fault-body.ts';
import { recordsText } from './record-text.ts';
import { statsText } from './stats-answer.ts';

/** A data call without its store. */
export interface DataCallInput extends Omit<DataCall<unknown>, 'store' | 'namespaces'> {
  /** Absent when the index has no aliases. */
  readonly aliases?: SharedAliases;
  /** True when the caller requests an explanation of the search. */
  readonly explain?: boolean;
  /** The header that requests a recall, as received. */
  readonly recall?: string;
  /** The header with the moment at which to read, as received. */
  readonly asOf?: string;
}

/** A data call as received. */
export interface SentCall extends DataCallInput {
  readonly body: Uint8Array;
}

export interface Wire {
  /** Converts a call to the endpoint's input. Throws faults. */
  readonly read: (sent: SentCall) => DataCallInput;
  /** Renders a reply. Throws faults. */
  readonly answer: (reply: DataReply) => DataAnswer;
  /** Renders a fault. */
  readonly refusal: (family: ErrorFamily, fault: Fault) => DataAnswer;
}

/** JSON over HTTP. Request bodies stay bytes, which endpoints parse. */
export const JSON_WIRE: Wire = {
  read: (sent) => sent,
  answer: (reply) => {
    const body = textOf(reply);
    const type = body === '' ? {} : { 'content-type': 'application/json; charset=utf-8' };
    return { status: reply.status, headers: { ...type, ...reply.headers }, body };
  },
  refusal: (family, fault) => ({
    status: fault.status,
    refusal: fault.condition,
    headers: faultHeaders(fault),
    body: JSON.stringify(faultBody(family, fault)),
  }),
};

function textOf({ records, stats, written, jsonText, body, explanation }: DataReply): DataAnswer['body'] {
  if (stats !== undefined) return statsText(stats);
  if (written !== undefined) return written.finish();
  const explain = explanation === undefined ? '' : `,"explain":${JSON.stringify(explanation)}`;
  if (records !== undefined) return recordsText(records, explain);
  if (jsonText === undefined) return body === undefined ? '' : JSON.stringify(body);
  return explain === '' ? jsonText : `${jsonText.slice(0, -1)}${explain}}`;
}
