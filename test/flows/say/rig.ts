/** A device of Ada's on Handset; Bob with a phone and a stock Baileys companion, the other opinion; a group of the three. */
import assert from 'node:assert/strict';
import { normalizeMessageContent, type proto } from 'baileys';
import { Companion, type Place } from '../../sandbox/companion.ts';
import type { Answer } from '../../support/api.ts';
import { type Installation, startInstallation } from '../../support/installation.ts';
import { eventually } from '../../support/wait.ts';
import { ada, bob, eventsOf, linkDevice, untilEvent } from '../steps.ts';

export { ada, bob };
export const cyd = '4915550003333';

/** A message as the phone of the sandbox shows it. */
export type Shown = Readonly<Record<string, unknown>> & { readonly id: string; readonly chat: string };

/** The data of an event, looked into by tests. */
export type Told = Answer['body'];

export interface Rig extends AsyncDisposable {
  readonly installation: Installation;
  readonly companion: Companion;
  readonly id: number;
  /** The newest text of each edited message, as stock Baileys tells it. */
  readonly edits: ReadonlyMap<string, string>;
  /** All reactions to each message, as stock Baileys tells them. */
  readonly reactions: ReadonlyMap<string, readonly string[]>;
  readonly group: string;
  readonly jids: Readonly<Record<'ada' | 'bob' | 'cyd', string>>;
  call(method: string, path: string, body?: unknown, key?: string): Promise<Answer>;
  /** Sends, and gives the id of what was accepted. */
  send(kind: string, body: object, key?: string): Promise<string>;
  /** Status and words of a refusal. */
  refusal(method: string, path: string, body?: unknown): Promise<readonly [number, string]>;
  shown(number: string, id: string): Promise<Shown>;
  /** Waits until the phone shows a message in this way. */
  until(number: string, id: string, holds: (message: Shown) => boolean): Promise<Shown>;
  /** The content that stock Baileys has read. */
  content(id: string): Promise<proto.IMessage>;
  told(type: string, matches: (data: Told) => boolean): Promise<Told>;
  logged(id: string): Promise<Answer['body']>;
  /** A message of Bob's that has reached the device. */
  fromBob(to: string, body: object): Promise<string>;
  /** A protobuf from Bob that makes a `message.updated`. */
  fromBobRaw(message: object): Promise<string>;
  /** How much has come to Bob's phone, and how many events there are. */
  count(): Promise<readonly [number, number]>;
}

/** Requests below the rig's device, which is there once they are made. */
export const callsOf = (rig: () => Pick<Rig, 'installation' | 'id'>) => {
  const call = (method: string, path: string, body?: unknown): Promise<Answer> =>
    rig().installation.api.call(method, `/devices/${rig().id}${path}`, body);
  return {
    call,
    /** The body of a 200; anything else fails the test. */
    async done(method: string, path: string, body?: unknown): Promise<Answer['body']> {
      const answer = await call(method, path, body);
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return answer.body;
    },
    /** Status and words of a refusal. */
    async refused(method: string, path: string, body?: unknown): Promise<readonly unknown[]> {
      const answer = await call(method, path, body);
      return [answer.status, answer.body.status.message];
    },
  };
};

export const startRig = async (...given: Parameters<typeof startInstallation>): Promise<Rig> => {
  const installation = await startInstallation(...given);
  const { phones } = installation;
  const adas = await phones.add(ada, 'Ada');
  const bobs = await phones.add(bob, 'Bob');
  const cyds = await phones.add(cyd, 'Cyd');
  const companion = new Companion(await phones.request<Place>('GET', '/'));
  await companion.link((qr) => phones.scan(bob, qr));
  const edits = new Map<string, string>();
  const reactions = new Map<string, readonly string[]>();
  companion.socket.ev.on('messages.update', (updates) => {
    for (const { key, update } of updates) {
      const edited = normalizeMessageContent(update.message);
      const text = edited?.extendedTextMessage?.text ?? edited?.imageMessage?.caption;
      if (key.id && text) edits.set(key.id, text);
    }
  });
  companion.socket.ev.on('messages.reaction', (all) => {
    for (const { key, reaction } of all) {
      reactions.set(key.id!, [...(reactions.get(key.id!) ?? []), reaction.text ?? '']);
    }
  });
  const members = { subject: 'Friends', owner: bob, participants: [ada, cyd] };
  const group = (await phones.request<{ jid: string }>('POST', '/groups', members)).jid;
  const id = await linkDevice(installation);
  const call: Rig['call'] = (method, path, body, key) =>
    installation.api.call(
      method,
      `/devices/${id}/messages${path}`,
      body,
      key === undefined ? {} : { headers: { 'idempotency-key': key } },
    );
  const until: Rig['until'] = (number, messageId, holds) =>
    eventually(`${messageId} at ${number}`, async () => {
      const { message } = await phones.request<{ message: Shown }>('GET', `/phones/${number}/messages/${messageId}`);
      return holds(message) && message;
    });
  const told: Rig['told'] = async (type, matches) => (await untilEvent(installation, id, type, matches)).data;
  return {
    installation,
    companion,
    id,
    edits,
    reactions,
    group,
    jids: { ada: adas.jid, bob: bobs.jid, cyd: cyds.jid },
    call,
    async send(kind, body, key) {
      const sent = await call('POST', `/${kind}`, body, key);
      if (sent.status !== 200) throw new Error(`${kind}: ${sent.status} ${JSON.stringify(sent.body)}`);
      return sent.body.messageId;
    },
    async refusal(method, path, body) {
      const answer = await call(method, path, body);
      return [answer.status, answer.body.status.message];
    },
    shown: (number, messageId) => until(number, messageId, () => true),
    until,
    content: async (messageId) => normalizeMessageContent((await companion.received(messageId)).message) ?? {},
    told,
    logged: async (messageId) => (await call('GET', `/${messageId}`)).body.message,
    async fromBob(to, body) {
      const [messageId] = await phones.write(bob, { to, ...body });
      await told('message.received', ({ message }) => message.id === messageId);
      return messageId!;
    },
    async fromBobRaw(message) {
      const [messageId] = await phones.write(bob, { to: ada, message });
      await told('message.updated', (data) => data.messageId === messageId);
      return messageId!;
    },
    count: async () => [(await phones.messages(bob)).length, (await eventsOf(installation, id)).length],
    async [Symbol.asyncDispose]() {
      await companion[Symbol.asyncDispose]();
      await installation[Symbol.asyncDispose]();
    },
  };
};
