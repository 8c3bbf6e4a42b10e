// Judgment sets and their questions as the interface shows them.
import type {
  JudgedQuestion,
  JudgmentSet,
  JudgmentSetSummary,
  Question,
} from '../../../domain/judgments/judgment-set.ts';
import { namespaceToShown } from '../../../domain/records/record-id.ts';

export function summaryToWire(set: JudgmentSetSummary) {
  return {
    id: set.id,
    name: set.name,
    namespace: namespaceToShown(set.namespace),
    question_count: set.questionCount,
    judgment_count: set.judgmentCount,
    created_at: set.createdAt,
    updated_at: set.updatedAt,
  };
}

export function setToWire(set: JudgmentSet) {
  return {
    ...summaryToWire(set),
    questions: set.questions.map(judgedToWire),
    scores: set.scores.map(({ scoredAt, k, configurations }) => ({ scored_at: scoredAt, k, configurations })),
  };
}

export function questionToWire({ text, id, vector, sparseVector, filter }: Question) {
  return {
    ...(text !== undefined && { text }),
    ...(id !== undefined && { id }),
    ...(vector !== undefined && { vector }),
    ...(sparseVector !== undefined && { sparse_vector: sparseVector }),
    ...(filter !== undefined && { filter }),
  };
}

export function judgedToWire(question: JudgedQuestion) {
  return { ...questionToWire(question), judgments: question.judgments };
}
