// POST /evaluation/metrics/alignment: rates how well an answer agrees with the ground truth.
import { TEXT_CHARACTERS_MAX } from '../../../../app/assistants/evaluation/alignment.ts';
import { fault } from '../../../../domain/faults.ts';
import type { Reply } from '../../../endpoint.ts';
import { Type } from '../../../schema/type.ts';
import { choice } from '../../indexes/body-parts.ts';
import { deserialize } from '../../indexes/deserialize.ts';
import type { AssistantCall, AssistantEndpoint } from '../assistant-endpoint.ts';
import { Usage } from '../chat/schemas.ts';
import { usageOf } from '../chat/shapes/chat.ts';

const Text = Type.String({ minLength: 1, maxLength: TEXT_CHARACTERS_MAX });

const Figure = Type.Number({ minimum: 0, maximum: 1, examples: [1] });

const Body = Type.Object(
  { question: Text, answer: Text, ground_truth_answer: Text },
  {
    title: 'AlignmentRequest',
    additionalProperties: false,
    examples: [
      {
        question: 'Where does the heron stand?',
        answer: 'In the water.',
        ground_truth_answer: 'The heron stands in the water.',
      },
    ],
  },
);

async function handle(call: AssistantCall): Promise<Reply> {
  const texts = deserialize(Body, call);
  for (const [name, text] of Object.entries(texts)) checkText(name, text);
  const { question, answer, ground_truth_answer: groundTruth } = texts;
  const { evaluation } = call.services;
  const judged = await evaluation.alignment({ question, answer, groundTruth }, call.signal);
  const { correctness, completeness, alignment, facts, usage } = judged;
  const evaluated = facts.map(({ fact, entailment }) => ({ fact: { content: fact }, entailment }));
  const body = {
    metrics: { correctness, completeness, alignment },
    reasoning: { evaluated_facts: evaluated },
    usage: usageOf(usage),
  };
  return { status: 200, body };
}

/** @throws body-not-deserializable */
function checkText(name: string, text: string): void {
  const reason =
    text.trim() === ''
      ? `${name} must not be empty`
      : text.length > TEXT_CHARACTERS_MAX
        ? `${name} must have at most ${TEXT_CHARACTERS_MAX} characters, got ${text.length}`
        : null;
  if (reason !== null) throw fault('body-not-deserializable', { reason });
}

export const evaluateAlignment: AssistantEndpoint = {
  kind: 'json',
  id: 'metrics_alignment',
  method: 'POST',
  path: '/assistant/evaluation/metrics/alignment',
  tag: 'Evaluation',
  summary: 'Evaluate an answer',
  description:
    'Takes both answers apart into facts. Correctness is the share of the facts of the answer that the true one has, completeness the share of the facts of the true one that the answer has, alignment their harmonic mean. Without a language model, facts that the other text neither has nor contradicts count in part.',
  since: '2025-01',
  permission: 'data_plane::assistants::chat',
  errors: 'message',
  body: Body,
  success: {
    status: 200,
    description: 'The figures, and the facts of the true answer.',
    schema: Type.Object({
      metrics: Type.Object({
        correctness: Figure,
        completeness: Figure,
        alignment: Figure,
      }),
      reasoning: Type.Object({
        evaluated_facts: Type.Array(
          Type.Object({
            fact: Type.Object({ content: Type.String({ examples: ['The heron stands in the water.'] }) }),
            entailment: choice(['entailed', 'contradicted', 'neutral']),
          }),
        ),
      }),
      usage: Usage,
    }),
  },
  faults: ['body-not-deserializable', 'chat-unavailable'],
  handle,
};
