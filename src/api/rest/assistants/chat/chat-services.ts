// What the endpoints of chat, context and evaluation work with.
import type { ChatService } from '../../../../app/assistants/chat/chat-service.ts';
import type { EvaluationService } from '../../../../app/assistants/evaluation/evaluation-service.ts';

export interface ChatServices {
  readonly chat: ChatService;
  readonly evaluation: EvaluationService;
}
