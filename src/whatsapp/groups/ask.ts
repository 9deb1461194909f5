/** Group queries (`w:g2`), and the network's refusals as messages. */
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren } from '../library/nodes.ts';
import type { Socket } from '../socket/socket.ts';
import type { Jid } from '../../domain/jid.ts';
import { HandsetError, notFound } from '../../errors.ts';
import type { LidMapping } from '../signal/lid-mapping.ts';
import { refusalOf, asked } from '../socket/query.ts';

export interface Asking {
  readonly sock: Pick<Socket, 'query'>;
  readonly lidMapping: Pick<LidMapping, 'learn'>;
}

export const groupServer = '@g.us';

export const askGroup = async (
  { sock, lidMapping }: Asking,
  to: Jid,
  type: 'get' | 'set',
  content: BinaryNode,
): Promise<BinaryNode> => {
  const answer: BinaryNode = await sock.query({ tag: 'iq', attrs: { type, xmlns: 'w:g2', to }, content: [content] });
  await lidMapping.learn(answer);
  return answer;
};

export const node = (tag: string, attrs: Record<string, string> = {}, content?: BinaryNode['content']): BinaryNode =>
  content === undefined ? { tag, attrs } : { tag, attrs, content };

const notAdministrator = 'The account is not an administrator of this group';

const refusals: Readonly<Record<number, string>> = {
  401: notAdministrator,
  403: notAdministrator,
  406: 'The network does not accept this: it is too long, or in a form that it does not know',
  409: 'The group was changed meanwhile; try again',
  419: 'The group is full',
  429: 'The network asks to change groups less often',
};

const unknownGroup = (error: unknown, codes: readonly number[]): boolean => codes.includes(refusalOf(error) ?? 0);

/** `hidden`: codes for a group that is unknown or not the account's. */
export const askedOfGroup = <T>(
  deviceId: number,
  ask: () => Promise<T>,
  words: Readonly<Record<number, string>> = {},
  hidden: readonly number[] = [404],
): Promise<T> =>
  asked(deviceId, { ...refusals, ...words }, async () => {
    try {
      return await ask();
    } catch (error) {
      if (unknownGroup(error, hidden)) throw notFound('Group');
      throw error;
    }
  });

export const childOf = (answer: BinaryNode, tag: string): BinaryNode => {
  const child = getBinaryNodeChild(answer, tag);
  if (child === undefined) {
    const cause = new Error(`the network answered without ${tag}`);
    throw new HandsetError('Internal', 'Internal server error', { cause });
  }
  return child;
};

export const askOne = async (asking: Asking, group: Jid): Promise<BinaryNode> =>
  childOf(await askGroup(asking, group, 'get', node('query', { request: 'interactive' })), 'group');

export const askAll = async (asking: Asking): Promise<readonly BinaryNode[]> => {
  const query = node('participating', {}, [node('participants'), node('description')]);
  return getBinaryNodeChildren(childOf(await askGroup(asking, groupServer, 'get', query), 'groups'), 'group');
};
