// What a data endpoint is asked and answers in: JSON over HTTP, or another form with the same meaning.
import type { Fault } from '../../../domain/faults.ts';
import type { DataAnswer } from '../../data-request.ts';
import type { DataCall, DataReply, ErrorFamily } from '../../endpoint.ts';
import { faultBody, faultHeaders } from '../../fault-body.ts';
import { recordsText } from './record-text.ts';

/** A data call before it meets its store. */
export interface DataCallInput extends Omit<DataCall<unknown>, 'store'> {
  /** True when the caller wants to know what a search does. */
  readonly explain?: boolean;
}

/** A data call as it came. */
export interface SentCall extends DataCallInput {
  readonly body: Uint8Array;
}

export interface Wire {
  /** What the endpoint is called with. Faults are thrown. */
  readonly read: (sent: SentCall) => DataCallInput;
  /** Faults are thrown. */
  readonly answer: (reply: DataReply) => DataAnswer;
  readonly refusal: (family: ErrorFamily, fault: Fault) => DataAnswer;
}

/** Bodies stay as they are: endpoints parse them. */
export const JSON_WIRE: Wire = {
  read: (sent) => sent,
  answer: (reply) => {
    const body = textOf(reply);
    const type = body === '' ? {} : { 'content-type': 'application/json; charset=utf-8' };
    return { status: reply.status, headers: { ...type, ...reply.headers }, body };
  },
  refusal: (family, fault) => ({
    status: fault.status,
    headers: faultHeaders(fault),
    body: JSON.stringify(faultBody(family, fault)),
  }),
};

function textOf({ records, jsonText, body, explanation }: DataReply): string {
  const text = records === undefined ? jsonText : recordsText(records);
  if (text === undefined) return body === undefined ? '' : JSON.stringify(body);
  return explanation === undefined ? text : `${text.slice(0, -1)},"explain":${JSON.stringify(explanation)}}`;
}
