// Questions and chunks for tests of chats.

import type { TokenCounter } from '../../token-counter.ts';
import type { ChatQuestion, SourcedChunk } from '../chat-provider.ts';

export const countWords: TokenCounter = async (text) => text.split(' ').length;

export const CHUNKS: readonly SourcedChunk[] = [
  {
    fileId: 'a',
    fileName: 'birds.txt',
    number: 0,
    start: 0,
    tokens: 30,
    headings: [],
    text: 'Storks fly south over the sea in the last weeks of summer. The heron of the northern lakes eats nothing but fish.',
    pageStarts: [{ page: 4, start: 0 }],
    images: [],
  },
  {
    fileId: 'b',
    fileName: 'moles.txt',
    number: 0,
    start: 0,
    tokens: 5,
    headings: [],
    text: 'The mole digs tunnels.',
    images: [],
  },
];

export const QUESTION: ChatQuestion = {
  messages: [{ role: 'user', content: 'What does the heron eat?' }],
  historyTokens: 6,
  instructions: 'Be brief.',
  chunks: CHUNKS,
  temperature: 0,
  isJson: false,
};
