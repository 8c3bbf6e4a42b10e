// What the outputs of a model of natural language inference mean, by its manifest or its own configuration.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { membersOf } from '../../../domain/json.ts';

const CONFIG_FILE = 'config.json';

export type NliLabel = 'entailment' | 'neutral' | 'contradiction';

/** Models that were trained on two labels say what is not entailed in one of these ways. */
const FORMS: readonly (readonly [form: RegExp, label: NliLabel])[] = [
  [/^entail/i, 'entailment'],
  [/^neutral/i, 'neutral'],
  [/^(?:contradict|not[ _-]?entail)/i, 'contradiction'],
];

/** One label for each output; null unless each is known and there once, entailment and contradiction among them. */
export function nliLabels(names: unknown): readonly NliLabel[] | null {
  if (!Array.isArray(names)) return null;
  const labels = names.flatMap((name: unknown) => labelOf(String(name)) ?? []);
  const isWhole = labels.length === names.length && new Set(labels).size === labels.length;
  return isWhole && labels.includes('entailment') && labels.includes('contradiction') ? labels : null;
}

/** Names of the outputs beside the weights, in order; empty when there are none. */
export function outputNames(folder: string): readonly string[] {
  const names = membersOf(config(folder).id2label);
  return Object.keys(names)
    .sort((a, b) => Number(a) - Number(b))
    .map((position) => String(names[position]));
}

/** The position of entailment; null when no output is named so. */
export function entailmentAmong(names: readonly string[]): number | null {
  const at = names.findIndex((name) => labelOf(name) === 'entailment');
  return at < 0 ? null : at;
}

function labelOf(name: string): NliLabel | undefined {
  return FORMS.find(([form]) => form.test(name))?.[1];
}

function config(folder: string) {
  try {
    return membersOf(JSON.parse(readFileSync(join(folder, CONFIG_FILE), 'utf8')));
  } catch {
    return {};
  }
}
