/** Browsers signed in to the dashboard: only hashes of their tokens are kept. */
import type { UserStore } from '../../domain/user.ts';
import type { Context } from '../base/context.ts';
import { all, prepare } from '../base/unit.ts';
import { holderOf, validKeys } from './keys.ts';

const maxSignIns = 100;

export const signInStore = (context: Context): Pick<UserStore, 'createSignIn' | 'deleteSignIn' | 'findBySignIn'> => {
  const { sql, database } = context;
  const bySignIn = prepare((p: { hash: Uint8Array; now: number }) =>
    validKeys(context, p.now)
      .innerJoin('sign_ins', 'sign_ins.key_id', 'api_keys.id')
      .where('sign_ins.hash', '=', p.hash)
      .where('sign_ins.expires_at', '>', p.now),
  );
  return {
    findBySignIn: async (hash, now) => holderOf(await database.read(() => bySignIn.first({ hash, now }))),
    createSignIn: ({ hash, keyId, expiresAt }, now) =>
      database.write(function* () {
        const signIns = sql.deleteFrom('sign_ins');
        yield* all(signIns.where('expires_at', '<=', now));
        const newest = sql
          .selectFrom('sign_ins')
          .select('hash')
          .where('key_id', '=', keyId)
          .orderBy('expires_at', 'desc')
          .limit(maxSignIns - 1);
        yield* all(signIns.where('key_id', '=', keyId).where('hash', 'not in', newest));
        yield* all(sql.insertInto('sign_ins').values({ hash, key_id: keyId, expires_at: expiresAt }));
      }),
    deleteSignIn: (hash) =>
      database.write(function* () {
        yield* all(sql.deleteFrom('sign_ins').where('hash', '=', hash));
      }),
  };
};
