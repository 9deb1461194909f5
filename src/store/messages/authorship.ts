/** Authorship of stored messages: only the author may make certain changes. */
import type { Claim } from '../../domain/event.ts';
import { jidKind } from '../../domain/jid.ts';
import type { Context } from '../base/context.ts';
import { type MessageContent, openMessageData } from '../sealing/rows.ts';
import { type Unit, prepare } from '../base/unit.ts';

type Author = Pick<MessageContent, 'from' | 'fromNumber' | 'fromLid'>;

/** Compares addresses of the same kind; without one, nothing is proven. */
const isAnother = ({ from, fromNumber, fromLid }: Author, { number, lid }: Claim['author']): boolean => {
  if (fromNumber !== null && number !== null) return fromNumber !== number;
  const known = fromLid ?? (jidKind(from) === 'lid' ? from : null);
  return known !== null && lid !== null && known !== lid;
};

/** True if the message is stored and known to be somebody else's. */
export type IsAnothers = (deviceId: number, claim: Claim) => Unit<boolean>;

export const makeAuthorship = ({ sql, sealer }: Context): IsAnothers => {
  const byId = prepare((p: { deviceId: number; id: string }) =>
    sql
      .selectFrom('messages')
      .select(['device_id', 'chat_hash', 'lid_hash', 'id', 'data'])
      .where('device_id', '=', p.deviceId)
      .where('id', '=', p.id),
  );
  return function* isAnothers(deviceId, { messageId, chat, author }) {
    const hash = sealer.lookup('chat', deviceId, chat);
    const rows = yield* byId.all({ deviceId, id: messageId });
    const row = rows.find((each) => each.chat_hash === hash) ?? rows.find((each) => each.lid_hash === hash);
    return row !== undefined && isAnother(openMessageData(sealer, row), author);
  };
};
