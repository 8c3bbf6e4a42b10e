// Writes versions of the same documents until it is killed, and prints each version that the engine has acknowledged.
import { DOCUMENTS } from '../../conformance/document-data.ts';
import { sampleProfile } from '../../conformance/sample-data.ts';
import { openInProcess } from '../in-process-index.ts';
import { versionOf } from './versioned-documents.ts';

const [folder = ''] = process.argv.slice(2);
const { writer } = openInProcess(sampleProfile(DOCUMENTS), folder);
for (let version = 1; ; version++) {
  await writer.upsert('', versionOf(version));
  console.log(version);
}
