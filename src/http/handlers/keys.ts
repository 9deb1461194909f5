/** API keys of the caller (docs/spec/users.md, API keys). */
import * as declared from '../../contract/operations/keys.ts';
import { keyView, keyPatchOf, keyRequestOf } from '../views/account.ts';
import { ok } from '../wire/values.ts';
import { handle } from '../wire/operation.ts';
import { createdOnce } from './sent.ts';
import { idOf } from '../admission/admin.ts';

export const listKeys = handle(declared.listKeys, async ({ services, caller }) => {
  const keys = await services.users.listKeys(caller.user.id, caller.key ?? undefined);
  return { keys: keys.map(keyView), status: ok('Keys listed') };
});

export const createKey = handle(declared.createKey, async (call) => {
  const { services, caller, actor, body } = call;
  const maker = caller.key ?? undefined;
  const { key, secret } = await createdOnce(call, 'key', body, (once) =>
    services.users.createKey(caller.user.id, keyRequestOf(body), actor, maker, once),
  );
  return { key: { ...keyView(key), secret }, status: ok('Key created; it is shown only this once') };
});

export const updateKey = handle(declared.updateKey, async ({ services, caller, actor, params, body }) => {
  const id = idOf('Key', params.keyId);
  const key = await services.users.updateKey(caller.user.id, id, keyPatchOf(body), actor, caller.key ?? undefined);
  return { key: keyView(key), status: ok(`Key ${id} updated`) };
});

export const revokeKey = handle(declared.revokeKey, async ({ services, caller, actor, params }) => {
  await services.users.revokeKey(caller.user.id, idOf('Key', params.keyId), actor, caller.key ?? undefined);
  return { status: ok(`Key ${params.keyId} revoked`) };
});
