/** GraphQL queries to the network (`w:mex`), by number of a known query. */
import { type BinaryNode, getBinaryNodeChild, S_WHATSAPP_NET } from './nodes.ts';

const maxBytes = 65_536;

export type Json = Readonly<Record<string, unknown>>;

export const objectIn = (value: unknown): Json | null =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : null;

export const mexQuestion = (queryId: string, variables: object): BinaryNode => ({
  tag: 'iq',
  attrs: { type: 'get', to: S_WHATSAPP_NET, xmlns: 'w:mex' },
  content: [{ tag: 'query', attrs: { query_id: queryId }, content: Buffer.from(JSON.stringify({ variables })) }],
});

/** The named field of an answer; null for a refusal, an error, or no answer. */
export const mexAnswer = (iq: BinaryNode | null, member: string): Json | null => {
  const content = iq === null ? undefined : getBinaryNodeChild(iq, 'result')?.content;
  if (!(content instanceof Uint8Array || typeof content === 'string') || content.length > maxBytes) return null;
  try {
    const parsed: unknown = JSON.parse(typeof content === 'string' ? content : Buffer.from(content).toString());
    return objectIn(objectIn(objectIn(parsed)?.['data'])?.[member]);
  } catch {
    return null;
  }
};
