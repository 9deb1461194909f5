/** The steps after a login. The queries go together, so that a connection is open one round trip after it. */
import type { proto } from '../library/proto.ts';
import type { AuthenticationCreds, SignalKeyStore } from '../library/types.ts';
import type { Socket } from '../socket/socket.ts';
import { isLidMigrated } from '../identity/addressing.ts';
import { jidDecode } from '../library/jid.ts';
import { type BinaryNode, getBinaryNodeChild, S_WHATSAPP_NET } from '../library/nodes.ts';
import { INITIAL_PREKEY_COUNT, MIN_PREKEY_COUNT } from '../library/protocol.ts';
import { messageOf } from '../../errors.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Logger } from '../../log.ts';
import type { UnifiedSession } from '../connection/presence.ts';
import type { LidMapping } from '../signal/lid-mapping.ts';
import type { Repository } from '../signal/repository.ts';
import type { SessionStore } from '../state/session-store.ts';
import { keepRotatingSignedPreKey, publishPreKeys } from './pre-keys.ts';
import { learnProperties, propertiesHash } from '../identity/account.ts';

/**
 * Rule: a login says whether the account's chats use LIDs, and a count of logins, 1. Source: whatsmeow `getLoginPayload`
 * (clientpayload.go, 2026-08-21). Contested (docs/internals/sources.md), but an account addressed by LID is migrated.
 */
const tellsMigration: boolean = true;

export const loginPayloadOf = (creds: AuthenticationCreds): Pick<proto.IClientPayload, 'lidDbMigrated' | 'lc'> =>
  tellsMigration ? { lidDbMigrated: isLidMigrated(creds), lc: 1 } : {};

export interface LoginParts {
  readonly sock: Pick<
    Socket,
    'askTogether' | 'creds' | 'emit' | 'isOpen' | 'nextId' | 'query' | 'sendNode' | 'stanzas' | 'update'
  >;
  readonly unifiedSession: UnifiedSession;
  readonly repository: Pick<Repository, 'migrateSession'>;
  readonly lidMapping: Pick<LidMapping, 'storeLIDPNMappings'>;
  readonly keys: Pick<SignalKeyStore, 'set'>;
  readonly whenEnded: Set<(error: unknown) => void>;
  readonly deviceId: number;
  readonly creds: AuthenticationCreds;
  /** Prekeys that a new device publishes. Default: as many as the network's own apps. */
  readonly firstPreKeys?: number | undefined;
  readonly store: Pick<SessionStore, 'readKeys' | 'commit'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The order of `attrs` is visible to the network (docs/internals/wire.md). */
const question = (attrs: Record<string, string>, child?: BinaryNode): BinaryNode => ({
  tag: 'iq',
  attrs,
  ...(child === undefined ? {} : { content: [child] }),
});
const to = S_WHATSAPP_NET;
const childOf = (tag: string, attrs: Record<string, string> = {}): BinaryNode => ({ tag, attrs });

const countKeys = question({ id: '', xmlns: 'encrypt', type: 'get', to }, childOf('count'));
const checkKeys = question({ to, type: 'get', xmlns: 'encrypt' }, childOf('digest'));
/** From here on the network delivers the backlog. */
const becomeActive = question({ to, xmlns: 'passive', type: 'set' }, childOf('active'));
const blocklist = question({ xmlns: 'blocklist', to, type: 'get' });
const privacy = question({ xmlns: 'privacy', to, type: 'get' }, childOf('privacy'));
const propsSince = (hash: string | undefined): BinaryNode =>
  question({ to, xmlns: 'abt', type: 'get' }, childOf('props', { protocol: '1', ...(hash ? { hash } : {}) }));

const isRefused = ({ attrs }: BinaryNode): boolean => attrs['type'] === 'error';

const hasNewestPreKey = async ({ creds, store, deviceId }: LoginParts): Promise<boolean> => {
  const newest = creds.nextPreKeyId - 1;
  if (newest <= 0) return true;
  return (await store.readKeys(deviceId, 'pre-key', [String(newest)])).size > 0;
};

const firstPreKeysOf = ({ firstPreKeys = INITIAL_PREKEY_COUNT }: LoginParts): number => firstPreKeys;

const missingPreKeys = async (parts: LoginParts, count: BinaryNode, digest: BinaryNode | null): Promise<number> => {
  const published = Number(getBinaryNodeChild(count, 'count')?.attrs['value']);
  if (Number.isNaN(published)) return 0;
  const wanted = published === 0 ? firstPreKeysOf(parts) : MIN_PREKEY_COUNT;
  if (published <= wanted || !(await hasNewestPreKey(parts))) return wanted;
  // The network has none of the device's keys.
  const isUnknown = digest !== null && !isRefused(digest) && getBinaryNodeChild(digest, 'digest') === undefined;
  return isUnknown ? MIN_PREKEY_COUNT : 0;
};

/** Only the settings are used; the network's own apps make the other queries, too. */
const askForSettings = async (parts: LoginParts): Promise<void> => {
  const hash = propertiesHash(parts.creds);
  const [props = null] = await parts.sock.askTogether([propsSince(hash), blocklist, privacy]);
  learnProperties(parts.sock, parts.creds, props, hash);
};

/** The device's own addresses and device list, by which its sessions move to the LID. */
const keepOwnAddresses = async ({ creds, repository, lidMapping, keys }: LoginParts, lid: string): Promise<void> => {
  const pn = creds.me?.id;
  const own = jidDecode(pn);
  if (pn === undefined || own === undefined) return;
  await lidMapping.storeLIDPNMappings([{ lid, pn }]);
  await keys.set({ 'device-list': { [own.user]: [String(own.device ?? 0)] } });
  await repository.migrateSession(pn, lid);
};

const prepare = async (parts: LoginParts, isFirst: boolean): Promise<void> => {
  const { sock, log, deviceId } = parts;
  const publish = (keys: number): Promise<void> =>
    publishPreKeys(parts, keys).catch((error: unknown) =>
      log.warn({ deviceId, error: messageOf(error) }, 'failed to publish prekeys'),
    );
  if (isFirst) await publish(firstPreKeysOf(parts));
  if (!sock.isOpen) return;
  const [count = null, digest = null] = await sock.askTogether([countKeys, checkKeys, becomeActive]);
  if (count === null || !sock.isOpen) return;
  const missing = await missingPreKeys(parts, count, digest);
  if (missing > 0) await publish(missing);
};

const loggedIn = async (parts: LoginParts, success: BinaryNode): Promise<void> => {
  const { sock, creds, unifiedSession } = parts;
  unifiedSession.learn(success);
  await prepare(parts, creds.firstUnuploadedPreKeyId <= 1);
  if (!sock.isOpen) return;
  const { lid } = success.attrs;
  if (lid && creds.me !== undefined && creds.me.lid !== lid) sock.update({ me: { ...creds.me, lid } });
  sock.emit('open');
  unifiedSession.tell();
  const settings = askForSettings(parts);
  keepRotatingSignedPreKey(parts);
  await Promise.all([settings, lid ? keepOwnAddresses(parts, lid) : null]);
};

export const attachLogin = (parts: LoginParts): void => {
  const { sock, log, deviceId } = parts;
  const failed = (error: unknown): void => log.warn({ deviceId, error: messageOf(error) }, 'a step after login failed');
  sock.stanzas.on('success', (success) => void loggedIn(parts, success).catch(failed));
};
