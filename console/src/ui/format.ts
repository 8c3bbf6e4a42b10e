// Numbers, sizes and times as people read them.

const NUMBER = new Intl.NumberFormat('en-US');
const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];
const UNIT = 1_024;
const SMALL = 10;
const NONE = '–';
// biome-ignore lint/suspicious/noControlCharactersInRegex: no keyboard types them.
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]/g;

export function count(value: number | null | undefined): string {
  return value === null || value === undefined ? NONE : NUMBER.format(value);
}

export function bytes(value: number | null | undefined): string {
  if (value === null || value === undefined) return NONE;
  let rest = value;
  let unit = 0;
  while (rest >= UNIT && unit < UNITS.length - 1) {
    rest /= UNIT;
    unit++;
  }
  return `${unit === 0 || rest >= SMALL ? Math.round(rest) : rest.toFixed(1)} ${UNITS[unit]}`;
}

export function milliseconds(value: number | null | undefined): string {
  if (value === null || value === undefined) return NONE;
  return `${value >= SMALL ? Math.round(value) : Number(value.toFixed(2))} ms`;
}

export function score(value: number): string {
  return value.toFixed(4);
}

export function time(iso: string | null | undefined): string {
  if (iso === null || iso === undefined) return NONE;
  return new Date(iso).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
}

export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** A text as a keyboard can type it: a JSON string where it has line breaks or other control characters. */
export function typeableText(text: string): string {
  if (text.search(CONTROLS) < 0) return text;
  return JSON.stringify(text).replaceAll(
    CONTROLS,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
