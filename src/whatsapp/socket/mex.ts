/** GraphQL queries to the network (`w:mex`), by number of a known query. */
import { type BinaryNode, getBinaryNodeChild, S_WHATSAPP_NET } from '../library/nodes.ts';

const maxBytes = 65_536;

export type Json = Readonly<Record<string, unknown>>;

const objectIn = (value: unknown): Json | null =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : null;

export const mexQuestion = (queryId: string, variables: object): BinaryNode => ({
  tag: 'iq',
  attrs: { type: 'get', to: S_WHATSAPP_NET, xmlns: 'w:mex' },
  content: [{ tag: 'query', attrs: { query_id: queryId }, content: Buffer.from(JSON.stringify({ variables })) }],
});

export const mexData = (node: BinaryNode | undefined, member: string): Json | null => {
  const content = node?.content;
  if (!(content instanceof Uint8Array || typeof content === 'string') || content.length > maxBytes) return null;
  try {
    const parsed: unknown = JSON.parse(typeof content === 'string' ? content : Buffer.from(content).toString());
    return objectIn(objectIn(objectIn(parsed)?.['data'])?.[member]);
  } catch {
    return null;
  }
};

/** The result of a query: data, or a refusal, which must not look like an empty answer. */
export interface MexOutcome {
  readonly data: Json | null;
  readonly refusal: { readonly code: number; readonly text: string } | null;
}

const noData: MexOutcome = { data: null, refusal: null };
/** Characters of a refusal that are passed on. */
const maxWords = 200;

const refusalIn = (errors: unknown): MexOutcome['refusal'] => {
  const first = Array.isArray(errors) ? objectIn(errors[0]) : null;
  if (first === null) return null;
  const code = Number(objectIn(first['extensions'])?.['error_code']);
  const { message } = first;
  return {
    code: Number.isSafeInteger(code) ? code : 0,
    text: typeof message === 'string' ? message.slice(0, maxWords) : '',
  };
};

/** `maxLength`: of the answer, in bytes; a longer one counts as none. */
export const mexOutcome = (iq: BinaryNode, maxLength: number): MexOutcome => {
  const content = getBinaryNodeChild(iq, 'result')?.content;
  if (!(content instanceof Uint8Array || typeof content === 'string') || content.length > maxLength) return noData;
  try {
    const parsed = objectIn(JSON.parse(typeof content === 'string' ? content : Buffer.from(content).toString()));
    return { data: objectIn(parsed?.['data']), refusal: refusalIn(parsed?.['errors']) };
  } catch {
    return noData;
  }
};

export const mexAnswer = (iq: BinaryNode | null, member: string): Json | null =>
  iq === null ? null : mexData(getBinaryNodeChild(iq, 'result'), member);
