// What the colors of a map mean.
import { count } from '../../ui/format.ts';
import { colorsOf, OTHER, onScale } from './colors.ts';
import type { MapField } from './map-data.ts';

const STEPS = 5;

export function Legend({ field }: { readonly field: MapField | undefined }) {
  if (field === undefined) return null;
  if (field.kind === 'numbers') {
    return (
      <ul class="map-legend" aria-label={`Colors of ${field.name}`}>
        {Array.from({ length: STEPS }, (_, at) => at / (STEPS - 1)).map((share) => (
          <Entry key={share} color={onScale(share)}>
            {count(Math.round((field.min + share * (field.max - field.min)) * 100) / 100)}
          </Entry>
        ))}
      </ul>
    );
  }
  const colors = colorsOf(field);
  return (
    <ul class="map-legend" aria-label={`Colors of ${field.name}`}>
      {field.values.map(({ value, count: points }, at) => (
        <Entry key={String(value)} color={colors[at + 1] ?? OTHER}>
          <bdi>{String(value)}</bdi> <span class="quiet">{count(points)}</span>
        </Entry>
      ))}
      {field.others > 0 && (
        <Entry color={OTHER}>
          other values <span class="quiet">{count(field.others)}</span>
        </Entry>
      )}
    </ul>
  );
}

function Entry({ color, children }: { readonly color: string; readonly children: preact.ComponentChildren }) {
  return (
    <li>
      <svg class="map-key" viewBox="0 0 1 1" aria-hidden="true">
        <rect width="1" height="1" fill={color} />
      </svg>
      {children}
    </li>
  );
}
