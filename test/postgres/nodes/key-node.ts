// A node of the tests that keeps keys in memory: prints when it knows a key, and when it refuses it.
import { Principals } from '../../../src/app/access/principals.ts';
import { openSharedCatalog } from '../../../src/catalog/postgres/open-shared-catalog.ts';

const [url = '', key = ''] = process.argv.slice(2);
const onFailure = () => process.stdout.write('failure\n');
const { catalog, changes } = await openSharedCatalog({ url, connectionsMax: 3, onFailure });
const principals = await Principals.follow(catalog.administration.access);
await changes.start();
let wasKnown: boolean | undefined;
setInterval(() => {
  const isKnown = principals.authenticateKey(key) !== undefined;
  if (isKnown !== wasKnown) process.stdout.write(isKnown ? 'known\n' : 'refused\n');
  wasKnown = isKnown;
}, 5);
