// The form of code samples: what the SDK of a language is opened with, and its calls, by operation.

/** The address and the key in samples; readers and tests put theirs in their place. */
export const SAMPLE_BASE = 'http://localhost:5080';
export const SAMPLE_KEY = 'YOUR KEY';

export interface SdkSamples {
  /** As in the key of a list of samples in the OpenAPI document. */
  readonly lang: string;
  readonly label: string;
  /** What precedes every call. */
  readonly open: string;
  /** What precedes the calls at an index. */
  readonly openIndex: string;
  /** By operation, in an order in which all of them work on an empty server. */
  readonly calls: Readonly<Record<string, SdkCall>>;
}

export interface SdkCall {
  readonly code: string;
  readonly atIndex?: true;
}

/** The whole sample of a call. */
export function sampleText({ open, openIndex }: SdkSamples, { code, atIndex }: SdkCall): string {
  return [open, ...(atIndex === true ? [openIndex] : []), code].join('\n');
}
