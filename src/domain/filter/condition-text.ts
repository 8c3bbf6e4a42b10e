// How filters are quoted in error messages: as JSON, cut to a length a person can read.

/** Most characters of a field name or condition that a message repeats. */
export const QUOTED_CHARS_MAX = 256;

/** JSON text of a condition, cut. Costs no more for a huge or deeply nested condition than for a small one. */
export function conditionText(condition: unknown): string {
  return cut(print(condition, QUOTED_CHARS_MAX + 1));
}

/** A field name as messages show it. */
export function fieldText(field: string): string {
  return cut(field);
}

function cut(text: string): string {
  return text.length <= QUOTED_CHARS_MAX ? text : `${text.slice(0, QUOTED_CHARS_MAX)}...`;
}

/** Prints until about `room` characters are there; what follows would be cut anyway. */
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
