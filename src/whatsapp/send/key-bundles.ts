/** The published keys of devices that there is no session with. */
import { jidDecode, jidEncode } from '../engine/jid.ts';
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren, S_WHATSAPP_NET } from '../engine/nodes.ts';
import { parseAndInjectE2ESessions } from '../engine/prekeys.ts';
import type { WASocket } from '../engine/types.ts';
import { jidKind, jidUser, withoutDevice } from '../../domain/jid.ts';
import type { LidMapping } from '../signal/lid-mapping.ts';

type Asking = Pick<WASocket, 'query' | 'signalRepository'>;

/** Sessions are kept under the LID, and its keys are asked for where there is one; the engine asks for no others (rc14, `assertSessions`). */
const keyAddress = (mapping: Pick<LidMapping, 'peek'>, jid: string): string => {
  if (jidKind(jid) !== 'phone') return jid;
  const { lid } = mapping.peek(withoutDevice(jid));
  return lid === null ? jid : jidEncode(jidUser(lid), 'lid', jidDecode(jid)?.device);
};

/**
 * Sets up sessions. A device whose keys the network does not give is left out, as whatsmeow's `fetchPreKeysNoError` does (2026-08-21); the engine
 * fails for all.
 */
export const beginSessions = async (
  sock: Asking,
  mapping: Pick<LidMapping, 'peek'>,
  jids: readonly string[],
): Promise<void> => {
  const users = [...new Set(jids.map((jid) => keyAddress(mapping, jid)))].map((jid) => ({
    tag: 'user',
    attrs: { jid },
  }));
  const answer: BinaryNode = await sock.query({
    tag: 'iq',
    attrs: { xmlns: 'encrypt', type: 'get', to: S_WHATSAPP_NET },
    content: [{ tag: 'key', attrs: {}, content: users }],
  });
  const given = getBinaryNodeChildren(getBinaryNodeChild(answer, 'list'), 'user').filter(
    (user) => getBinaryNodeChild(user, 'error') === undefined && getBinaryNodeChild(user, 'identity') !== undefined,
  );
  await parseAndInjectE2ESessions(
    { ...answer, content: [{ tag: 'list', attrs: {}, content: given }] },
    sock.signalRepository,
  );
};
