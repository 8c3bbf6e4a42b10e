// HTTP/1.1 as far as a benchmark needs it: requests as finished bytes, the length of answers.
import type { AnswerLength } from './lane.ts';

const HEAD_END = '\r\n\r\n';
const LAST_CHUNK = '\r\n0\r\n\r\n';

export interface HttpTarget {
  readonly port: number;
  readonly headers: Readonly<Record<string, string>>;
}

export function httpRequest(target: HttpTarget, path: string, body: unknown, method = 'POST'): Buffer {
  return httpRequestOf(target, path, Buffer.from(JSON.stringify(body)), method);
}

/** A request whose body is JSON text already. */
export function httpRequestOf(target: HttpTarget, path: string, bytes: Buffer, method = 'POST'): Buffer {
  const headers = {
    host: `localhost:${target.port}`,
    'content-type': 'application/json',
    'content-length': String(bytes.length),
    ...target.headers,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`), bytes]);
}

export const httpAnswerLength: AnswerLength = (bytes) => {
  const end = bytes.indexOf(HEAD_END);
  if (end < 0) return null;
  const head = bytes.toString('latin1', 0, end).toLowerCase();
  const bodyStart = end + HEAD_END.length;
  if (head.includes('transfer-encoding: chunked')) {
    const whole = bytes.toString('latin1', bytes.length - LAST_CHUNK.length) === LAST_CHUNK;
    return whole ? bytes.length : null;
  }
  const length = bodyStart + Number(/content-length: (\d+)/.exec(head)?.[1] ?? 0);
  return bytes.length >= length ? length : null;
};

/** The JSON of a good answer. @throws when the status is not 2xx */
export function httpJson(answer: Buffer): unknown {
  const end = answer.indexOf(HEAD_END);
  const head = answer.toString('latin1', 0, end);
  const body = answer.toString('utf8', end + HEAD_END.length);
  if (!/^HTTP\/1.1 2\d\d/.test(head)) throw new Error(`${head.split('\r\n')[0]}: ${body.slice(0, 500)}`);
  const plain = /transfer-encoding: chunked/i.test(head) ? withoutChunks(body) : body;
  return plain === '' ? null : JSON.parse(plain);
}

function withoutChunks(body: string): string {
  let plain = '';
  for (let at = 0; at < body.length; ) {
    const lineEnd = body.indexOf('\r\n', at);
    const size = Number.parseInt(body.slice(at, lineEnd), 16);
    if (!(size > 0)) break;
    plain += body.slice(lineEnd + 2, lineEnd + 2 + size);
    at = lineEnd + 2 + size + 2;
  }
  return plain;
}
