// The codecs of Parquet that its reader does not know itself; loaded for the files that need one.
import { gunzipSync } from 'fflate';
import { decompress } from 'fzstd';
import type { Compressors } from 'hyparquet';

export const PARQUET_CODECS: Compressors = {
  GZIP: (input, length) => gunzipSync(input, { out: new Uint8Array(length) }),
  ZSTD: (input) => decompress(input),
};
