/** Authorship of stored messages: changes that only the author may make are refused from others. */
import type { Claim } from '../../domain/event.ts';
import { jidKind } from '../../domain/jid.ts';
import type { Context } from '../base/context.ts';
import { type MessageContent, openMessageData } from '../sealing/rows.ts';
import { type Unit, prepare } from '../base/unit.ts';

type Author = Pick<MessageContent, 'from' | 'fromNumber' | 'fromLid'>;

/** Compares the kind of address that is known of both; without one nothing is proven. */
const isAnother = ({ from, fromNumber, fromLid }: Author, { number, lid }: Claim['author']): boolean => {
  if (fromNumber !== null && number !== null) return fromNumber !== number;
  const known = fromLid ?? (jidKind(from) === 'lid' ? from : null);
  return known !== null && lid !== null && known !== lid;
};

/** True when the message is stored and known to be written by somebody else. */
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
