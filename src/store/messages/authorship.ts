/** Authorship of stored messages: some changes require the author. */
import { jidKind } from '../../domain/jid.ts';
import type { MessageChange } from '../../domain/message.ts';
import type { Context } from '../base/context.ts';
import { type MessageContent, openMessageData } from '../sealing/rows.ts';
import { type Unit, prepare } from '../base/unit.ts';

type Author = Pick<MessageContent, 'from' | 'fromNumber' | 'fromLid'>;

/** Addresses of the same kind only; otherwise nothing is proven. */
const isAnother = ({ from, fromNumber, fromLid }: Author, { number, lid }: Claim['author']): boolean => {
  if (fromNumber !== null && number !== null) return fromNumber !== number;
  const known = fromLid ?? (jidKind(from) === 'lid' ? from : null);
  return known !== null && lid !== null && known !== lid;
};

type Claim = Required<Pick<MessageChange, 'messageId' | 'chat' | 'author'>>;
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
