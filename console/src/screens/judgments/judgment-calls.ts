// The requests about judgment sets of an index.
import { callIndex } from '../../api/call.ts';
import type { Answers } from '../../api/generated/answers.ts';
import { type Resource, useResource } from '../../ui/resource.ts';
import type { JudgedQuestion, JudgmentSet, Question, SetSummary } from './types.ts';

export const SETS = 'judgment-sets';

export function pathOf(id: string, rest = ''): string {
  return `${SETS}/${encodeURIComponent(id)}${rest}`;
}

export function useSets(index: string): Resource<readonly SetSummary[]> {
  return useResource(`judgment sets ${index}`, async (signal) => {
    const { body } = await callIndex<Answers['list_judgment_sets']>(index, 'GET', SETS, { signal });
    return body.judgment_sets;
  });
}

/** @param id empty to read nothing */
export function useSet(index: string, id: string): Resource<JudgmentSet> {
  return useResource(id === '' ? '' : `judgment set ${index} ${id}`, async (signal) => {
    return (await callIndex<JudgmentSet>(index, 'GET', pathOf(id), { signal })).body;
  });
}

export interface NewSet {
  readonly name: string;
  readonly namespace: string;
  readonly questions?: readonly unknown[];
}

/** @throws Problem */
export async function createSet(index: string, body: NewSet): Promise<JudgmentSet> {
  return (await callIndex<JudgmentSet>(index, 'POST', SETS, { body })).body;
}

export function sameQuestion(one: Question, other: Question): boolean {
  return keyOf(one) === keyOf(other);
}

function keyOf({ text, id, vector, sparse_vector: sparse, filter }: Question): string {
  return JSON.stringify([text ?? null, id ?? null, vector ?? null, sparse ?? null, filter ?? null]);
}

/** The questions of a file: lines of JSON, a list, or an object with one. @throws Error that names the line */
export async function questionsIn(file: File): Promise<readonly unknown[]> {
  const text = await file.text();
  if (/\.json$/i.test(file.name)) {
    const value = JSON.parse(text) as unknown;
    const list = Array.isArray(value) ? value : (value as { readonly questions?: unknown } | null)?.questions;
    if (!Array.isArray(list)) throw new Error('The file has no list of questions.');
    return list;
  }
  return text.split('\n').flatMap((line, at): readonly unknown[] => {
    if (line.trim() === '') return [];
    try {
      return [JSON.parse(line)];
    } catch {
      throw new Error(`Line ${at + 1} is not JSON.`);
    }
  });
}

/** A question in one line. */
export function titleOf({ text, id, vector = [], filter }: Question | JudgedQuestion): string {
  const asked = text ?? (id === undefined ? `Vector ${vector.slice(0, 3).join(', ')} …` : `Like ${id}`);
  return filter === undefined ? asked : `${asked}, where ${JSON.stringify(filter)}`;
}
