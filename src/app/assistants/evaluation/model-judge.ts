// Evaluations by a language model: it extracts and judges facts, from which the scores follow.
import { takesTemperature } from '../../../domain/assistants/chat-models.ts';
import { fault } from '../../../domain/faults.ts';
import type { AnswerUsage, LanguageModel } from '../../../domain/inference/language-model.ts';
import { type TokenCounter, tokensOfAll } from '../token-counter.ts';
import { alignmentFrom, type Evaluated } from './alignment.ts';
import type { EvaluationService } from './evaluation-service.ts';
import { judgePrompt, readJudgement } from './judge-prompt.ts';

export interface ModelJudgeParts {
  readonly languageModel: LanguageModel;
  /** The provider's name of the model. */
  readonly model: string;
  readonly countTokens: TokenCounter;
}

/** An unreadable judgement is an error: judging by words instead would silently give other scores. */
export function modelJudge(parts: ModelJudgeParts): EvaluationService {
  return {
    alignment: async (evaluated, signal) => {
      const { text, usage } = await askModel(parts, evaluated, signal);
      const judgement = readJudgement(text);
      if (judgement === null) {
        throw fault('chat-unavailable', { model: parts.model, reason: 'its judgement cannot be read' });
      }
      return { ...alignmentFrom(judgement), usage };
    },
  };
}

async function askModel(
  { languageModel, model, countTokens }: ModelJudgeParts,
  evaluated: Evaluated,
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly usage: AnswerUsage }> {
  const messages = judgePrompt(evaluated);
  let text = '';
  let counted: AnswerUsage | null = null;
  const temperature = takesTemperature(model) ? 0 : null;
  for await (const piece of languageModel.ask({ model, messages, temperature, isJson: true }, signal)) {
    if (piece.type === 'text') text += piece.text;
    else if (piece.type === 'end') counted = piece.usage;
  }
  if (counted !== null) return { text, usage: counted };
  const { question, answer, groundTruth } = evaluated;
  const promptTokens = await tokensOfAll([question, answer, groundTruth], countTokens);
  return { text, usage: { promptTokens, completionTokens: await countTokens(text) } };
}
