/** Stanzas of linking: those of the namespace `md`, their answers, and acks. */
import { type BinaryNode, getBinaryNodeChild, S_WHATSAPP_NET } from '../library/nodes.ts';
import type { Socket } from '../socket/socket.ts';
import { messageOf } from '../../errors.ts';
import { Refused, refusalOf } from '../socket/query.ts';

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
