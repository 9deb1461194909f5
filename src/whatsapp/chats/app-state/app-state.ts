/**
 * The application state of the account, kept up to date: read from its beginning once the phone has shared its keys, and then as `server_sync` says
 * what has changed. What a step changes is written with the version that it leads to. Baileys' own handling writes the version first, and tells of the
 * changes after it.
 */
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren, S_WHATSAPP_NET } from '../../engine/nodes.ts';
import type { AuthenticationCreds } from '../../engine/types.ts';
import type { WASocket } from '../../engine/types.ts';
import type { SessionChanges } from '../../../domain/changes.ts';
import { messageOf } from '../../../errors.ts';
import type { Logger } from '../../../log.ts';
import { factsOf, setFacts } from '../../login/account.ts';
import { type Asking, askTogether } from '../../send/ask-together.ts';
import { downloadFile } from '../../media/download.ts';
import type { Endpoint } from '../../login/endpoint.ts';
import type { SendToPhone } from '../../send/peer-message.ts';
import type { Presence } from '../../login/presence.ts';
import type { SessionStore } from '../../login/session-store.ts';
import { serializeCredentials } from '../../signal/credentials.ts';
import { decodeKey, encodeKey } from '../../signal/key-codec.ts';
import type { LidMapping } from '../../signal/lid-mapping.ts';
import { kindsOf, type Said, saidIn } from './actions.ts';
import {
  advance,
  type Advanced,
  type CollectionAnswer,
  type CollectionName,
  collectionNames,
  isCollectionName,
  keysIn,
  readAnswer,
} from './collection.ts';
import { KeyRequests } from './key-requests.ts';
import { type AppStateKeys, MissingKeys } from './records.ts';

export interface AppStateParts extends Asking {
  readonly deviceId: number;
  readonly creds: AuthenticationCreds;
  readonly sock: WASocket;
  readonly endpoint: Endpoint;
  readonly store: SessionStore;
  readonly lidMapping: LidMapping;
  readonly presence: Pick<Presence, 'tell'>;
  readonly sendToPhone: SendToPhone;
  readonly log: Logger;
}

const mostDownloaded = 64 * 1024 * 1024;
/** A collection that has more after so many answers is gone on with when it changes next. */
const mostAnswers = 100;
const pairsAtOnce = 500;

const versionKey = 'app-state-sync-version';

type State = Advanced['state'];

export class AppState {
  readonly #parts: AppStateParts;
  readonly #requests: KeyRequests;
  /** Collections to be read, and whether from their beginning. */
  readonly #wanted = new Map<CollectionName, boolean>();
  /** Collections that wait for a key. */
  readonly #blocked = new Set<CollectionName>();
  /** Collections that were read to their end on this connection. */
  readonly #whole = new Set<CollectionName>();
  #running: Promise<void> | null = null;

  constructor(parts: AppStateParts) {
    this.#parts = parts;
    this.#requests = new KeyRequests(parts.sendToPhone);
  }

  /** `shared`: the keys that the phone has just shared are written. */
  keysShared(): void {
    this.#requests.clear();
    if (factsOf(this.#parts.creds).appStateKept !== true) void this.#want(collectionNames, true);
    else if (this.#blocked.size > 0) void this.#want([...this.#blocked], false);
  }

  opened(): void {
    const { creds } = this.#parts;
    if (creds.myAppStateKeyId && factsOf(creds).appStateKept !== true) void this.#want(collectionNames, true);
  }

  /** A notification that collections have changed. Resolves when they are read, or cannot be now. */
  changed(notification: BinaryNode): Promise<void> {
    const names = getBinaryNodeChildren(notification, 'collection').map(({ attrs }) => attrs['name']);
    return this.#want(names.filter(isCollectionName), false);
  }

  #want(names: readonly CollectionName[], fromBeginning: boolean): Promise<void> {
    for (const name of names) this.#wanted.set(name, fromBeginning || this.#wanted.get(name) === true);
    this.#running ??= this.#run();
    return this.#running;
  }

  async #run(): Promise<void> {
    const { log, sock } = this.#parts;
    try {
      // Collections that are requested meanwhile are read by this loop, too.
      while (this.#wanted.size > 0 && sock.ws.isOpen) {
        const [name, fromBeginning] = [...this.#wanted][0]!;
        this.#wanted.delete(name);
        await this.#read(name, fromBeginning);
      }
    } catch (error) {
      log.warn({ error: messageOf(error) }, 'failed to read the app state');
    } finally {
      this.#wanted.clear();
      this.#running = null;
    }
  }

  /** A broken collection is read once more, from its beginning. */
  async #read(name: CollectionName, fromBeginning: boolean): Promise<void> {
    const { log } = this.#parts;
    try {
      await this.#follow(name, fromBeginning);
    } catch (error) {
      if (error instanceof MissingKeys) return this.#block(name, error);
      log.warn({ name, error: messageOf(error) }, 'an app state collection is inconsistent');
      if (fromBeginning || this.#parts.store.broken) return;
      await this.#read(name, true);
    }
  }

  async #block(name: CollectionName, { ids }: MissingKeys): Promise<void> {
    this.#blocked.add(name);
    this.#parts.log.info({ name }, 'an app state collection is waiting for a key');
    await this.#requests.ask(ids);
  }

  async #follow(name: CollectionName, fromBeginning: boolean): Promise<void> {
    let before = fromBeginning ? null : await this.#stateOf(name);
    for (let asked = 0; asked < mostAnswers; asked += 1) {
      const answer = await this.#ask(name, before);
      if (answer === null) return;
      const advanced = await advance(answer, before, await this.#keysFor(answer));
      const isLast = !answer.hasMore || advanced.state.version === before?.version;
      await this.#keep(name, advanced, isLast);
      before = advanced.state;
      if (isLast) return;
    }
  }

  async #stateOf(name: CollectionName): Promise<State | null> {
    const { store, deviceId, creds } = this.#parts;
    // A version that an earlier release has stored was followed without keeping what it held.
    if (factsOf(creds).appStateKept !== true) return null;
    const bytes = (await store.readKeys(deviceId, versionKey, [name])).get(name);
    return bytes === undefined ? null : decodeKey(versionKey, bytes);
  }

  /** Null when the network does not answer, or refuses. */
  async #ask(name: CollectionName, before: State | null): Promise<CollectionAnswer | null> {
    const { sock, endpoint } = this.#parts;
    const version = String(before?.version ?? 0);
    const attrs = { name, version, return_snapshot: String(before === null) };
    const sync: BinaryNode = { tag: 'sync', attrs: {}, content: [{ tag: 'collection', attrs }] };
    const iq = { to: S_WHATSAPP_NET, xmlns: 'w:sync:app:state', type: 'set' };
    const [answer = null] = await askTogether(this.#parts, [{ tag: 'iq', attrs: iq, content: [sync] }]);
    const collections = getBinaryNodeChildren(getBinaryNodeChild(answer ?? undefined, 'sync'), 'collection');
    const node = collections.find((each) => each.attrs['name'] === name);
    if (node === undefined || node.attrs['type'] === 'error') return null;
    const limits = { kind: 'md-app-state', mostBytes: mostDownloaded } as const;
    return readAnswer(node, name, (file) => downloadFile(sock, endpoint, file, limits));
  }

  async #keysFor(answer: CollectionAnswer): Promise<AppStateKeys> {
    const { store, deviceId } = this.#parts;
    const found = await store.readKeys(deviceId, 'app-state-sync-key', keysIn(answer));
    const keys = new Map<string, Uint8Array>();
    for (const [id, bytes] of found) {
      const { keyData } = decodeKey('app-state-sync-key', bytes);
      if (keyData) keys.set(id, keyData);
    }
    return keys;
  }

  async #keep(name: CollectionName, advanced: Advanced, isLast: boolean): Promise<void> {
    const { store, deviceId, log } = this.#parts;
    const said = saidIn(advanced.mutations);
    await this.#learnPairs(said.pairs);
    if (advanced.isPartial) log.warn({ name }, 'an app state snapshot is incomplete');
    if (isLast) this.#blocked.delete(name);
    const tellName = this.#learnAbout(said, name, isLast);
    const changes: SessionChanges = {
      keys: [{ type: versionKey, id: name, value: encodeKey(versionKey, advanced.state) }],
      credentials: serializeCredentials(this.#parts.creds),
      ...(advanced.isReset && { appStateReset: kindsOf[name] }),
      ...(said.changes.length > 0 && { appState: said.changes }),
    };
    await store.commit(deviceId, changes);
    if (tellName) await this.#tellName();
  }

  async #learnPairs(pairs: Said['pairs']): Promise<void> {
    for (let from = 0; from < pairs.length; from += pairsAtOnce) {
      await this.#parts.lidMapping.storeLIDPNMappings(pairs.slice(from, from + pairsAtOnce));
    }
  }

  /** Changes the credentials; whether the account has another name than before. */
  #learnAbout({ ownName, nctSalt }: Said, name: CollectionName, isLast: boolean): boolean {
    const { creds } = this.#parts;
    if (nctSalt !== undefined) setFacts(creds, { nctSalt: nctSalt ?? undefined });
    if (isLast) this.#whole.add(name);
    if (this.#whole.size === collectionNames.length) setFacts(creds, { appStateKept: true });
    if (ownName === undefined || creds.me === undefined || creds.me.name === ownName) return false;
    creds.me = { ...creds.me, name: ownName };
    return true;
  }

  /** Others see "-" until the network has heard a name from this device (whatsmeow Client.SendPresence, August 2026). */
  async #tellName(): Promise<void> {
    const { sock, creds, presence } = this.#parts;
    if (creds.me !== undefined) sock.ev.emit('creds.update', { me: creds.me });
    await presence.tell();
  }
}
