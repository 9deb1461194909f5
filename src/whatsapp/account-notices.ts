/** Notifications about keys, devices, tokens and limits of the account and the people it writes to. */
import pLimit from 'p-limit';
import type { ChannelIntake } from './channels/intake.ts';
import { MIN_PREKEY_COUNT } from './library/protocol.ts';
import { boundedCache } from './library/bounded-cache.ts';
import { jidDecode } from './library/jid.ts';
import { type BinaryNode, getAllBinaryNodeChildren, getBinaryNodeChild, S_WHATSAPP_NET } from './library/nodes.ts';
import { lidJid, jidUser } from '../domain/jid.ts';
import { maxDevices } from './identity/addressing.ts';
import { meOf, isMe } from './identity/people.ts';
import { hashOfRenamed, usernamesInNotice } from './identity/usernames.ts';
import type { LidMapping } from './signal/lid-mapping.ts';
import type { Clock } from '../domain/clock.ts';
import { messageOf } from '../errors.ts';
import type { Logger } from '../log.ts';
import type { PrivacyTokens } from './identity/privacy-tokens.ts';
import { type PublishParts, publishPreKeys } from './login/pre-keys.ts';
import type { Notices } from './receive/notices.ts';
import type { Limits } from './send/account-limits.ts';
import type { BeginSessions } from './send/key-bundles.ts';
import { askUsernames, markClean } from './socket/account-queries.ts';
import type { Socket } from './socket/socket.ts';
import type { Repository } from './signal/repository.ts';

export interface AccountNoticesParts extends PublishParts {
  readonly sock: Pick<Socket, 'isOpen' | 'nextId' | 'query' | 'sendNode' | 'stanzas' | 'update' | 'usync'>;
  readonly repository: Pick<Repository, 'hasOpenSession' | 'deleteSession'>;
  readonly tokens: Pick<PrivacyTokens, 'giveAgain' | 'told'>;
  readonly limits: Pick<Limits, 'notice'>;
  readonly lidMapping: Pick<LidMapping, 'usernames'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly channels: Pick<ChannelIntake, 'notice'>;
  readonly beginSessions: BeginSessions;
}

/** Identity changes are reported per device, but begin one session. */
const onceInMs = 5_000;

/** People with the same hash, which is three bytes long. */
const maxColliding = 8;

/** A new name that is announced by the person's hash alone is queried. People who are not in the cache are named by their next message. */
const makeAskRenamed = ({ sock, lidMapping, clock }: AccountNoticesParts): ((node: BinaryNode) => Promise<void>) => {
  const oneAtATime = pLimit(1);
  /** A change that comes while its query is under way may not be in the answer. */
  const waiting = new Set<string>();
  return async (node) => {
    const hash = hashOfRenamed(node);
    if (hash === null || waiting.has(hash)) return;
    waiting.add(hash);
    await oneAtATime(async () => {
      waiting.delete(hash);
      const users = sock.isOpen ? lidMapping.usernames.withHash(hash, maxColliding) : [];
      if (users.length === 0) return;
      const names = await askUsernames(sock, users.map(lidJid));
      const at = clock.now();
      await lidMapping.usernames.keep(names.map(({ lid, username }) => ({ lidUser: jidUser(lid), username, at })));
    });
  };
};

export const attachAccountNotices = (notices: Notices, parts: AccountNoticesParts): void => {
  const { sock, creds, repository, tokens, limits, channels, lidMapping, clock, log, beginSessions } = parts;
  const begun = boundedCache<true>(500, onceInMs);

  const renewSession = async ({ attrs }: BinaryNode): Promise<void> => {
    const { from = '', offline } = attrs;
    if ((jidDecode(from)?.device ?? 0) !== 0 || isMe(meOf(creds), from) || begun.get(from) === true) return;
    begun.set(from, true);
    if (offline || !(await repository.hasOpenSession(from))) return;
    await Promise.all([tokens.giveAgain(from), beginSessions([from])]);
  };

  const encrypt = async (node: BinaryNode): Promise<void> => {
    if (node.attrs.from !== S_WHATSAPP_NET)
      return getBinaryNodeChild(node, 'identity') === undefined ? undefined : renewSession(node);
    // It waited: the login has counted them since.
    if (node.attrs.offline !== undefined) return;
    const left = Number(getBinaryNodeChild(node, 'count')?.attrs['value'] ?? Number.NaN);
    if (left < MIN_PREKEY_COUNT) await publishPreKeys(parts, MIN_PREKEY_COUNT);
  };

  const devices = async (node: BinaryNode): Promise<void> => {
    const [change] = getAllBinaryNodeChildren(node);
    if (change?.tag !== 'remove') return;
    const removed = getAllBinaryNodeChildren(change)
      .slice(0, maxDevices)
      .flatMap(({ tag, attrs }) => (tag === 'device' && attrs.jid && jidDecode(attrs.jid) ? [attrs.jid] : []));
    await repository.deleteSession(removed);
  };

  /** Changes are reported by other notifications. */
  const synchronized = (node: BinaryNode): void => {
    const { type, timestamp } = getBinaryNodeChild(node, 'dirty')?.attrs ?? {};
    const at = Number(timestamp);
    if (type !== 'account_sync' || !Number.isSafeInteger(at) || at <= 0) return;
    const before = creds.lastAccountSyncTimestamp;
    if (before) markClean(sock, type, before).catch(() => {});
    sock.update({ lastAccountSyncTimestamp: at });
  };

  sock.stanzas.on('ib', synchronized, { child: 'dirty' });
  notices.on('encrypt', encrypt, { beside: true });
  notices.on('devices', devices);
  notices.on('privacy_token', (node) => tokens.told(node));
  const askRenamed = makeAskRenamed(parts);
  const mex = async (node: BinaryNode): Promise<void> => {
    // Not awaited, so that a query does not delay later notices.
    void limits.notice(node).catch((error: unknown) => log.debug({ error: messageOf(error) }, 'limits are not known'));
    await channels.notice(node);
    await lidMapping.usernames.keep(usernamesInNotice(node, clock.now()));
    // Not awaited, so that the query does not delay later notices.
    void askRenamed(node).catch((error: unknown) => log.debug({ error: messageOf(error) }, 'failed to ask a username'));
  };

  notices.on('mex', mex);
};
