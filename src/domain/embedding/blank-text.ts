// Texts of nothing but spaces, which models refuse or make nothing of.
import { type Fault, invalid } from '../faults.ts';
import { fieldText } from '../filter/condition-text.ts';

export function isBlank(text: string): boolean {
  return text.trim() === '';
}

/** Why a field that makes a dense vector may not be blank. A sparse vector is left out instead. */
export function blankText(field: string, what = ''): Fault {
  return invalid(`${what}Field '${fieldText(field)}' must not be blank: its text is embedded`);
}
