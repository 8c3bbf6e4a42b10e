// The parts that all prompts share: fences around untrusted text, and pictures.
import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import type { ContentPart } from '../../domain/inference/language-model.ts';

const FENCE_BYTES = 9;

export interface PromptImage {
  readonly mimeType: string;
  readonly bytes: Uint8Array;
}

/** A random word: a file that does not know it cannot end the fence around its own text. */
export function newFence(): string {
  return randomBytes(FENCE_BYTES).toString('hex');
}

/** Returns the text on one line and without the fence. */
export function quoted(text: string, fence: string): string {
  return JSON.stringify(text.replaceAll(fence, ''));
}

/** Encodes a picture the way language models take it. */
export function imagePart({ mimeType, bytes }: PromptImage): ContentPart {
  const url = `data:${mimeType};base64,${Buffer.from(bytes).toString('base64')}`;
  return { type: 'image_url', image_url: { url } };
}
