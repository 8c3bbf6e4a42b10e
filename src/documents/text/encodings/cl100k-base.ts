// What is used of the cl100k encoding; the packed package bundles it, without the other encodings.
export { decode } from 'gpt-tokenizer/encoding/cl100k_base';
