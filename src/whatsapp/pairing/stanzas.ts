/** Stanzas of linking: those of the namespace `md`, their answers, and acknowledgements. */
import { type BinaryNode, getBinaryNodeChild, S_WHATSAPP_NET } from '../engine/nodes.ts';
import type { WASocket } from '../engine/types.ts';
import { messageOf } from '../../errors.ts';

/** A refusal, with the network's own text. */
export class Refused extends Error {
  readonly code: number | null;

  constructor(text: string, code: number | null) {
    super(code === null ? text : `${text} (${code})`);
    this.code = code;
  }
}

const answerMs = 20_000;

const refusalOf = (error: unknown): unknown => {
  if (!(error instanceof Error) || !('data' in error)) return error;
  return typeof error.data === 'number' ? new Refused(messageOf(error), error.data) : error;
};

/** Queries the network. Throws Refused for an error, and a readable Error without an answer or connection. */
export const ask = async (sock: WASocket, type: 'get' | 'set', content: BinaryNode): Promise<BinaryNode> => {
  const iq = {
    tag: 'iq',
    attrs: { to: S_WHATSAPP_NET, type, id: sock.generateMessageTag(), xmlns: 'md' },
    content: [content],
  };
  let answer: BinaryNode | undefined;
  try {
    answer = await sock.query(iq, answerMs);
  } catch (error) {
    throw refusalOf(error);
  }
  if (answer === undefined) throw new Error('the network did not answer');
  return answer;
};

export const leaf = (tag: string, content?: Uint8Array | string): BinaryNode =>
  content === undefined ? { tag, attrs: {} } : { tag, attrs: {}, content };

/** Short contents may have been decoded as text. */
const contentBytes = (node: BinaryNode | undefined): Uint8Array | undefined => {
  const content = node?.content;
  if (content instanceof Uint8Array) return content;
  return typeof content === 'string' ? Buffer.from(content) : undefined;
};

export const contentText = (node: BinaryNode | undefined): string | undefined => {
  const bytes = contentBytes(node);
  return bytes === undefined ? undefined : Buffer.from(bytes).toString();
};

/** The bytes of a child; undefined if absent. */
export const bytesOf = (node: BinaryNode | undefined, tag: string): Uint8Array | undefined =>
  contentBytes(getBinaryNodeChild(node, tag));

export const textOf = (node: BinaryNode | undefined, tag: string): string | undefined =>
  contentText(getBinaryNodeChild(node, tag));

/** Ignores a closed connection. */
export const sendQuietly = (sock: WASocket, node: BinaryNode): void => {
  sock.sendNode(node).catch(() => {});
};

/** Baileys acknowledges notifications only once it knows the account. */
export const acknowledge = (sock: WASocket, { attrs }: BinaryNode): void =>
  sendQuietly(sock, {
    tag: 'ack',
    attrs: { id: attrs.id ?? '', to: attrs.from ?? '', class: 'notification', type: attrs.type ?? '' },
  });
