/** Two phones, one with a stock Baileys socket linked to it, and the control interface: each opinion on a message beside the other. */
import assert from 'node:assert/strict';
import { normalizeMessageContent, proto } from 'baileys';
import { startSandbox } from '../../../sandbox/src/sandbox.ts';
import { phonesOf } from '../../support/phones.ts';
import { eventually } from '../../support/wait.ts';
import { Companion } from '../companion.ts';

export const numbers = { alice: '491510000001', bob: '491510000002' } as const;

/** A protobuf as JSON: enums by name, long numbers as strings. */
export const plain = (message: proto.IMessage): object => proto.Message.create(message).toJSON();

export const startKinds = async () => {
  const sandbox = await startSandbox({ addressing: 'lenient' });
  const alice = sandbox.phones.create(numbers.alice, 'Alice');
  const bob = sandbox.phones.create(numbers.bob, 'Bob');
  const companion = new Companion(sandbox);
  await companion.link((qr) => alice.scan(qr));
  const { controlUrl } = sandbox;
  const control = phonesOf(controlUrl);
  return {
    sandbox,
    companion,
    alice,
    bob,
    control,
    /** Bob writes to Alice; the ids, after all have arrived at the companion. */
    async write(body: Record<string, unknown>): Promise<readonly string[]> {
      const ids = await control.write(numbers.bob, { to: numbers.alice, ...body });
      await Promise.all(ids.map((id) => companion.received(id)));
      return ids;
    },
    /** The message as Alice's phone shows it. */
    shown: (id: string) => eventually(`message ${id} on the phone`, () => alice.view.find(id)),
    /** The content that stock Baileys has read. */
    async content(id: string): Promise<proto.IMessage> {
      const { message } = await companion.received(id);
      const content = normalizeMessageContent(message);
      assert.ok(content);
      return content;
    },
    /** The companion writes to Bob; what Bob's phone shows. */
    async send(content: Parameters<Companion['socket']['sendMessage']>[1], options = {}) {
      const sent = await companion.socket.sendMessage(bob.account.jid, content, options);
      const id = sent!.key.id!;
      return eventually(`message ${id} at Bob`, () => bob.view.find(id));
    },
    async refused(body: unknown, status = 400): Promise<string> {
      const answer = await fetch(`${controlUrl}/phones/${numbers.bob}/messages`, {
        method: 'POST',
        body: JSON.stringify(body),
      });
      const { error } = (await answer.json()) as { error: string };
      assert.equal(answer.status, status, error);
      return error;
    },
    async [Symbol.asyncDispose]() {
      await companion[Symbol.asyncDispose]();
      await sandbox.close();
    },
  };
};

export type Kinds = Awaited<ReturnType<typeof startKinds>>;
