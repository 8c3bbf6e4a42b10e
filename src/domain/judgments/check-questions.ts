// The rules that the questions of a judgment set keep together, and each with its index.
import { Buffer } from 'node:buffer';
import { invalid } from '../faults.ts';
import { type AskedIndex, checkQuestion } from './check-question.ts';
import {
  JUDGED_QUESTIONS_MAX,
  JUDGMENT_SET_BYTES_MAX,
  JUDGMENTS_MAX,
  JUDGMENTS_PER_QUESTION_MAX,
  type JudgedQuestion,
  judgmentCount,
  questionKey,
} from './judgment-set.ts';

/** @throws invalid-argument */
export function checkQuestions(index: AskedIndex, questions: readonly JudgedQuestion[]): void {
  checkTogether(questions);
  for (const [at, question] of questions.entries()) checkQuestion(index, question, `questions[${at}]`);
}

/** The rules that do not depend on the index. @throws invalid-argument */
export function checkTogether(questions: readonly JudgedQuestion[]): void {
  if (questions.length > JUDGED_QUESTIONS_MAX)
    throw invalid(`A judgment set holds at most ${JUDGED_QUESTIONS_MAX} questions, got ${questions.length}.`);
  const total = judgmentCount(questions);
  if (total > JUDGMENTS_MAX)
    throw invalid(`A judgment set holds at most ${JUDGMENTS_MAX} judgments, got ${total}.`);
  const positions = new Map<string, number>();
  for (const [at, question] of questions.entries()) {
    const key = questionKey(question);
    const former = positions.get(key);
    if (former !== undefined)
      throw invalid(`questions[${at}] asks the same as questions[${former}]. Put their judgments together.`);
    positions.set(key, at);
    checkJudgments(question, `questions[${at}]`);
  }
  const bytes = Buffer.byteLength(JSON.stringify(questions));
  if (bytes > JUDGMENT_SET_BYTES_MAX)
    throw invalid(
      `The questions of a judgment set take at most ${JUDGMENT_SET_BYTES_MAX} bytes, got ${bytes}.`,
    );
}

function checkJudgments({ judgments }: JudgedQuestion, what: string): void {
  if (judgments.length > JUDGMENTS_PER_QUESTION_MAX)
    throw invalid(
      `${what} has ${judgments.length} judgments; at most ${JUDGMENTS_PER_QUESTION_MAX} are allowed.`,
    );
  if (new Set(judgments.map((each) => each.id)).size < judgments.length)
    throw invalid(`${what} judges a record twice.`);
}
