// The keys that sign tokens, newest first.

import type { ChangeRunner } from '../change-runner.ts';
import type { SigningKeyStore } from './port.ts';

export function sqlSigningKeys({ db }: ChangeRunner): SigningKeyStore {
  const newestFirst = () => db.selectFrom('signing_keys').orderBy('created_at', 'desc').orderBy('id');
  return {
    list: async () => {
      const rows = await newestFirst().selectAll().execute();
      return rows.map(({ id, secret, created_at }) => ({ id, secret, createdAt: created_at }));
    },

    add: ({ id, secret, createdAt }, keep) =>
      db.transaction().execute(async (tx) => {
        await tx.insertInto('signing_keys').values({ id, secret, created_at: createdAt }).execute();
        const kept = newestFirst().select('id').limit(keep);
        await tx.deleteFrom('signing_keys').where('id', 'not in', kept).execute();
      }),
  };
}
