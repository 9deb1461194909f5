/** Conversation actions on an open connection. */
import { type Jid, jidKind, jidUser } from '../../domain/jid.ts';
import { SendOutcomeUnknown, invalidRequest } from '../../errors.ts';
import { askAll, knownAccounts, registered } from '../identity/look-up.ts';
import { type BinaryNode, S_WHATSAPP_NET } from '../library/nodes.ts';
import type { Session } from '../session.ts';
import { makeMessageId } from '../send/message-stanza.ts';
import { sendMessage } from '../send/send.ts';
import { NoAnswer, noAnswer, asked } from '../socket/query.ts';
import type { Conversation, FoundAccount } from '../../domain/chats/conversation.ts';
import { assertIn } from '../send/group-of.ts';
import { meOf } from '../identity/people.ts';
import { rejectCall } from './calls.ts';
import { askAbout } from '../profile/about.ts';
import { askPictureId, changeProfile, downloadPicture, setPicture } from '../profile/profile.ts';
import { changeOwnUsername, knownUsernames, lookUpUsernames, ownUsername } from './usernames.ts';
import { markRead } from './read-marks.ts';

export const setTimer = async (session: Session, chat: Jid, seconds: number): Promise<void> => {
  const { deviceId, store, timers, clock } = session;
  const recipient = { kind: jidKind(chat) === 'lid' ? 'lid' : 'phone', jid: chat } as const;
  const message = { id: makeMessageId(), recipient, content: { kind: 'timer', seconds } } as const;
  const { record } = await sendMessage(session, message).catch((error: unknown) => {
    const cause = error instanceof Error ? error.cause : null;
    // The person's devices and keys may be queried first.
    throw cause instanceof SendOutcomeUnknown || cause instanceof NoAnswer ? noAnswer() : error;
  });
  const keys = timers.told(record, { seconds, setAt: Math.floor(clock.now() / 1_000) });
  if (keys.length > 0) await store.commit(deviceId, { keys });
};

const addressIn = ({ creds, conversation }: Session, person: Jid | null): Promise<Jid> =>
  person === null ? Promise.resolve(meOf(creds).phone) : conversation.addressOf(person);

const foundOf = async ({ lidMapping }: Session, number: string, jid: Jid | null): Promise<FoundAccount> => {
  const lid = jid === null ? null : (lidMapping.find(jid) ?? (await lidMapping.addressesOf(jid))).lid;
  return { number, exists: jid !== null, jid, lid };
};

const knownNumbers = async (session: Session, numbers: readonly string[]): Promise<readonly FoundAccount[]> => {
  const known = await knownAccounts(session, numbers);
  return Promise.all([...known].map(([number, jid]) => foundOf(session, number, jid)));
};

const lookUpNumbers = async (session: Session, numbers: readonly string[]): Promise<readonly FoundAccount[]> => {
  const found = await asked(session.deviceId, {}, () => askAll(session, numbers));
  return Promise.all([...found].map(([number, jid]) => foundOf(session, number, jid)));
};

const registeredPerson = (session: Session, person: Jid): Promise<Jid> =>
  asked(session.deviceId, {}, () => registered(session, person));

/** By LID; blocking adds the number, else the username, else the name shown, else a mark (zapo `privacy.ts`, after WhatsApp Web, 2026-08). */
const nameOfBlocked = (
  phone: Jid | null,
  username: string | undefined,
  shownName: string | null,
): Readonly<Record<string, string>> => {
  if (phone !== null) return { pn_jid: phone };
  if (username !== undefined) return { username };
  return shownName === null ? { unknown_identifier: 'true' } : { display_name: shownName };
};

const setBlocked = async (
  session: Session,
  given: Jid,
  blocked: boolean,
  shownName: string | null = null,
): Promise<void> => {
  const { sock, deviceId, lidMapping, store } = session;
  const jid = await registeredPerson(session, given);
  let { phone, lid, username } = await lidMapping.addressesOf(jid);
  if (phone !== null && lid === null) lid = await asked(deviceId, {}, () => lidMapping.getLIDForPN(phone!));
  if (jidKind(jid) === 'phone') phone ??= jid;
  if (lid === null) throw invalidRequest(`person has no account on the network: ${jidUser(jid)}`);
  const attrs = blocked
    ? { action: 'block', jid: lid, ...nameOfBlocked(phone, username, shownName) }
    : { action: 'unblock', jid: lid };
  const item: BinaryNode = { tag: 'item', attrs };
  await asked(deviceId, { 404: `person has no account on the network: ${jidUser(jid)}` }, () =>
    sock.query({ tag: 'iq', attrs: { xmlns: 'blocklist', to: S_WHATSAPP_NET, type: 'set' }, content: [item] }),
  );
  await store.commit(deviceId, { contacts: [{ jid: phone ?? lid, lid, blocked }] });
};

/** `session` throws DeviceNotConnected while there is none. */
export const conversationOf = (session: () => Session): Conversation => ({
  async showTyping(chat, state, ms) {
    const { deviceId, conversation, storedGroups } = session();
    await asked(deviceId, {}, async () => {
      if (jidKind(chat) === 'group') await assertIn(storedGroups, chat);
      await conversation.typing.show(chat, state, ms);
    });
  },
  async markRead(messages, tell) {
    const open = session();
    await markRead(open, open.conversation.addressOf, messages, tell);
  },
  rejectCall: async (call) => rejectCall(session(), call),
  setTimer: async (chat, seconds) => setTimer(session(), chat, seconds),
  knownNumbers: async (numbers) => knownNumbers(session(), numbers),
  lookUpNumbers: async (numbers) => lookUpNumbers(session(), numbers),
  knownUsernames: async (names) => knownUsernames(session(), names),
  lookUpUsernames: async (names) => lookUpUsernames(session(), names),
  ownUsername: async () => ownUsername(session()),
  async loadHistory(oldest, count) {
    const { deviceId, conversation } = session();
    await asked(deviceId, {}, () => conversation.history.ask(oldest.chat, oldest, count));
  },
  registered: async (person) => registeredPerson(session(), person),
  setBlocked: async (person, blocked, shownName) => setBlocked(session(), person, blocked, shownName),
  async factsOf(person) {
    const open = session();
    const jid = await addressIn(open, person);
    const { about, aboutExpiresAt } = await askAbout(open, jid);
    const picture = await askPictureId(open, jid);
    if (person !== null) await open.store.commit(open.deviceId, { contacts: [{ jid: person, about, picture }] });
    return { about, aboutExpiresAt, picture };
  },
  async pictureOf(person) {
    const open = session();
    return downloadPicture(open, await addressIn(open, person));
  },
  async changeProfile(change) {
    // First, because others decide whether the name is available.
    await changeOwnUsername(session(), change);
    await changeProfile(session(), change);
  },
  setPicture: async (jpeg) => setPicture(session(), jpeg),
});
