/** Stanzas of linking: those of the namespace `md`, their answers, and acks. */
import type { Account } from '../../domain/sessions/state.ts';
import { accountOf, noteClientProps } from '../identity/account.ts';
import { type BinaryNode, getBinaryNodeChild, S_WHATSAPP_NET } from '../library/nodes.ts';
import { configureSuccessfulPairing } from '../library/protocol.ts';
import type { Session } from '../session.ts';
import { serializeCredentials } from '../signal/credentials.ts';
import type { Socket } from '../socket/socket.ts';
import { messageOf } from '../../errors.ts';
import { Refused, refusalOf } from '../socket/query.ts';
import type { SessionStore } from '../state/session-store.ts';

/** Throws Refused, with the code in its text, and a readable Error without an answer or connection. */
export const ask = async (
  sock: Pick<Socket, 'nextId' | 'query'>,
  type: 'get' | 'set',
  content: BinaryNode,
): Promise<BinaryNode> => {
  const attrs = { to: S_WHATSAPP_NET, type, id: sock.nextId(), xmlns: 'md' };
  try {
    return await sock.query({ tag: 'iq', attrs, content: [content] });
  } catch (error) {
    const code = refusalOf(error);
    throw code === null ? error : new Refused(code, `${messageOf(error)} (${code})`);
  }
};

export const leaf = (tag: string, content?: Uint8Array | string): BinaryNode =>
  content === undefined ? { tag, attrs: {} } : { tag, attrs: {}, content };

const contentBytes = (node: BinaryNode | undefined): Uint8Array | undefined => {
  const content = node?.content;
  if (content instanceof Uint8Array) return content;
  return typeof content === 'string' ? Buffer.from(content) : undefined;
};

export const contentText = (node: BinaryNode | undefined): string | undefined => {
  const bytes = contentBytes(node);
  return bytes === undefined ? undefined : Buffer.from(bytes).toString();
};

export const bytesOf = (node: BinaryNode | undefined, tag: string): Uint8Array | undefined =>
  contentBytes(getBinaryNodeChild(node, tag));

export const textOf = (node: BinaryNode | undefined, tag: string): string | undefined =>
  contentText(getBinaryNodeChild(node, tag));

export const sendQuietly = (sock: Socket, node: BinaryNode): void => {
  sock.sendNode(node).catch(() => {});
};

export const acknowledge = (sock: Socket, { attrs }: BinaryNode): void =>
  sendQuietly(sock, {
    tag: 'ack',
    attrs: { id: attrs.id ?? '', to: attrs.from ?? '', class: 'notification', type: attrs.type ?? '' },
  });

/** With this answer the phone reports the failure (zapo WaPairingFlow, 2026-08-19; whatsmeow pair.go, 2026-08-21). */
const notAuthorized = { code: '401', text: 'not-authorized' };
const internalError = { code: '500', text: 'internal-error' };

const orRefuse = async <T>(
  sock: Socket,
  { attrs: { id = '' } }: BinaryNode,
  why: Record<string, string>,
  work: () => T | Promise<T>,
): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    const attrs = { to: S_WHATSAPP_NET, type: 'error', id };
    await sock.sendNode({ tag: 'iq', attrs, content: [{ tag: 'error', attrs: why }] }).catch(() => {});
    throw error;
  }
};

/** Stores the account before `reply` may complete the pairing. Throws if the confirmation is not from the phone that scanned the QR. */
export const confirmPairing = async (
  deviceId: number,
  { sock, creds }: Session,
  store: SessionStore,
  stanza: BinaryNode,
): Promise<{ account: Account; reply: () => void }> => {
  const { creds: confirmed, reply } = await orRefuse(sock, stanza, notAuthorized, () =>
    configureSuccessfulPairing(stanza, creds),
  );
  Object.assign(creds, confirmed);
  noteClientProps(creds, stanza);
  const account = accountOf(creds);
  await orRefuse(sock, stanza, internalError, () =>
    store.commit(deviceId, { credentials: serializeCredentials(creds), account }),
  );
  return {
    account,
    reply() {
      // If the connection is gone, the next login shows whether the link was made.
      sock.sendNode(reply).catch(() => {});
    },
  };
};
