// Reads questions with their judgments, and the other parts of the bodies of judgment sets.
import { invalid } from '../../../domain/faults.ts';
import { isJsonObject, type JsonObject } from '../../../domain/json.ts';
import {
  GRADE_MAX,
  JUDGED_QUESTIONS_MAX,
  JUDGMENT_SET_NAME_CHARS_MAX,
  JUDGMENTS_PER_QUESTION_MAX,
  type JudgedQuestion,
  QUESTION_TEXT_CHARS_MAX,
  type Question,
} from '../../../domain/judgments/judgment-set.ts';
import type { ChangedJudgment } from '../../../domain/judgments/services.ts';
import { checkRecordId } from '../../../domain/records/record-id.ts';
import { checkInteger, refuseUnknown, requiredObject } from '../records/request-fields.ts';

const QUESTION_KEYS = ['text', 'id', 'vector', 'sparse_vector', 'filter'];
const GRADE = { min: 0, max: GRADE_MAX };
/** Names are for people; none of them needs these. */
const CONTROL = /\p{Cc}/u;

/** @throws invalid-argument unless the body is an object without other keys */
export function judgmentBody(body: unknown, keys: readonly string[]): JsonObject {
  if (!isJsonObject(body)) throw invalid('The request body must be a JSON object');
  refuseUnknown(body, keys, 'The request body');
  return body;
}

/** @throws invalid-argument */
export function readName(value: unknown): string {
  const isName =
    typeof value === 'string' &&
    value.trim() !== '' &&
    value.length <= JUDGMENT_SET_NAME_CHARS_MAX &&
    !CONTROL.test(value);
  if (!isName)
    throw invalid(`name must be 1 to ${JUDGMENT_SET_NAME_CHARS_MAX} characters without control characters`);
  return value;
}

/** @throws invalid-argument */
export function readQuestions(value: unknown): readonly JudgedQuestion[] {
  return listOf(value, 'questions', JUDGED_QUESTIONS_MAX).map((each, at) => {
    const what = `questions[${at}]`;
    const object = requiredObject(each, what);
    refuseUnknown(object, [...QUESTION_KEYS, 'judgments'], what);
    const judgments = readJudgments(object.judgments, what).map(({ id, grade }) => {
      if (grade === null) throw invalid(`${what}: the grade of record '${id}' must not be null`);
      return { id, grade };
    });
    return { ...questionOf(object, what), judgments };
  });
}

/** @throws invalid-argument */
export function readQuestion(value: unknown): Question {
  const object = requiredObject(value, 'question');
  refuseUnknown(object, QUESTION_KEYS, 'question');
  return questionOf(object, 'question');
}

/** @param what the question that they are of, for messages. @throws invalid-argument */
export function readJudgments(value: unknown, what: string): readonly ChangedJudgment[] {
  return listOf(value, `${what}: judgments`, JUDGMENTS_PER_QUESTION_MAX).map((each) => {
    const object = requiredObject(each, `${what}: each judgment`);
    refuseUnknown(object, ['id', 'grade'], `${what}: a judgment`);
    const { grade } = object;
    return {
      id: checkRecordId(object.id),
      grade: grade === null ? null : checkInteger(grade, `${what}: grade`, GRADE),
    };
  });
}

/** @throws invalid-argument */
export function listOf(value: unknown, what: string, countMax: number): readonly unknown[] {
  if (!Array.isArray(value)) throw invalid(`${what} must be a list`);
  if (value.length > countMax)
    throw invalid(`${what} must hold at most ${countMax} entries, got ${value.length}`);
  return value;
}

/** Vectors are checked against the index when they are searched for. */
function questionOf({ text, id, vector, sparse_vector: sparse, filter }: JsonObject, what: string): Question {
  const kinds = [isGiven(text), isGiven(id), isGiven(vector) || isGiven(sparse)];
  if (kinds.filter(Boolean).length !== 1)
    throw invalid(`${what} must have exactly one of text, id and vectors`);
  return {
    ...(isGiven(text) && { text: textOf(text, what) }),
    ...(isGiven(id) && { id: checkRecordId(id) }),
    ...(isGiven(vector) && { vector: numbersOf(vector, `${what}: vector`) }),
    ...(isGiven(sparse) && { sparseVector: sparseOf(sparse, `${what}: sparse_vector`) }),
    ...(isGiven(filter) && { filter: requiredObject(filter, `${what}: filter`) }),
  };
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function textOf(value: unknown, what: string): string {
  if (typeof value !== 'string' || value.trim() === '' || value.length > QUESTION_TEXT_CHARS_MAX)
    throw invalid(`${what}: text must be 1 to ${QUESTION_TEXT_CHARS_MAX} characters long`);
  return value.trim();
}

function sparseOf(value: unknown, what: string) {
  const { indices, values } = requiredObject(value, what);
  return { indices: numbersOf(indices, `${what}.indices`), values: numbersOf(values, `${what}.values`) };
}

function numbersOf(value: unknown, what: string): readonly number[] {
  if (!Array.isArray(value) || value.length === 0 || !value.every((each) => typeof each === 'number'))
    throw invalid(`${what} must be a list of numbers`);
  return value;
}
