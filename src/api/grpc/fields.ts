// The fields of messages, read from the lines of their definitions once and found by number or by name.
import { MESSAGES, type MessageName } from './messages.ts';

export type Scalar = 'string' | 'bool' | 'float' | 'uint32' | 'int32' | 'uint64';

export interface Field {
  readonly number: number;
  /** As in the definition. */
  readonly name: string;
  /** As the JSON interface spells it. */
  readonly jsonName: string;
  readonly type: Scalar | 'Struct' | MessageName;
  /** Maps have text keys; `type` is that of their values. */
  readonly form: 'single' | 'optional' | 'repeated' | 'map';
}

export interface MessageFields {
  readonly name: MessageName;
  readonly list: readonly Field[];
  readonly byNumber: readonly (Field | undefined)[];
}

const LINE =
  /^(?:(?<label>optional|repeated) )?(?:map<string, (?<value>\w+)>|(?<type>\w+)) (?<name>\w+) = (?<number>\d+)$/;

const known = new Map<MessageName, MessageFields>();

export function fieldsOf(name: MessageName): MessageFields {
  const found = known.get(name) ?? readFields(name);
  known.set(name, found);
  return found;
}

export function isScalar(type: Field['type']): type is Scalar {
  return type !== 'Struct' && !(type in MESSAGES);
}

function readFields(name: MessageName): MessageFields {
  const list = MESSAGES[name].map(readLine);
  const byNumber: (Field | undefined)[] = [];
  for (const field of list) byNumber[field.number] = field;
  return { name, list, byNumber };
}

function readLine(line: string): Field {
  const { label, value, type, name = '', number } = LINE.exec(line)?.groups ?? {};
  if (number === undefined) throw new Error(`no field is defined by '${line}'`);
  return {
    number: Number(number),
    name,
    jsonName: name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    type: (value ?? type) as Field['type'],
    form: value === undefined ? ((label as 'optional' | 'repeated' | undefined) ?? 'single') : 'map',
  };
}
