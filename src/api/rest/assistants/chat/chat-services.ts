// The services of the chat, context and evaluation endpoints.
import type { ChatService } from '../../../../app/assistants/chat/chat-service.ts';
import type { EvaluationService } from '../../../../app/assistants/evaluation/evaluation-service.ts';

export interface ChatServices {
  readonly chat: ChatService;
  readonly evaluation: EvaluationService;
}
