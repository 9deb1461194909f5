/** The acts of a conversation that the service asks of an open connection. */
import { type Jid, jidKind } from '../../domain/jid.ts';
import { SendOutcomeUnknown } from '../../errors.ts';
import type { Session } from '../session.ts';
import { makeMessageId } from '../send/message-stanza.ts';
import { sendMessage } from '../send/send.ts';
import { isSilence, noAnswer, asked } from '../engine/asked.ts';
import type { Conversation } from '../../domain/chats/conversation.ts';
import { assertIn } from '../send/group-of.ts';
import { meOf } from '../identity/account.ts';
import { rejectCall } from './calls.ts';
import { knownNumbers, lookUpNumbers, registeredPerson, setBlocked } from './contacts.ts';
import { askAbout } from '../profile/about.ts';
import { askPictureId, changeProfile, downloadPicture, setPicture } from '../profile/profile.ts';
import { markRead } from './read-marks.ts';

/** Sets the timer of disappearing messages in a chat with a person: by a message, as stock Baileys does. */
/** 0: messages stay. */
export const setTimer = async (link: Session, chat: Jid, seconds: number): Promise<void> => {
  const { deviceId, store, timers, clock } = link;
  const recipient = { kind: jidKind(chat) === 'lid' ? 'lid' : 'phone', jid: chat } as const;
  const message = { id: makeMessageId(), recipient, content: { kind: 'timer', seconds } } as const;
  const { record } = await sendMessage(link, message).catch((error: unknown) => {
    const cause = error instanceof Error ? error.cause : null;
    // The devices and keys of the person may be asked for first.
    throw cause instanceof SendOutcomeUnknown || isSilence(cause) ? noAnswer() : error;
  });
  const keys = timers.told(record, { seconds, setAt: Math.floor(clock.now() / 1_000) });
  if (keys.length > 0) await store.commit(deviceId, { keys });
};

/** Null: the account's own phone JID. */
const addressIn = ({ creds, conversation }: Session, person: Jid | null): Promise<Jid> =>
  person === null ? Promise.resolve(meOf(creds).phone) : conversation.addressOf(person);

/** `link` throws DeviceNotConnected while there is none. */
export const conversationOf = (link: () => Session): Conversation => ({
  async showTyping(chat, state, ms) {
    const { deviceId, conversation, groupKeeper } = link();
    await asked(deviceId, {}, async () => {
      if (jidKind(chat) === 'group') await assertIn(groupKeeper, chat);
      await conversation.typing.show(chat, state, ms);
    });
  },
  async markRead(messages, tell) {
    const open = link();
    await markRead(open, open.conversation.addressOf, messages, tell);
  },
  rejectCall: async (call) => rejectCall(link(), call),
  setTimer: async (chat, seconds) => setTimer(link(), chat, seconds),
  knownNumbers: async (numbers) => knownNumbers(link(), numbers),
  lookUpNumbers: async (numbers) => lookUpNumbers(link(), numbers),
  async loadHistory(oldest, count) {
    const { deviceId, conversation } = link();
    await asked(deviceId, {}, () => conversation.history.ask(oldest.chat, oldest, count));
  },
  registered: async (person) => registeredPerson(link(), person),
  setBlocked: async (person, blocked, shownName) => setBlocked(link(), person, blocked, shownName),
  async factsOf(person) {
    const open = link();
    const jid = await addressIn(open, person);
    const { about, aboutExpiresAt } = await askAbout(open, jid);
    const picture = await askPictureId(open, jid);
    if (person !== null) await open.store.commit(open.deviceId, { contacts: [{ jid: person, about, picture }] });
    return { about, aboutExpiresAt, picture };
  },
  async pictureOf(person) {
    const open = link();
    return downloadPicture(open, await addressIn(open, person));
  },
  changeProfile: async (change) => changeProfile(link(), change),
  setPicture: async (jpeg) => setPicture(link(), jpeg),
});
