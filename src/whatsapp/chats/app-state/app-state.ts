/** The account's application state: collections of settings shared by its devices. */
import type { SendToPhone } from '../../send/peer-message.ts';
import type { AppStateMutation } from '../../../domain/app-state.ts';
import { lastLabelIn, lastLabelKey, LabelIdTaken } from '../../../domain/chats/label.ts';
import { jidUser } from '../../../domain/jid.ts';
import type { Patch } from './chat-patches.ts';
import { patchOf } from './patches.ts';
import { Mutex } from 'async-mutex';
import { type BinaryNode, getBinaryNodeChildren } from '../../library/nodes.ts';
import type { SessionChanges } from '../../../domain/changes.ts';
import type { Clock } from '../../../domain/clock.ts';
import { HandsetError, messageOf } from '../../../errors.ts';
import type { Logger } from '../../../log.ts';
import { meOf } from '../../identity/people.ts';
import { factsOf, setFacts, takeName } from '../../identity/account.ts';
import type { Presence } from '../../connection/presence.ts';
import { serializeCredentials } from '../../signal/credentials.ts';
import type { LidMapping } from '../../signal/lid-mapping.ts';
import { kindsOf, type Said, saidIn } from './actions.ts';
import {
  advance,
  type Advanced,
  type CollectionName,
  collectionNames,
  indexesIn,
  isCollectionName,
  keysIn,
} from './collection.ts';
import { markedChats, marksIn, clearedChats, clearingsIn } from './message-marks.ts';
import { keysOfState, readState, withPartsOf } from './collection-state.ts';
import { askForNews, KeyRequests, keysOf, offer, type QueryParts } from './queries.ts';
import { MissingKeys, type Mutation } from './records.ts';

/** A missing key may be in a message being stored: delay before asking the phone, ms. */
const onItsWayMs = 2_000;

const newLabelOf = (mutation: AppStateMutation): number | null =>
  mutation.kind === 'label' && mutation.isNew ? Number(mutation.label.id) : null;

export interface AppStateParts extends QueryParts {
  readonly lidMapping: LidMapping;
  readonly presence: Pick<Presence, 'tell'>;
  readonly sendToPhone: SendToPhone;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Answers read per run; a longer collection continues on its next change. */
const maxAnswers = 100;
const pairsAtOnce = 500;
/** Of a commit. */
const mutationsAtOnce = 100;

/** Conflicts with concurrent writers before giving up. */
const maxConflicts = 10;

export class AppState {
  readonly #parts: AppStateParts;
  readonly #requests: KeyRequests;
  /** Collections to read; true: from their start. */
  readonly #wanted = new Map<CollectionName, boolean>();
  readonly #blocked = new Set<CollectionName>();
  readonly #whole = new Set<CollectionName>();
  #running: Promise<void> | null = null;
  readonly #mutex = new Mutex();

  constructor(parts: AppStateParts) {
    this.#parts = parts;
    this.#requests = new KeyRequests(parts.sendToPhone);
  }

  keysShared(): void {
    this.#requests.clear();
    if (factsOf(this.#parts.creds).appStateKept !== true) void this.#want(collectionNames, true);
    else if (this.#blocked.size > 0) void this.#want([...this.#blocked], false);
  }

  opened(): void {
    const { creds } = this.#parts;
    if (!creds.myAppStateKeyId) return;
    const { appStateKept, appStateBehind } = factsOf(creds);
    if (appStateKept !== true) void this.#want(collectionNames, true);
    else if (appStateBehind === true) void this.#want(collectionNames, false);
    // Clients that waited for a notification never saw labels made after the link (Evolution API #2576).
    else void this.#want(['regular'], false);
  }

  /** Resolves when the collections are read, or cannot be read now. */
  changed(notification: BinaryNode): Promise<void> {
    const names = getBinaryNodeChildren(notification, 'collection').map(({ attrs }) => attrs['name']);
    return this.#want(names.filter(isCollectionName), false);
  }

  /** Throws InvalidRequest if the network refuses, Conflict while the phone has not shared its keys, LabelIdTaken, and RequestTimeout. */
  async write(mutations: readonly AppStateMutation[]): Promise<void> {
    const { creds, clock } = this.#parts;
    const now = clock.now();
    if (factsOf(creds).appStateKept !== true) await this.#want(collectionNames, true);
    for (const mutation of mutations) {
      await this.#mutex.runExclusive(() => this.#write(patchOf(mutation, now), newLabelOf(mutation)));
    }
  }

  /** `newLabel`: the id of a label being created. */
  async #write(patch: Patch, newLabel: number | null): Promise<void> {
    try {
      for (let conflicts = 0; conflicts < maxConflicts; conflicts += 1) {
        if (newLabel !== null && newLabel <= (await this.#lastLabel())) throw new LabelIdTaken();
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
      while (this.#wanted.size > 0 && sock.isOpen) {
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
      if (error instanceof MissingKeys) {
        this.#block(name, error);
        return;
      }
      log.warn({ name, error: messageOf(error) }, 'an app state collection is inconsistent');
      if (this.#parts.store.broken) return;
      await (fromBeginning ? this.#fallBehind(name) : this.#read(name, true));
    }
  }

  /** With the next connection all collections are asked for: the notification of what is missing is acknowledged, or comes again. */
  async #fallBehind(name: CollectionName): Promise<void> {
    const { creds, store, deviceId, sock } = this.#parts;
    this.#whole.delete(name);
    if (!sock.isOpen || factsOf(creds).appStateBehind === true) return;
    setFacts(creds, { appStateBehind: true });
    await store.commit(deviceId, { credentials: serializeCredentials(creds) });
  }

  #block(name: CollectionName, { ids }: MissingKeys): void {
    this.#blocked.add(name);
    this.#parts.log.info({ name }, 'an app state collection is waiting for a key');
    const { clock, log, sock } = this.#parts;
    const ask = async (): Promise<void> => {
      const shared = await keysOf(this.#parts, ids);
      if (sock.isOpen) await this.#requests.ask(ids.filter((id) => !shared.has(id)));
    };
    clock.after(onItsWayMs, () => {
      ask().catch((error: unknown) =>
        log.warn({ error: messageOf(error) }, 'failed to ask for a key of the app state'),
      );
    });
  }

  async #follow(name: CollectionName, fromBeginning: boolean): Promise<void> {
    let before = fromBeginning ? null : await readState(this.#parts, name);
    const isWhole = before === null;
    for (let asked = 0; asked < maxAnswers; asked += 1) {
      const answer = await askForNews(this.#parts, name, before);
      if (answer === null) return this.#fallBehind(name);
      if (before !== null) before = await withPartsOf(this.#parts, name, before, indexesIn(answer));
      const advanced = await advance(answer, before, await keysOf(this.#parts, keysIn(answer)));
      const isLast = !answer.hasMore || advanced.state.version === before?.version;
      await this.#keep(name, advanced, { isLast, isWhole });
      before = { ...advanced.state, parts: new Map() };
      if (isLast) return;
    }
  }

  /** In parts, with turns for others. The version is in the last: until then all of it is read again. */
  async #keep(
    name: CollectionName,
    advanced: Advanced,
    { isLast, isWhole }: { readonly isLast: boolean; readonly isWhole: boolean },
  ): Promise<void> {
    const { store, deviceId, log, creds } = this.#parts;
    const { mutations, isReset, isPartial } = advanced;
    if (isPartial) log.warn({ name }, 'an app state snapshot is incomplete');
    const isLoad = isWhole || factsOf(creds).appStateKept !== true;
    let tellsName = false;
    for (let from = 0; from === 0 || from < mutations.length; from += mutationsAtOnce) {
      const part = mutations.slice(from, from + mutationsAtOnce);
      const isEnd = from + mutationsAtOnce >= mutations.length;
      const said = saidIn(part);
      if (this.#learnAbout(said, name, isEnd && isLast)) tellsName = true;
      const changes = await this.#changesIn(part, said, isLoad);
      if (isEnd && isLast) this.#blocked.delete(name);
      if (isEnd && isLast && isWhole && name === 'regular') setFacts(creds, { labelsKept: true });
      await store.commit(deviceId, {
        ...changes,
        ...(isEnd && {
          keys: [...(changes.keys ?? []), ...keysOfState(name, advanced.state)],
          credentials: serializeCredentials(creds),
        }),
        ...(isLoad && { loaded: true as const }),
        ...(from === 0 && isReset && { appStateReset: kindsOf[name] }),
        ...(from === 0 && isReset && name === 'regular' && { labelsReset: true as const }),
      });
    }
    if (tellsName) await this.#tellName();
  }

  async #changesIn(mutations: readonly Mutation[], said: Said, isLoad: boolean): Promise<SessionChanges> {
    await this.#learnPairs(said.pairs);
    await this.#learnUsernames(said.usernames, isLoad);
    const { labels, labelMarks, lastLabel } = said.labels;
    const last = lastLabel === 0 ? 0 : Math.max(lastLabel, await this.#lastLabel());
    return {
      keys: last === 0 ? said.keys : [...said.keys, { ...lastLabelKey, value: Buffer.from(String(last)) }],
      ...(said.changes.length > 0 && { appState: said.changes }),
      ...(said.chats.length > 0 && { chats: said.chats }),
      ...(labels.length > 0 && { labels }),
      ...(labelMarks.length > 0 && { labelMarks }),
      ...(await this.#marksIn(mutations, !isLoad)),
    };
  }

  async #lastLabel(): Promise<number> {
    const { store, deviceId } = this.#parts;
    const { type, id } = lastLabelKey;
    return lastLabelIn((await store.readKeys(deviceId, type, [id])).get(id));
  }

  /** `isNews`: false for what is read for the first time. */
  async #marksIn(mutations: readonly Mutation[], isNews: boolean): Promise<Partial<SessionChanges>> {
    const { creds, lidMapping, clock } = this.#parts;
    const [marked, cleared] = [markedChats(mutations), clearedChats(mutations)];
    for (const jid of [...marked, ...cleared])
      if (lidMapping.find(jid) === undefined) await lidMapping.addressesOf(jid);
    const now = clock.now();
    return {
      ...(marked.length > 0 && marksIn(mutations, lidMapping.peek, meOf(creds), now)),
      ...(cleared.length > 0 && clearingsIn(mutations, lidMapping.peek, now, isNews)),
    };
  }

  async #learnPairs(pairs: Said['pairs']): Promise<void> {
    for (let from = 0; from < pairs.length; from += pairsAtOnce)
      await this.#parts.lidMapping.storeLIDPNMappings(pairs.slice(from, from + pairsAtOnce));
  }

  #learnUsernames(told: Said['usernames'], loaded: boolean): Promise<void> {
    const now = this.#parts.clock.now();
    const named = told.map(({ lid, username, at }) => ({
      lidUser: jidUser(lid),
      username,
      at: Math.min(at ?? now, now),
    }));
    return this.#parts.lidMapping.usernames.keep(named, loaded);
  }

  #learnAbout({ ownName, nctSalt }: Said, name: CollectionName, isLast: boolean): boolean {
    const { creds, clock } = this.#parts;
    if (nctSalt !== undefined) setFacts(creds, { nctSalt: nctSalt ?? undefined });
    if (isLast) this.#whole.add(name);
    if (this.#whole.size === collectionNames.length) setFacts(creds, { appStateKept: true, appStateBehind: undefined });
    return ownName !== undefined && takeName(creds, ownName, clock.now(), true);
  }

  /** Others see "-" until the network has received a name from this device (whatsmeow Client.SendPresence, August 2026). */
  async #tellName(): Promise<void> {
    const { sock, creds, presence } = this.#parts;
    if (creds.me !== undefined) sock.update({ me: creds.me });
    await presence.tell();
  }
}
