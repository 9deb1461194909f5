/**
 * The steps after a login. Baileys asks the same questions one after the other. Here they go together, so that a connection is open one round trip
 * after its login and not three.
 */
import type { proto } from '../engine/proto.ts';
import type { AuthenticationCreds, WASocket } from '../engine/types.ts';
import { isLidMigrated } from '../identity/addressing.ts';
import { jidDecode } from '../engine/jid.ts';
import { type BinaryNode, getBinaryNodeChild, S_WHATSAPP_NET } from '../engine/nodes.ts';
import { INITIAL_PREKEY_COUNT, MIN_PREKEY_COUNT } from '../engine/baileys.ts';
import { messageOf } from '../../errors.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Logger } from '../../log.ts';
import { type Asking, askTogether } from '../engine/asked.ts';
import type { SessionStore } from '../state/session-store.ts';
import { replaceListener } from '../engine/stanza-hooks.ts';
import { keepRotatingSignedPreKey, publishFirstPreKeys } from './pre-keys.ts';
import { applyProperties, learnProperties, propertiesHash } from '../identity/properties.ts';

/**
 * Rule: a login says whether the account's chats are kept by LID, and a count of logins, 1. Source: whatsmeow `getLoginPayload` (clientpayload.go,
 * 2026-08-21), which says true and 1. Contested: Baileys rc14, zapo and whatsapp-rust (2026-08) say false, the last with a count of 0; but an account
 * that is written to by LID is no account that has not migrated.
 */
const tellsMigration: boolean = true;

export const loginPayloadOf = (creds: AuthenticationCreds): Pick<proto.IClientPayload, 'lidDbMigrated' | 'lc'> =>
  tellsMigration ? { lidDbMigrated: isLidMigrated(creds), lc: 1 } : {};

export interface LoginParts extends Asking {
  readonly sock: WASocket;
  readonly deviceId: number;
  readonly creds: AuthenticationCreds;
  readonly store: Pick<SessionStore, 'readKeys' | 'commit'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** `attrs` in the order in which stock Baileys writes them: a peer can see it (docs/internals/wire.md). */
const question = (attrs: Record<string, string>, child?: BinaryNode): BinaryNode => ({
  tag: 'iq',
  attrs,
  ...(child === undefined ? {} : { content: [child] }),
});
const to = S_WHATSAPP_NET;
const childOf = (tag: string, attrs: Record<string, string> = {}): BinaryNode => ({ tag, attrs });

const countKeys = question({ id: '', xmlns: 'encrypt', type: 'get', to }, childOf('count'));
const checkKeys = question({ to, type: 'get', xmlns: 'encrypt' }, childOf('digest'));
/** From here on the network hands over what has waited. */
const becomeActive = question({ to, xmlns: 'passive', type: 'set' }, childOf('active'));
const blocklist = question({ xmlns: 'blocklist', to, type: 'get' });
const privacy = question({ xmlns: 'privacy', to, type: 'get' }, childOf('privacy'));
/** Without a hash: for all of them. */
const propsSince = (hash: string | undefined): BinaryNode =>
  question({ to, xmlns: 'abt', type: 'get' }, childOf('props', { protocol: '1', ...(hash ? { hash } : {}) }));

const isRefused = ({ attrs }: BinaryNode): boolean => attrs['type'] === 'error';

/** The newest prekey that was published is still there; one that was used up leaves others. */
const hasNewestPreKey = async ({ creds, store, deviceId }: LoginParts): Promise<boolean> => {
  const newest = creds.nextPreKeyId - 1;
  if (newest <= 0) return true;
  return (await store.readKeys(deviceId, 'pre-key', [String(newest)])).size > 0;
};

/** How many prekeys are to be published, by what the network says that it has. */
const missingPreKeys = async (parts: LoginParts, count: BinaryNode, digest: BinaryNode | null): Promise<number> => {
  const published = Number(getBinaryNodeChild(count, 'count')?.attrs['value']);
  if (Number.isNaN(published)) return 0;
  const wanted = published === 0 ? INITIAL_PREKEY_COUNT : MIN_PREKEY_COUNT;
  if (published <= wanted || !(await hasNewestPreKey(parts))) return wanted;
  // The network knows nothing of the device's keys as a whole.
  const isUnknown = digest !== null && !isRefused(digest) && getBinaryNodeChild(digest, 'digest') === undefined;
  return isUnknown ? MIN_PREKEY_COUNT : 0;
};

/** Only the settings are used; the other questions are asked because the network's own apps ask them. */
const askForSettings = async (parts: LoginParts): Promise<void> => {
  const hash = propertiesHash(parts.creds);
  const [props = null] = await askTogether(parts, [propsSince(hash), blocklist, privacy]);
  learnProperties(parts.sock, parts.creds, props, hash);
};

/** The device's own two addresses and its list: the engine's messages to the account's other devices go by them. */
const keepOwnAddresses = async ({ sock, creds }: LoginParts, lid: string): Promise<void> => {
  const pn = creds.me?.id;
  const own = jidDecode(pn);
  if (pn === undefined || own === undefined) return;
  const { signalRepository } = sock;
  await signalRepository.lidMapping.storeLIDPNMappings([{ lid, pn }]);
  await sock.authState.keys.set({ 'device-list': { [own.user]: [String(own.device ?? 0)] } });
  await signalRepository.migrateSession(pn, lid);
};

const prepare = async (parts: LoginParts): Promise<void> => {
  const { sock, log, deviceId } = parts;
  const [count = null, digest = null] = await askTogether(parts, [countKeys, checkKeys, becomeActive]);
  if (count === null || !sock.ws.isOpen) return;
  try {
    const missing = await missingPreKeys(parts, count, digest);
    if (missing > 0) await sock.uploadPreKeys(missing);
  } catch (error) {
    log.warn({ deviceId, error: messageOf(error) }, 'failed to publish prekeys');
  }
};

const loggedIn = async (parts: LoginParts, success: BinaryNode): Promise<void> => {
  const { sock, creds, deviceId, store, log } = parts;
  sock.updateServerTimeOffset(success);
  if (creds.firstUnuploadedPreKeyId <= 1) await publishFirstPreKeys(sock, deviceId, store, log);
  if (!sock.ws.isOpen) return;
  await prepare(parts);
  if (!sock.ws.isOpen) return;
  const { lid } = success.attrs;
  if (lid && creds.me !== undefined && creds.me.lid !== lid) sock.ev.emit('creds.update', { me: { ...creds.me, lid } });
  sock.ev.emit('connection.update', { connection: 'open' });
  void sock.sendUnifiedSession();
  const settings = askForSettings(parts);
  keepRotatingSignedPreKey(parts);
  await Promise.all([settings, lid ? keepOwnAddresses(parts, lid) : null]);
};

/** Takes the place of what the engine does then; its own questions after it are off (`fireInitQueries`). */
export const attachLogin = (parts: LoginParts): void => {
  const { sock, creds, log, deviceId } = parts;
  applyProperties(sock, creds);
  const failed = (error: unknown): void => log.warn({ deviceId, error: messageOf(error) }, 'a step after login failed');
  replaceListener(sock.ws, 'CB:success', (success: BinaryNode) => void loggedIn(parts, success).catch(failed));
};
