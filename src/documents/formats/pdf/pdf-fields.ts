// Reads what is filled into the form of a PDF page, which is not part of the page's text.
import { membersOf } from '../../../domain/json.ts';

/** Of one page. */
const FIELDS_MAX = 2_000;
const NAME_SEPARATORS = /[_.\s[\]]+/g;
const WORD_BORDERS = /(?<=\p{Ll})(?=\p{Lu})/gu;

/** @param annotations as the PDF reader reports them. @returns `Label: value` for each field with a value, in file order. */
export function filledFields(annotations: readonly unknown[]): readonly string[] {
  const fields = new Map<string, string[]>();
  for (const annotation of annotations.slice(0, FIELDS_MAX)) {
    const field = fieldOf(annotation);
    if (field === null) continue;
    const values = fields.get(field.label);
    if (values === undefined) fields.set(field.label, [field.value]);
    else if (!values.includes(field.value)) values.push(field.value);
  }
  return [...fields].map(([label, values]) => `${label}: ${values.join(', ')}`);
}

function fieldOf(annotation: unknown): { readonly label: string; readonly value: string } | null {
  const { subtype, fieldType, fieldName, alternativeText, hidden, password } = membersOf(annotation);
  if (subtype !== 'Widget' || hidden === true || password === true) return null;
  const value = fieldType === 'Btn' ? buttonValue(annotation) : textOf(membersOf(annotation).fieldValue);
  const label = textOf(alternativeText) || readable(textOf(fieldName));
  return value === '' || label === '' ? null : { label, value };
}

/** The choice of a radio button, `yes` for a checked box; empty for those that are not checked. */
function buttonValue(annotation: unknown): string {
  const { checkBox, radioButton, fieldValue, exportValue, buttonValue: own } = membersOf(annotation);
  const state = textOf(fieldValue);
  if (state === '' || state === 'Off') return '';
  if (radioButton === true) return state === textOf(own) ? state : '';
  return checkBox === true && state === textOf(exportValue) ? 'yes' : '';
}

function textOf(value: unknown): string {
  const text = Array.isArray(value) ? value.filter((each) => typeof each === 'string').join(', ') : value;
  return typeof text === 'string' ? text.replace(/\s+/g, ' ').trim() : '';
}

/** `applicant.firstName` becomes `applicant first name`. */
function readable(name: string): string {
  return name.replace(NAME_SEPARATORS, ' ').replace(WORD_BORDERS, ' ').trim();
}
