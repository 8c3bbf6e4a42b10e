// The fields of messages, parsed from their definitions once and looked up by number or by name.
import { MESSAGES, type MessageName } from './messages.ts';

export type Scalar = 'string' | 'bool' | 'float' | 'uint32' | 'int32' | 'uint64';

/** Messages of google.protobuf with a form of their own in JSON. */
type WellKnown = 'Struct' | 'Timestamp';

export interface Field {
  readonly number: number;
  /** The name in the proto definition. */
  readonly name: string;
  /** The name in JSON. */
  readonly jsonName: string;
  readonly type: Scalar | WellKnown | MessageName;
  /** The keys of maps are strings; `type` is the type of their values. */
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
  return type !== 'Struct' && type !== 'Timestamp' && !(type in MESSAGES);
}

function readFields(name: MessageName): MessageFields {
  const list = MESSAGES[name].map(readLine);
  const byNumber: (Field | undefined)[] = [];
  for (const field of list) byNumber[field.number] = field;
  return { name, list, byNumber };
}

function readLine(line: string): Field {
  const { label, value, type, name = '', number } = LINE.exec(line)?.groups ?? {};
  if (number === undefined) throw new Error(`invalid field definition '${line}'`);
  return {
    number: Number(number),
    name,
    jsonName: name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    // The lines are those of the messages in this folder, whose types LINE admits.
    type: (value ?? type) as Field['type'],
    form: value === undefined ? formOf(label) : 'map',
  };
}

function formOf(label: string | undefined): Field['form'] {
  return label === 'optional' || label === 'repeated' ? label : 'single';
}
