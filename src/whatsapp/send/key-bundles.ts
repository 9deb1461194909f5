/** The published keys of devices that there is no session with. */
import { jidDecode, jidEncode } from '../engine/jid.ts';
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren, S_WHATSAPP_NET } from '../engine/nodes.ts';
import { parseAndInjectE2ESessions } from '../engine/prekeys.ts';
import type { WASocket } from '../engine/types.ts';
import { jidKind, jidUser, withoutDevice } from '../../domain/jid.ts';
import type { LidMapping } from '../signal/lid-mapping.ts';

type Inject = WASocket['signalRepository']['injectE2ESession'];
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
  // Together, so that their writes share transactions.
  const begun: Promise<void>[] = [];
  const injectE2ESession: Inject = async (session) => {
    const work = sock.signalRepository.injectE2ESession(session);
    work.catch(() => {});
    begun.push(work);
  };
  const bundles = { ...answer, content: [{ tag: 'list', attrs: {}, content: given }] };
  await parseAndInjectE2ESessions(bundles, { ...sock.signalRepository, injectE2ESession });
  // One bundle that is none must not keep the message from all others.
  const settled = await Promise.allSettled(begun);
  const failed = settled.filter((each) => each.status === 'rejected');
  if (failed.length > 0 && failed.length === settled.length) throw failed[0]!.reason;
};
