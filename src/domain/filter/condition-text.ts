// Quotes filters in error messages: as JSON, cut to a readable length.
import { CONDITION_CHARS_MAX } from '../quoted.ts';

/** Returns the JSON text of a condition, cut. Huge or deeply nested conditions cost no more than small ones. */
export function conditionText(condition: unknown): string {
  return cut(print(condition, CONDITION_CHARS_MAX + 1));
}

/** Returns a field name as messages show it. */
export function fieldText(field: string): string {
  return cut(field);
}

function cut(text: string): string {
  return text.length <= CONDITION_CHARS_MAX ? text : `${text.slice(0, CONDITION_CHARS_MAX)}...`;
}

/** Prints about `room` characters; the rest would be cut anyway. */
function print(value: unknown, room: number): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, room));
  if (typeof value !== 'object' || value === null) return String(value);
  const isList = Array.isArray(value);
  const members: readonly (readonly [string, unknown])[] = isList
    ? value.slice(0, room).map((member: unknown) => ['', member])
    : Object.entries(value).slice(0, room);
  let text = isList ? '[' : '{';
  for (const [key, member] of members) {
    if (text.length >= room) break;
    if (text.length > 1) text += ',';
    if (!isList) text += `${print(key, room)}:`;
    text += print(member, room - text.length);
  }
  return text + (isList ? ']' : '}');
}
