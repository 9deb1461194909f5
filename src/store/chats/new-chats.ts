/** Counts the chats a device begins per day. Locks the device's row, so that two sends cannot both take the last place. */
import type { NewChatStore } from '../../domain/account-limits.ts';
import { dayMs } from '../../domain/account-limits.ts';
import type { Jid } from '../../domain/jid.ts';
import type { Context } from '../base/context.ts';
import { nameHash } from '../sealing/rows.ts';
import { type Unit, first, prepare } from '../base/unit.ts';
import { makeResolve } from '../messages/resolve.ts';
import { adding, finding } from '../base/statements.ts';

const queriesOf = (context: Context) => {
  const { sql } = context;
  const messages = (p: { deviceId: number; hash: string; lidHash: string }) =>
    sql
      .selectFrom('messages')
      .select('n')
      .where('device_id', '=', p.deviceId)
      .where((e) => e.or([e('chat_hash', 'in', [p.hash, p.lidHash]), e('lid_hash', 'in', [p.hash, p.lidHash])]))
      .limit(1);
  return {
    messages: prepare(messages),
    /** Chats where the other person has written or the network has accepted a message. */
    taken: prepare((p: { deviceId: number; hash: string; lidHash: string }) =>
      messages(p).where((e) => e.or([e('accepted_at', 'is not', null), e('state', 'not in', ['pending', 'failed'])])),
    ),
    chat: prepare((p: { deviceId: number; hash: string; lidHash: string }) =>
      sql
        .selectFrom('chats')
        .select('at')
        .where('device_id', '=', p.deviceId)
        .where('jid_hash', 'in', [p.hash, p.lidHash]),
    ),
    begun: finding(context, 'new_chats', ['day'], ['device_id', 'day', 'jid_hash']),
    count: prepare((p: { deviceId: number; day: number }) =>
      sql
        .selectFrom('new_chats')
        .select((e) => e.fn.countAll<number>().as('count'))
        .where((e) => e.and({ device_id: p.deviceId, day: p.day })),
    ),
    add: adding(context, 'new_chats', ['device_id', 'day', 'jid_hash']),
    forget: prepare((p: { deviceId: number; day: number }) =>
      sql.deleteFrom('new_chats').where('device_id', '=', p.deviceId).where('day', '<', p.day),
    ),
  };
};

export const newChatStore = (context: Context): NewChatStore => {
  const { sql, database, sealer } = context;
  const queries = queriesOf(context);
  const resolve = makeResolve(context);
  const hashesOf = function* (deviceId: number, person: Jid) {
    const [name] = yield* resolve(deviceId, [{ jid: person }]);
    const hash = nameHash(sealer, deviceId, name!.jid);
    return { deviceId, hash, lidHash: name!.lid === null ? hash : nameHash(sealer, deviceId, name!.lid) };
  };
  function* exists(names: { deviceId: number; hash: string; lidHash: string }): Unit<boolean> {
    if ((yield* queries.taken.first(names)) !== undefined) return true;
    if ((yield* queries.chat.first(names)) === undefined) return false;
    return (yield* queries.messages.first(names)) === undefined;
  }
  function* countOf(deviceId: number, day: number): Unit<number> {
    return (yield* queries.count.first({ deviceId, day }))!.count;
  }
  return {
    begin: async (deviceId, person, { max, now }) => {
      const day = Math.floor(now / dayMs);
      const isKnown = await database.read(function* () {
        return yield* exists(yield* hashesOf(deviceId, person));
      });
      if (isKnown) return true;
      return database.write(function* () {
        const device = sql.selectFrom('devices').select('id').where('id', '=', deviceId);
        yield* first(database.shared ? device.forUpdate() : device);
        const { hash } = yield* hashesOf(deviceId, person);
        const key = { device_id: deviceId, day, jid_hash: hash };
        if ((yield* queries.begun.first(key)) !== undefined) return true;
        if ((yield* countOf(deviceId, day)) >= max) return false;
        yield* queries.forget.all({ deviceId, day });
        yield* queries.add.write([key]);
        return true;
      });
    },
    count: (deviceId, now) => database.read(() => countOf(deviceId, Math.floor(now / dayMs))),
  };
};
