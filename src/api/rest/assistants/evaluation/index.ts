// The endpoints of evaluation, in the order of the reference.
import type { AssistantEndpoint } from '../assistant-endpoint.ts';
import { evaluateAlignment } from './evaluate-alignment.ts';

export const evaluationEndpoints: readonly AssistantEndpoint[] = [evaluateAlignment];
