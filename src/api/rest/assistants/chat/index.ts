// The endpoints of chat, in the order of the reference.
import type { AssistantEndpoint } from '../assistant-endpoint.ts';
import { chat } from './chat.ts';
import { chatCompletions } from './chat-completions.ts';
import { retrieveContext } from './retrieve-context.ts';

export const chatEndpoints: readonly AssistantEndpoint[] = [chat, chatCompletions, retrieveContext];
