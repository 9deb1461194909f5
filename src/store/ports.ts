/** The ports over one database, whichever it is, and the check that its secret is the right one. */
import type { Stores } from '../domain/stores.ts';
import { auditStore } from './audit.ts';
import type { Context } from './context.ts';
import { credentialStore } from './credentials.ts';
import { removeDevice } from './device-removal.ts';
import { deviceStore } from './devices.ts';
import { eventStore } from './events.ts';
import { idempotencyStore } from './idempotency.ts';
import { messageStore } from './messages.ts';
import { outbox } from './outbox.ts';
import { retention } from './retention.ts';
import { SealBroken } from './seal.ts';
import { all, first } from './unit.ts';
import { userStore } from './users.ts';
import { webhookStore } from './webhooks.ts';

const sealCheck = 'seal check';

/** The first start leaves a sealed mark; later starts must be able to open it. `where` names the data in the refusal. */
export const assertSecret = async ({ sql, database, seal }: Context, where: string): Promise<void> => {
  const query = sql.selectFrom('meta').select('value').where('name', '=', sealCheck);
  let mark = await database.read(() => first(query));
  if (mark === undefined) {
    const value = seal.sealJson(sealCheck, sealCheck);
    // Another node may be the first at the same moment: its mark stays, and is checked.
    await database.write(() =>
      all(
        sql
          .insertInto('meta')
          .values({ name: sealCheck, value })
          .onConflict((c) => c.doNothing()),
      ),
    );
    mark = await database.read(() => first(query));
  }
  try {
    seal.openJson(mark!.value, sealCheck);
  } catch (cause) {
    if (!(cause instanceof SealBroken)) throw cause;
    throw new Error(`The data in ${where} is sealed with another secret: start with the one it was made with`, {
      cause,
    });
  }
};

export const portsOf = (context: Context): Omit<Stores, 'cluster' | 'onEvents' | 'close'> => ({
  devices: deviceStore(context, removeDevice(context)),
  credentials: credentialStore(context),
  messages: messageStore(context),
  events: eventStore(context),
  idempotency: idempotencyStore(context),
  outbox: outbox(context),
  webhooks: webhookStore(context),
  users: userStore(context),
  retention: retention(context),
  audit: auditStore(context),
  ping: () =>
    context.database
      .read(() => all(context.sql.selectFrom('meta').select('name')))
      .then(
        () => true,
        () => false,
      ),
});
