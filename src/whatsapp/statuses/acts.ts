/** The acts on statuses, on an open connection. */
import { randomBytes } from 'node:crypto';
import type { Jid } from '../../domain/jid.ts';
import {
  type StatusContent,
  type Statuses,
  type StatusPost,
  type StatusRecord,
  statusJid,
  type StatusPrivacy,
} from '../../domain/messages/statuses.ts';
import { HandsetError, invalidRequest, isUnavailable, SendOutcomeUnknown } from '../../errors.ts';
import { keptPrivacy, peopleIn } from '../chats/app-state/status-privacy.ts';
import { getBinaryNodeChild, getBinaryNodeChildren, S_WHATSAPP_NET } from '../library/nodes.ts';
import { proto, writeRandomPadMax16 } from '../library/proto.ts';
import { deviceJid } from '../identity/addressing.ts';
import { meOf, myself } from '../identity/people.ts';
import { composeFile } from '../send/compose.ts';
import { encryptForDevices } from '../send/encrypt-for-devices.ts';
import { deviceIdentity, encNode, makeMessageId } from '../send/message-stanza.ts';
import { SendRefused } from '../send/server-ack.ts';
import type { Session } from '../session.ts';
import { refusalOf, asked } from '../socket/query.ts';
import type { Socket } from '../socket/socket.ts';
import type { SessionStore } from '../state/session-store.ts';
import { statusRecord } from './translate.ts';

const lidsTogether = 500;

/** Distinct LIDs, without the own one; people without a LID are left out. */
const lidsOf = async ({ creds, lidMapping }: Session, people: readonly Jid[]): Promise<readonly Jid[]> => {
  const me = meOf(creds);
  const lids = new Set<Jid>();
  for (let at = 0; at < people.length; at += lidsTogether) {
    const some = people.slice(at, at + lidsTogether);
    const unknown: Jid[] = [];
    for (const jid of some) if ((await lidMapping.addressesOf(jid)).lid === null) unknown.push(jid);
    const queried = unknown.length === 0 ? [] : ((await lidMapping.getLIDsForPNs(unknown)) ?? []);
    const found = new Map(queried.map(({ pn, lid }) => [pn, lid]));
    for (const jid of some) {
      const lid = found.get(jid) ?? (await lidMapping.addressesOf(jid)).lid;
      if (lid !== null && lid !== me.lid) lids.add(lid);
    }
  }
  return [...lids];
};

/** As WhatsApp Web sends a text: never as `conversation`, which has no colour and font. */
const textOf = ({ text, background, font }: Extract<StatusContent, { kind: 'text' }>): proto.IMessage => ({
  extendedTextMessage: {
    text,
    backgroundArgb: background === null ? null : Number.parseInt(`ff${background.slice(1)}`, 16),
    font,
  },
});

const composed = async (session: Session, content: StatusContent, signal?: AbortSignal): Promise<proto.Message> => {
  const body = content.kind === 'text' ? textOf(content) : await composeFile(session, content, signal);
  return proto.Message.create({ ...body, messageContextInfo: { messageSecret: randomBytes(32) } });
};

const failed = (cause: unknown): unknown => {
  if (cause instanceof HandsetError || isUnavailable(cause)) return cause;
  const words = cause instanceof SendRefused ? `: ${cause.message}` : '';
  return new HandsetError('SendFailed', `Failed to send the status${words}`, { cause });
};

const post = async (session: Session, { id, content, privacy, audience, signal }: StatusPost): Promise<number> => {
  const { deviceId, store, creds, clock, statusSends } = session;
  const people = await lidsOf(session, audience);
  if (people.length === 0)
    throw invalidRequest('The status would be seen by nobody: nobody of its audience has an account');
  const message = await composed(session, content, signal);
  signal?.throwIfAborted();
  const now = clock.now();
  const envelope = { id, from: myself(meOf(creds)), fromMe: true, at: now };
  const bytes = proto.Message.encode(message).finish();
  const status = statusRecord(envelope, message, { peek: session.lidMapping.peek, now }, { recipients: 0, bytes })!;
  const changes = { statuses: [{ kind: 'new', status, audience: people } as const] };
  try {
    const recipients = await statusSends.send({ id, message, privacy, audience: people }, changes);
    await store.commit(deviceId, { statuses: [{ kind: 'accepted', id, at: clock.now(), recipients }] });
    return recipients;
  } catch (error) {
    if (error instanceof SendRefused) await store.commit(deviceId, { statuses: [{ kind: 'withdrawn', id }] });
    throw error;
  }
};

const remove = async (session: Session, id: string, audience: readonly Jid[]): Promise<void> => {
  const { deviceId, store, clock, statusSends } = session;
  const key = { remoteJid: statusJid, fromMe: true, id };
  const message = { protocolMessage: { key, type: proto.Message.ProtocolMessage.Type.REVOKE } };
  await statusSends.send({ id: makeMessageId(), message, privacy: null, audience }, {});
  await store.commit(deviceId, { statuses: [{ kind: 'deleted', id, at: clock.now() }] });
};

const authorOf = ({ message: { from, fromLid } }: StatusRecord): Jid => fromLid ?? from;

const view = async ({ sock, lidMapping }: Session, status: StatusRecord): Promise<void> => {
  const author = authorOf(status);
  const { phone } = await lidMapping.addressesOf(author);
  const named = { participant: author, ...(phone !== null && phone !== author && { peer_participant_pn: phone }) };
  const attrs = { id: status.message.id, to: statusJid, type: 'read', context: 'status', ...named };
  await sock.sendNode({ tag: 'receipt', attrs });
};

/** Sent to the author's devices only, pairwise, and without `<meta>` (whatsapp-rust #569, live: 479 with it). */
const react = async (session: Session, status: StatusRecord, reaction: string | null): Promise<void> => {
  const { creds, line, acks, deviceLists, clock } = session;
  const author = authorOf(status);
  const key = { remoteJid: statusJid, fromMe: false, id: status.message.id, participant: author };
  const reactionMessage = { key, text: reaction ?? '', senderTimestampMs: clock.now() };
  const bytes = proto.Message.encode({ reactionMessage }).finish();
  const [devices = []] = await deviceLists.of([author]);
  const plaintexts = devices.map((each) => ({ jid: deviceJid(each), plaintext: writeRandomPadMax16(bytes) }));
  const encrypted = await encryptForDevices(session, plaintexts);
  const to = plaintexts.flatMap(({ jid }, index) => {
    const payload = encrypted[index];
    return payload ? [{ tag: 'to', attrs: { jid }, content: [encNode(payload, { 'decrypt-fail': 'hide' })] }] : [];
  });
  if (to.length === 0) throw new Error('the reaction could be encrypted for no device of the author');
  const id = makeMessageId();
  const begins = encrypted.some((payload) => payload?.type === 'pkmsg');
  const content = [{ tag: 'participants', attrs: {}, content: to }, ...(begins ? deviceIdentity(creds) : [])];
  const edit = reaction === null ? { edit: '7' } : {};
  line.send([{ tag: 'message', attrs: { id, to: statusJid, type: 'reaction', ...edit }, content }]);
  await acks.wait(id, Promise.resolve());
};

interface Asking {
  readonly deviceId: number;
  readonly store: Pick<SessionStore, 'readKeys'>;
  readonly sock: Pick<Socket, 'query'>;
}

const notFound = 404;

const fromServer = async ({ deviceId, sock }: Asking): Promise<StatusPrivacy> => {
  const answer = await asked(deviceId, {}, async () => {
    try {
      const content = [{ tag: 'privacy', attrs: {} }];
      return await sock.query({ tag: 'iq', attrs: { xmlns: 'status', type: 'get', to: S_WHATSAPP_NET }, content });
    } catch (error) {
      if (refusalOf(error) === notFound) return null;
      throw error;
    }
  });
  const lists = answer === null ? [] : getBinaryNodeChildren(getBinaryNodeChild(answer, 'privacy'), 'list');
  const list = lists.find(({ attrs }) => attrs['default'] === 'true');
  if (list === undefined) return { kind: 'contacts' };
  const people = peopleIn(getBinaryNodeChildren(list, 'user').map(({ attrs }) => attrs['jid']));
  if (list.attrs['type'] === 'whitelist') return { kind: 'only', people };
  return list.attrs['type'] === 'blacklist' ? { kind: 'except', people } : { kind: 'contacts' };
};

/**
 * The audience chosen on the phone: from app state (`status_privacy`), else the server's list, of older accounts (whatsmeow `GetStatusPrivacy`,
 * broadcast.go, 2026-08-21), else the contacts. Throws Conflict if only the phone knows the list.
 */
const askPrivacy = async (session: Asking): Promise<StatusPrivacy> => {
  const kept = await keptPrivacy(session.store, session.deviceId);
  if (kept === null) return fromServer(session);
  if (kept.kind !== 'unreadable') return kept;
  const words = 'The account shows its statuses to a list that only its phone knows: give audience';
  throw new HandsetError('Conflict', words);
};

/** `open` throws DeviceNotConnected while there is no connection. */
export const statusesOf = (open: () => Session): Statuses => {
  const act = async <T>(run: (session: Session) => Promise<T>): Promise<T> => {
    const session = open();
    try {
      return await run(session);
    } catch (error) {
      const { deviceId, log } = session;
      if (error instanceof SendRefused || error instanceof SendOutcomeUnknown)
        log.warn({ deviceId, error: error.message }, 'a status was not sent');
      throw failed(error);
    }
  };
  return {
    privacy: () => act((session) => askPrivacy(session)),
    post: (status) => act((session) => post(session, status)),
    remove: (id, audience) => act((session) => remove(session, id, audience)),
    view: (status) => act((session) => view(session, status)),
    react: (status, reaction) => act((session) => react(session, status, reaction)),
  };
};
