/**
 * Reads history chunks in the background: for facts about people, and for messages if the settings ask for them.
 * Receipts: `peer_msg`, then `hist_sync`, each a `<receipt>` to the own account, before downloading (whatsmeow message.go, 2026-08).
 */
import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import { Mutex, Semaphore } from 'async-mutex';
import { proto } from '../../library/proto.ts';
import type { AuthenticationCreds } from '../../library/types.ts';
import type { Socket } from '../../socket/socket.ts';
import { HandsetError, messageOf } from '../../../errors.ts';
import type { Logger } from '../../../log.ts';
import { meOf, isMe, personChat, personOf } from '../../identity/people.ts';
import { keepFacts } from '../../identity/account.ts';
import { downloadFile } from '../../media/download.ts';
import type { SessionStore } from '../../state/session-store.ts';
import type { KeyChange } from '../../../domain/changes.ts';
import type { DeviceSettings } from '../../../domain/device.ts';
import { type Jid, jidUser } from '../../../domain/jid.ts';
import { noteOperation } from '../../../domain/turns.ts';
import type { Endpoint } from '../../connection/endpoint.ts';
import type { PrivacyTokens } from '../../identity/privacy-tokens.ts';
import { serializeCredentials } from '../../signal/credentials.ts';
import type { LidMapping } from '../../signal/lid-mapping.ts';
import type { SendToPhone } from '../../send/peer-message.ts';
import type { ChatTimers } from '../timers.ts';
import { type ChunkFacts, readChunk } from './chunk.ts';
import { HistoryMessages, type HistoryMessagesParts } from './messages.ts';
import type { ChunkOutcome, Notification, PendingChunks } from './pending.ts';
import { HistoryRequests } from './requests.ts';

export interface HistoryParts {
  readonly deviceId: number;
  readonly store: Pick<SessionStore, 'commit'>;
  readonly creds: AuthenticationCreds;
  readonly sock: Pick<Socket, 'on' | 'update' | 'isOpen' | 'query'>;
  readonly endpoint: Endpoint;
  readonly lidMapping: LidMapping;
  readonly whenPhoneSpoke: Set<(message: proto.IMessage) => void>;
  readonly tokens: Pick<PrivacyTokens, 'learn'>;
  readonly timers: Pick<ChatTimers, 'of' | 'told'>;
  readonly messages: HistoryMessages;
  readonly setting: () => DeviceSettings['history'];
  readonly log: Logger;
}

const maxDownloaded = 32 * 1024 * 1024;
const maxInflated = 128 * 1024 * 1024;
const pairsAtOnce = 500;
const chatsAtOnce = 100;

const { HistorySyncType } = proto.Message;
const loadedBy: Readonly<Record<DeviceSettings['history'], ReadonlySet<unknown>>> = {
  none: new Set(),
  recent: new Set([HistorySyncType.INITIAL_BOOTSTRAP, HistorySyncType.RECENT]),
  full: new Set([HistorySyncType.INITIAL_BOOTSTRAP, HistorySyncType.RECENT, HistorySyncType.FULL]),
};

const inflated = promisify(inflate);

/** Over all devices: few chunks as they come, and one that is unpacked. A slow download holds up no reading. */
const [downloading, reading] = [new Semaphore(3), new Mutex()];

interface ReadChunk {
  readonly bytes: Uint8Array;
  readonly facts: ChunkFacts;
}

class History {
  readonly pending: PendingChunks;
  readonly #parts: HistoryParts;
  readonly #failed = new Set<number>();
  #running = false;
  #again = false;

  constructor(pending: PendingChunks, parts: HistoryParts) {
    this.pending = pending;
    this.#parts = parts;
  }

  attach(): void {
    const { sock, whenPhoneSpoke } = this.#parts;
    sock.on('open', () => this.wake());
    whenPhoneSpoke.add(({ protocolMessage }) => {
      if (protocolMessage?.historySyncNotification) this.wake();
    });
  }

  /** Each pending chunk is tried once per connection. */
  wake(): void {
    this.#again = true;
    if (this.#running) return;
    this.#running = true;
    void this.#run()
      .catch((error: unknown) => {
        this.#again = false;
        this.#parts.log.warn({ error: messageOf(error) }, 'failed to read history');
      })
      .finally(() => {
        this.#running = false;
        // Woken after the last look.
        if (this.#again) this.wake();
      });
  }

  async #run(): Promise<void> {
    await this.pending.load();
    while (this.#again) {
      this.#again = false;
      for (const place of this.pending.all) {
        if (!this.#parts.sock.isOpen) return;
        if (!this.#failed.has(place)) await downloading.runExclusive(() => this.#try(place));
      }
    }
  }

  async #try(place: number): Promise<void> {
    const chunk = await this.pending.read(place);
    if (chunk !== null) await this.#read(place, chunk);
  }

  async #read(place: number, chunk: Notification): Promise<void> {
    try {
      // Status posts contain no facts about people.
      const isPosts = chunk.syncType === HistorySyncType.INITIAL_STATUS_V3;
      const compressed = isPosts ? null : await this.#bytesOf(chunk);
      await reading.runExclusive(async () => {
        noteOperation({ kind: 'history', deviceId: this.#parts.deviceId });
        const read = compressed === null ? null : await this.#inflated(compressed);
        await this.pending.drop(place, read === null ? {} : await this.#take(chunk, read));
      });
    } catch (error) {
      this.#failed.add(place);
      this.#parts.log.warn({ error: messageOf(error) }, 'failed to read a history chunk');
    }
  }

  /** Null if the network no longer has it. */
  async #bytesOf(chunk: Notification): Promise<Uint8Array | null> {
    const inline = chunk.initialHistBootstrapInlinePayload;
    if (inline?.length) return inline;
    try {
      const limits = { kind: 'md-msg-hist', maxBytes: maxDownloaded } as const;
      return await downloadFile(this.#parts.sock, this.#parts.endpoint, chunk, limits);
    } catch (error) {
      if (error instanceof HandsetError && error.name === 'NotFound') return null;
      throw error;
    }
  }

  async #inflated(compressed: Uint8Array): Promise<ReadChunk | null> {
    try {
      const bytes = await inflated(compressed, { maxOutputLength: maxInflated });
      return { bytes, facts: await readChunk(bytes) };
    } catch (error) {
      this.#parts.log.warn({ error: messageOf(error) }, 'malformed history chunk');
      return null;
    }
  }

  async #take({ syncType }: Notification, { bytes, facts }: ReadChunk): Promise<ChunkOutcome> {
    const { messages, setting } = this.#parts;
    if (syncType === HistorySyncType.ON_DEMAND) return messages.answer(bytes);
    const credentials = await this.#learn(facts);
    return {
      ...(credentials === undefined ? {} : { credentials }),
      ...(loadedBy[setting()].has(syncType) ? { facts: await messages.load(bytes) } : {}),
    };
  }

  async #keepChats(chats: ChunkFacts['chats'], contacts: ChunkFacts['contacts']): Promise<void> {
    const { deviceId, store, creds } = this.#parts;
    for (let from = 0; from < chats.length; from += chatsAtOnce)
      await store.commit(deviceId, { loaded: true, chats: chats.slice(from, from + chatsAtOnce) });
    const others = contacts.filter(({ jid }) => !isMe(meOf(creds), jid));
    for (let from = 0; from < others.length; from += pairsAtOnce)
      await store.commit(deviceId, { loaded: true, contacts: others.slice(from, from + pairsAtOnce) });
  }

  async #keepTimers(told: ChunkFacts['timers']): Promise<void> {
    const { deviceId, store, lidMapping, timers } = this.#parts;
    const keys: KeyChange[] = [];
    for (const { jid, ...timer } of told) {
      await lidMapping.addressesOf(jid);
      const chat = personChat(personOf((each: Jid) => lidMapping.peek(each), jid));
      await timers.of(chat);
      keys.push(...timers.told(chat, timer));
    }
    for (let from = 0; from < keys.length; from += pairsAtOnce)
      await store.commit(deviceId, { loaded: true, keys: keys.slice(from, from + pairsAtOnce) });
  }

  async #learn(facts: ChunkFacts): Promise<Uint8Array | undefined> {
    const { pairs, tokens: told, nctSalt, chats, contacts } = facts;
    const { lidMapping, tokens, sock, creds } = this.#parts;
    for (let from = 0; from < pairs.length; from += pairsAtOnce) {
      await lidMapping.storeLIDPNMappings(pairs.slice(from, from + pairsAtOnce));
    }
    await tokens.learn(told);
    await this.#keepChats(chats, contacts);
    await this.#keepTimers(facts.timers);
    const named = facts.usernames.map(({ lid, ...each }) => ({ lidUser: jidUser(lid), ...each }));
    await lidMapping.usernames.keep(named, true);
    if (nctSalt === null) return undefined;
    keepFacts(sock, creds, { nctSalt });
    return serializeCredentials(creds);
  }
}

type Options = Omit<
  HistoryParts,
  'sock' | 'whenPhoneSpoke' | 'lidMapping' | 'tokens' | 'timers' | 'messages' | 'setting'
> &
  Omit<HistoryMessagesParts, 'lidMapping' | 'requests'> & {
    readonly store: SessionStore;
    readonly settings: DeviceSettings;
  };

interface Made {
  readonly sock: Socket;
  readonly whenPhoneSpoke: HistoryParts['whenPhoneSpoke'];
  readonly lidMapping: LidMapping;
  readonly tokens: PrivacyTokens;
  readonly timers: ChatTimers;
  readonly send: SendToPhone;
}

export const attachHistory = (options: Options, pending: PendingChunks, made: Made): HistoryRequests => {
  const requests = new HistoryRequests({ ...options, send: made.send });
  const messages = new HistoryMessages({ ...options, lidMapping: made.lidMapping, requests });
  new History(pending, { ...options, ...made, messages, setting: () => options.settings.history }).attach();
  return requests;
};
