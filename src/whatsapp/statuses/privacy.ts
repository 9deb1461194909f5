/**
 * The audience of statuses chosen on the phone: from app state, else from the list the server keeps of older accounts, else the contacts. Source:
 * WhatsApp Web's `status_privacy`; whatsmeow `GetStatusPrivacy` (broadcast.go, 2026-08-21) queries the server only.
 */
import type { StatusPrivacy } from '../../domain/messages/statuses.ts';
import { HandsetError } from '../../errors.ts';
import { keptPrivacy, peopleIn } from '../chats/app-state/status-privacy.ts';
import { asked } from '../socket/asked.ts';
import { refusalOf } from '../socket/query.ts';
import { getBinaryNodeChild, getBinaryNodeChildren, S_WHATSAPP_NET } from '../library/nodes.ts';
import type { Socket } from '../socket/socket.ts';
import type { SessionStore } from '../state/session-store.ts';

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

/** Throws Conflict if only the phone knows the list. */
export const askPrivacy = async (session: Asking): Promise<StatusPrivacy> => {
  const kept = await keptPrivacy(session.store, session.deviceId);
  if (kept === null) return fromServer(session);
  if (kept.kind !== 'unreadable') return kept;
  const words = 'The account shows its statuses to a list that only its phone knows: give audience';
  throw new HandsetError('Conflict', words);
};
