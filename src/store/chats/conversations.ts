/** Chats and contacts in a session's commit, and what a logout leaves of them. */
import type { SessionChanges } from '../../domain/changes.ts';
import type { MessageRecord } from '../../domain/message.ts';
import type { Context } from '../context.ts';
import { chatWriter } from './chat-writer.ts';
import { contactWriter } from './contact-writer.ts';
import { pairLearner } from './pairs.ts';
import { makeResolve, pairsIn } from './resolve.ts';
import { type Unit, all } from '../unit.ts';

type WriteConversations = (deviceId: number, changes: SessionChanges, messages: readonly MessageRecord[]) => Unit<void>;

/** `messages`: those that are new. The keys must be written before: they have the pairs of phone number and LID. */
export const conversationWriter = (context: Context): WriteConversations => {
  const resolve = makeResolve(context);
  const learn = pairLearner(context);
  const writeChats = chatWriter(context, resolve);
  const writeContacts = contactWriter(context, resolve);
  return function* write(deviceId, changes, messages) {
    const pairs = changes.keys === undefined ? [] : pairsIn(changes.keys);
    if (pairs.length > 0) yield* learn(deviceId, pairs);
    yield* writeChats(deviceId, changes, messages);
    const { contacts, blockedReset, appState, appStateReset } = changes;
    if ((contacts ?? blockedReset ?? appState ?? appStateReset) !== undefined) yield* writeContacts(deviceId, changes);
  };
};

/** Forgets all that the phone has shared: it goes with the link. Of chats those with messages stay, and what the messages tell of them. */
export function* forgetConversations({ sql }: Context, deviceId: number): Unit<void> {
  yield* all(sql.deleteFrom('contacts').where('device_id', '=', deviceId));
  const withoutMessages = sql
    .deleteFrom('chats')
    .where('device_id', '=', deviceId)
    .where((e) => {
      const messages = e
        .selectFrom('messages as m')
        .select('m.n')
        .whereRef('m.device_id', '=', 'chats.device_id')
        .where((m) =>
          m.or([m('m.chat_hash', '=', m.ref('chats.jid_hash')), m('m.chat_hash', '=', m.ref('chats.lid_hash'))]),
        );
      return e.not(e.exists(messages));
    });
  yield* all(withoutMessages);
  yield* all(
    sql
      .updateTable('chats')
      .set({ archived: 0, pinned_at: null, muted_until: null, timer: null, name: null })
      .where('device_id', '=', deviceId),
  );
}
