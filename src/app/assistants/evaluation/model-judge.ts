// Evaluations by a language model: it extracts and judges facts, from which the scores follow.
import { takesTemperature } from '../../../domain/assistants/chat-models.ts';
import { fault } from '../../../domain/faults.ts';
import type { AnswerUsage, LanguageModel } from '../../../domain/inference/language-model.ts';
import { HeardAnswer } from '../chat/answer-text/heard-answer.ts';
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
  const temperature = takesTemperature(model) ? 0 : null;
  const heard = new HeardAnswer(languageModel, { model, messages, temperature, isJson: true }, signal);
  const text = (await Array.fromAsync(heard.texts())).join('');
  const { question, answer, groundTruth } = evaluated;
  return {
    text,
    usage: await heard.usage(() => tokensOfAll([question, answer, groundTruth], countTokens), countTokens),
  };
}
