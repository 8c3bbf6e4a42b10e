// The code samples of an operation: calls of the official SDKs, which the API reference shows beside its own.
import { type SdkSamples, sampleText } from './code-sample.ts';
import { GO } from './go.ts';
import { PYTHON } from './python.ts';
import { TYPESCRIPT } from './typescript.ts';

export const SDK_SAMPLES: readonly SdkSamples[] = [TYPESCRIPT, PYTHON, GO];

/** The extension with them, for the operation that has some; they are written for the newest version. */
export function codeSamplesOf(id: string): object {
  const samples = SDK_SAMPLES.flatMap((sdk) => {
    const call = sdk.calls[id];
    return call === undefined ? [] : [{ lang: sdk.lang, label: sdk.label, source: sampleText(sdk, call) }];
  });
  return samples.length === 0 ? {} : { 'x-codeSamples': samples };
}
