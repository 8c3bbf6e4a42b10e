// Shows the values of cells as their number formats do: dates, times and percentages (ECMA-376, "numFmts").

export type CellFormat = 'general' | 'date' | 'time' | 'duration' | 'date-time' | 'percent';

const BUILT_IN: readonly (readonly [from: number, to: number, format: CellFormat])[] = [
  [9, 10, 'percent'],
  [14, 17, 'date'],
  [18, 21, 'time'],
  [22, 22, 'date-time'],
  [27, 31, 'date'],
  [32, 33, 'time'],
  [34, 36, 'date'],
  [45, 45, 'time'],
  [46, 46, 'duration'],
  [47, 47, 'time'],
  [50, 58, 'date'],
];
/** What a format code shows as it stands: quoted text, escaped, padding and filling signs. */
const LITERALS = /"[^"]*"|[\\_*]./g;
const DURATION = /\[(?:h+|m+|s+)\]/i;
const BRACKETS = /\[[^\]]*\]/g;
/** No program writes longer codes, and time grows with the square of the brackets in one. */
const CODE_CHARACTERS_MAX = 1_000;
const DAY_SECONDS = 86_400;
const DAY_MS = 1_000 * DAY_SECONDS;
/** Day 60 of the system that begins in 1900 is 29 February 1900, which never was. */
const FALSE_DAY = 60;
/** 31 December 9999. */
const SERIAL_MAX = 2_958_466;
/** Doubles have more digits than spreadsheets show: 0.1 + 0.2 is shown as 0.3. */
const DIGITS_SHOWN = 15;

/** @param code the format code of a custom format, by its id */
export function cellFormat(id: number, code: string | undefined): CellFormat {
  if (code === undefined) return BUILT_IN.find(([from, to]) => id >= from && id <= to)?.[2] ?? 'general';
  const plain = code.slice(0, CODE_CHARACTERS_MAX).split(';', 1)[0]?.replace(LITERALS, '') ?? '';
  if (DURATION.test(plain)) return 'duration';
  const signs = plain.replace(BRACKETS, '');
  if (/general/i.test(signs)) return 'general';
  const hasTime = /[hs]/i.test(signs);
  const hasDate = /[yd]/i.test(signs) || (/m/i.test(signs) && !hasTime);
  if (hasDate) return hasTime ? 'date-time' : 'date';
  if (hasTime) return 'time';
  return signs.includes('%') ? 'percent' : 'general';
}

/**
 * Shows a number: `2024-03-31`, `2024-03-31 14:30`, `14:30`, `12.5%` or `0.3`.
 * @param epoch1904 whether days are counted from 1904 on instead of 1900
 */
export function shownNumber(raw: string, format: CellFormat, epoch1904: boolean): string {
  const value = Number(raw);
  if (raw.trim() === '' || !Number.isFinite(value)) return raw;
  if (format === 'percent') return `${rounded(value * 100)}%`;
  if (format === 'general' || value < 0 || value >= SERIAL_MAX) return rounded(value);
  if (format === 'date') return dateText(Math.floor(value), epoch1904);
  const seconds = Math.round(value * DAY_SECONDS);
  if (format === 'duration') return timeText(seconds);
  const time = timeText(seconds % DAY_SECONDS);
  // A moment right before midnight is shown as the next day.
  return format === 'time' ? time : `${dateText(Math.floor(seconds / DAY_SECONDS), epoch1904)} ${time}`;
}

function rounded(value: number): string {
  return String(Number(value.toPrecision(DIGITS_SHOWN)));
}

function dateText(day: number, epoch1904: boolean): string {
  const first = epoch1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, day < FALSE_DAY ? 31 : 30);
  return new Date(first + day * DAY_MS).toISOString().slice(0, 10);
}

/** Hours may be more than 24: a duration. */
function timeText(seconds: number): string {
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  if (seconds % 60 !== 0) parts.push(seconds % 60);
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}
