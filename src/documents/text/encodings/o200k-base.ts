// What is used of the o200k encoding; the packed package bundles it, without the other encodings.
export { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
