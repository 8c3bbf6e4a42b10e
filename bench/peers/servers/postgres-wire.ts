// PostgreSQL's protocol as far as a benchmark needs it: one prepared statement, asked with values in binary.
import type { AnswerLength } from './lane.ts';

const PROTOCOL = 196_608;
const READY = 'Z'.charCodeAt(0);
const FAILED = 'E'.charCodeAt(0);
const ROW = 'D'.charCodeAt(0);
/** Type byte and length of every message. */
const HEAD_BYTES = 5;
const BINARY = 1;

/** Complete when the last message says that the server is ready for more. */
export const postgresAnswerLength: AnswerLength = (bytes) => {
  let at = 0;
  let last = 0;
  while (at + HEAD_BYTES <= bytes.length) {
    last = bytes[at] ?? 0;
    at += 1 + bytes.readUInt32BE(at + 1);
  }
  return at === bytes.length && last === READY ? at : null;
};

export function startUp(user: string, database: string): Buffer {
  const text = Buffer.from(`user\0${user}\0database\0${database}\0\0`);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(head.length + text.length);
  head.writeUInt32BE(PROTOCOL, 4);
  return Buffer.concat([head, text]);
}

/** Statements without values. */
export function simpleQuery(sql: string): Buffer {
  return message('Q', Buffer.from(`${sql}\0`));
}

/** Names a statement for `askPrepared`. */
export function prepare(sql: string): Buffer {
  return Buffer.concat([message('P', Buffer.from(`\0${sql}\0\0\0`)), message('S', Buffer.alloc(0))]);
}

/** Runs the prepared statement with one vector; the columns of the answer come in binary. */
export function askPrepared(values: Float32Array): Buffer {
  const vector = Buffer.alloc(4 + 4 * values.length);
  vector.writeInt16BE(values.length);
  for (const [at, value] of values.entries()) vector.writeFloatBE(value, 4 + 4 * at);
  // No portal and statement name; one format for the one value; its length and bytes; one format for all columns.
  const bind = Buffer.concat([
    Buffer.from('\0\0'),
    int16(1),
    int16(BINARY),
    int16(1),
    int32(vector.length),
    vector,
  ]);
  return Buffer.concat([
    message('B', Buffer.concat([bind, int16(1), int16(BINARY)])),
    message('E', Buffer.from([0, 0, 0, 0, 0])),
    message('S', Buffer.alloc(0)),
  ]);
}

/** The first column of every row, an int4. @throws when the server reports an error */
export function intsOf(answer: Buffer): readonly number[] {
  const found: number[] = [];
  for (let at = 0; at < answer.length; at += 1 + answer.readUInt32BE(at + 1)) {
    if (answer[at] === FAILED)
      throw new Error(answer.toString('utf8', at + HEAD_BYTES).replaceAll('\0', ' '));
    if (answer[at] === ROW) found.push(answer.readInt32BE(at + HEAD_BYTES + 2 + 4));
  }
  return found;
}

function message(type: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(type), int32(4 + body.length), body]);
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
