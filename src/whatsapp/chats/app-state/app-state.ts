/** The application state of the account: collections of settings that its devices share. */
import { proto } from '../../engine/proto.ts';
import type { SendToPhone } from '../../send/peer-message.ts';
import type { AppStateMutation } from '../../../domain/app-state.ts';
import type { MessageRecord } from '../../../domain/message.ts';
import { type Patch, patchOfChat } from './chat-patches.ts';
import { Mutex } from 'async-mutex';
import { type BinaryNode, getBinaryNodeChildren } from '../../engine/nodes.ts';
import type { SessionChanges } from '../../../domain/changes.ts';
import type { Clock } from '../../../domain/clock.ts';
import { HandsetError, messageOf } from '../../../errors.ts';
import type { Logger } from '../../../log.ts';
import { factsOf, meOf, setFacts } from '../../identity/account.ts';
import type { Presence } from '../../connection/presence.ts';
import { serializeCredentials } from '../../signal/credentials.ts';
import { encodeKey } from '../../signal/key-codec.ts';
import type { LidMapping } from '../../signal/lid-mapping.ts';
import { kindsOf, type Said, saidIn } from './actions.ts';
import {
  advance,
  type Advanced,
  type CollectionName,
  collectionNames,
  isCollectionName,
  keysIn,
} from './collection.ts';
import { markedChats, marksIn } from './message-marks.ts';
import { offer } from './offer.ts';
import { askForNews, keysOf, type QueryParts, stateOf, versionKey } from './queries.ts';
import { MissingKeys, type Mutation } from './records.ts';

/** Like whatsmeow's `requestAppStateKeys` (appstate.go, August 2026). */
const requestOf = (ids: readonly string[]): proto.Message.IProtocolMessage => ({
  type: proto.Message.ProtocolMessage.Type.APP_STATE_SYNC_KEY_REQUEST,
  appStateSyncKeyRequest: { keyIds: ids.map((id) => ({ keyId: Buffer.from(id, 'base64') })) },
});

const maxKeys = 50;

class KeyRequests {
  readonly #sendToPhone: SendToPhone;
  readonly #asked = new Set<string>();

  constructor(send: SendToPhone) {
    this.#sendToPhone = send;
  }

  clear(): void {
    this.#asked.clear();
  }

  async ask(ids: readonly string[]): Promise<void> {
    const due = ids.filter((id) => !this.#asked.has(id)).slice(0, maxKeys);
    if (due.length === 0) return;
    for (const id of due) this.#asked.add(id);
    await this.#sendToPhone(requestOf(due));
  }
}

/** Chat, id, whether it is the account's own, and in groups the author otherwise. */
const messageIndex = ({ chat, id, direction, isGroup, from }: MessageRecord): readonly string[] =>
  direction === 'out' ? [chat, id, '1', '0'] : [chat, id, '0', isGroup ? from : '0'];

const contentOf = (mutation: AppStateMutation): Patch => {
  if (!('message' in mutation)) return patchOfChat(mutation);
  const { message } = mutation;
  switch (mutation.kind) {
    case 'star': {
      const index = ['star', ...messageIndex(message)];
      return { type: 'regular_high', index, syncAction: { starAction: { starred: mutation.starred } }, apiVersion: 2 };
    }
    case 'deleteForMe': {
      const index = ['deleteMessageForMe', ...messageIndex(message)];
      const messageTimestamp = Math.floor(message.timestamp / 1_000);
      const syncAction = { deleteMessageForMeAction: { deleteMedia: true, messageTimestamp } };
      return { type: 'regular_high', index, syncAction, apiVersion: 3 };
    }
  }
};

/** `now`: ms since the epoch. */
const patchOf = (mutation: AppStateMutation, now: number): Patch => {
  const patch = contentOf(mutation);
  return { ...patch, syncAction: { ...patch.syncAction, timestamp: now } };
};

export interface AppStateParts extends QueryParts {
  readonly lidMapping: LidMapping;
  readonly presence: Pick<Presence, 'tell'>;
  readonly sendToPhone: SendToPhone;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Answers read at a time; a longer collection is continued on its next change. */
const mostAnswers = 100;
const pairsAtOnce = 500;

/** Conflicts with concurrent writers before giving up. */
const mostConflicts = 10;

export class AppState {
  readonly #parts: AppStateParts;
  readonly #requests: KeyRequests;
  /** Collections to read; true: from their start. */
  readonly #wanted = new Map<CollectionName, boolean>();
  /** Collections that wait for a key. */
  readonly #blocked = new Set<CollectionName>();
  /** Collections completely read on this connection. */
  readonly #whole = new Set<CollectionName>();
  #running: Promise<void> | null = null;
  /** One collection is read or written at a time. */
  readonly #mutex = new Mutex();

  constructor(parts: AppStateParts) {
    this.#parts = parts;
    this.#requests = new KeyRequests(parts.sendToPhone);
  }

  /** Called once the keys just shared by the phone are stored. */
  keysShared(): void {
    this.#requests.clear();
    if (factsOf(this.#parts.creds).appStateKept !== true) void this.#want(collectionNames, true);
    else if (this.#blocked.size > 0) void this.#want([...this.#blocked], false);
  }

  opened(): void {
    const { creds } = this.#parts;
    if (creds.myAppStateKeyId && factsOf(creds).appStateKept !== true) void this.#want(collectionNames, true);
  }

  /** Handles a notification of changed collections. Resolves when they are read, or cannot be now. */
  changed(notification: BinaryNode): Promise<void> {
    const names = getBinaryNodeChildren(notification, 'collection').map(({ attrs }) => attrs['name']);
    return this.#want(names.filter(isCollectionName), false);
  }

  /** Throws InvalidRequest if the network refuses, Conflict while the phone has not shared its keys, RequestTimeout without an answer. */
  async write(mutations: readonly AppStateMutation[]): Promise<void> {
    const { creds, clock } = this.#parts;
    const now = clock.now();
    if (factsOf(creds).appStateKept !== true) await this.#want(collectionNames, true);
    for (const mutation of mutations) {
      await this.#mutex.runExclusive(() => this.#write(patchOf(mutation, now)));
    }
  }

  async #write(patch: Patch): Promise<void> {
    try {
      for (let conflicts = 0; conflicts < mostConflicts; conflicts += 1) {
        const advanced = await offer(this.#parts, patch);
        if (advanced !== null) return await this.#keep(patch.type, advanced, { isLast: false, isWhole: false });
        await this.#read(patch.type, false);
      }
    } catch (error) {
      if (!(error instanceof MissingKeys)) throw error;
      await this.#requests.ask(error.ids);
    }
    throw new HandsetError('Conflict', 'The phone has not shared its settings yet: open the app on it, and try again');
  }

  #want(names: readonly CollectionName[], fromBeginning: boolean): Promise<void> {
    for (const name of names) this.#wanted.set(name, fromBeginning || this.#wanted.get(name) === true);
    this.#running ??= this.#run();
    return this.#running;
  }

  async #run(): Promise<void> {
    const { log, sock } = this.#parts;
    try {
      // Includes collections requested meanwhile.
      while (this.#wanted.size > 0 && sock.ws.isOpen) {
        const [name, fromBeginning] = [...this.#wanted][0]!;
        this.#wanted.delete(name);
        await this.#mutex.runExclusive(() => this.#read(name, fromBeginning));
      }
    } catch (error) {
      log.warn({ error: messageOf(error) }, 'failed to read the app state');
    } finally {
      this.#wanted.clear();
      this.#running = null;
    }
  }

  /** Retries a broken collection once, from its start. */
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
    let before = fromBeginning ? null : await stateOf(this.#parts, name);
    for (let asked = 0; asked < mostAnswers; asked += 1) {
      const answer = await askForNews(this.#parts, name, before);
      if (answer === null) return;
      const advanced = await advance(answer, before, await keysOf(this.#parts, keysIn(answer)));
      const isLast = !answer.hasMore || advanced.state.version === before?.version;
      await this.#keep(name, advanced, { isLast, isWhole: fromBeginning });
      before = advanced.state;
      if (isLast) return;
    }
  }

  /** `isWhole`: read from its start. */
  async #keep(
    name: CollectionName,
    advanced: Advanced,
    { isLast, isWhole }: { readonly isLast: boolean; readonly isWhole: boolean },
  ): Promise<void> {
    const { store, deviceId, log, creds } = this.#parts;
    const isFirst = factsOf(creds).appStateKept !== true;
    const said = saidIn(advanced.mutations);
    await this.#learnPairs(said.pairs);
    const marks = await this.#marksIn(advanced.mutations);
    if (advanced.isPartial) log.warn({ name }, 'an app state snapshot is incomplete');
    if (isLast) this.#blocked.delete(name);
    const tellName = this.#learnAbout(said, name, isLast);
    const changes: SessionChanges = {
      keys: [{ type: versionKey, id: name, value: encodeKey(versionKey, advanced.state) }],
      credentials: serializeCredentials(creds),
      ...((isWhole || isFirst) && { loaded: true as const }),
      ...(advanced.isReset && { appStateReset: kindsOf[name] }),
      ...(said.changes.length > 0 && { appState: said.changes }),
      ...(said.chats.length > 0 && { chats: said.chats }),
      ...marks,
    };
    await store.commit(deviceId, changes);
    if (tellName) await this.#tellName();
  }

  async #marksIn(mutations: readonly Mutation[]): Promise<Partial<SessionChanges>> {
    const { creds, lidMapping, clock } = this.#parts;
    const chats = markedChats(mutations);
    if (chats.length === 0) return {};
    for (const jid of chats) if (lidMapping.find(jid) === undefined) await lidMapping.addressesOf(jid);
    return marksIn(mutations, lidMapping.peek, meOf(creds), clock.now());
  }

  async #learnPairs(pairs: Said['pairs']): Promise<void> {
    for (let from = 0; from < pairs.length; from += pairsAtOnce) {
      await this.#parts.lidMapping.storeLIDPNMappings(pairs.slice(from, from + pairsAtOnce));
    }
  }

  /** Updates the credentials; returns true if the account's name has changed. */
  #learnAbout({ ownName, nctSalt }: Said, name: CollectionName, isLast: boolean): boolean {
    const { creds } = this.#parts;
    if (nctSalt !== undefined) setFacts(creds, { nctSalt: nctSalt ?? undefined });
    if (isLast) this.#whole.add(name);
    if (this.#whole.size === collectionNames.length) setFacts(creds, { appStateKept: true });
    if (ownName === undefined || creds.me === undefined || creds.me.name === ownName) return false;
    creds.me = { ...creds.me, name: ownName };
    return true;
  }

  /** Others see "-" until the network has received a name from this device (whatsmeow Client.SendPresence, August 2026). */
  async #tellName(): Promise<void> {
    const { sock, creds, presence } = this.#parts;
    if (creds.me !== undefined) sock.ev.emit('creds.update', { me: creds.me });
    await presence.tell();
  }
}
