/** The login payload: whether the account has migrated, as far as that is known, and that it has where it is not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFacts } from '../../../src/whatsapp/identity/account.ts';
import { loginPayloadOf } from '../../../src/whatsapp/login/login.ts';
import { newCredentials } from '../../../src/whatsapp/signal/credentials.ts';

test('a login says whether the account has migrated', () => {
  const creds = newCredentials();
  assert.deepEqual(loginPayloadOf(creds), { lidDbMigrated: true, lc: 1 });
  for (const lidMigrated of [false, true]) {
    setFacts(creds, { lidMigrated });
    assert.deepEqual(loginPayloadOf(creds), { lidDbMigrated: lidMigrated, lc: 1 });
  }
});
