// Colors of the values of a field: apart for values, from blue to yellow for numbers.
import type { MapField } from './map-data.ts';

/** Each is at least 3 to 1 on both grounds; neighbors in the list differ most. */
const APART = [
  '#0f8f6f',
  '#5b6ee1',
  '#c2571a',
  '#a13d9e',
  '#7d8500',
  '#d0427a',
  '#1c86b8',
  '#8a6d3b',
  '#6f52c9',
  '#3f9142',
  '#d1483f',
  '#64748b',
];
const SCALE = ['#5a4fcf', '#2f7fc0', '#12967f', '#6a9a1f', '#c09000'];
export const OTHER = '#8b948f';

/** The color of a code; of points without a value or a field, the first. */
export function colorsOf(field: MapField | undefined): readonly string[] {
  if (field === undefined) return [APART[0] ?? OTHER];
  if (field.kind === 'numbers') return [OTHER, ...Array.from({ length: 255 }, (_, at) => onScale(at / 254))];
  return [OTHER, ...field.values.map((_, at) => APART[at % APART.length] ?? OTHER), OTHER];
}

/** @param share from 0 to 1 */
export function onScale(share: number): string {
  const at = Math.min(SCALE.length - 1.001, Math.max(0, share * (SCALE.length - 1)));
  const [low, high] = [SCALE[Math.floor(at)] ?? OTHER, SCALE[Math.floor(at) + 1] ?? OTHER];
  const part = at - Math.floor(at);
  const channels = [1, 3, 5].map((from) => {
    const [a, b] = [low, high].map((color) => Number.parseInt(color.slice(from, from + 2), 16));
    return Math.round((a ?? 0) + part * ((b ?? 0) - (a ?? 0)));
  });
  return `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}
