/** A message that takes long to be read is ended, and kept as unknown. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proto } from 'baileys';
import { Budget, BudgetSpent } from '../../../src/whatsapp/translate/parts/limits.ts';
import { translateMessage } from '../../../src/whatsapp/translate/message.ts';
import { context, fromAnn, me, stanza, Type } from '../driver.people.ts';

const long = 1_000_000;
const forever = (): never => {
  for (;;);
};
/** 20 s, at the square of its length. */
const slowPattern = (): string => `${';'.repeat(65_000)}x`.replace(/;+$/, '');
/** A message that is read by a getter which never ends. */
const endless = (message: proto.IMessage): proto.IMessage =>
  Object.defineProperty({ ...message }, 'extendedTextMessage', { get: forever, enumerable: true });

for (const [name, work] of [
  ['a loop', forever],
  ['a pattern', slowPattern],
] as const)
  test(`budget: ${name} that takes too long is ended`, () => {
    const budget = new Budget(long);
    const before = process.threadCpuUsage();
    assert.throws(() => budget.run(work), BudgetSpent);
    const { user, system } = process.threadCpuUsage(before);
    assert.ok(user + system < 1_000_000, `${user + system} µs`);
    assert.equal(budget.isSpent, true);
    assert.throws(() => budget.run(() => 1), BudgetSpent);
  });

test('budget: what ends in time gives its value and its errors, and shares the time of its message', () => {
  const budget = new Budget(long);
  assert.equal(
    budget.run(() => 'read'),
    'read',
  );
  assert.throws(() => budget.run(() => assert.fail('bad bytes')), /bad bytes/);
  assert.equal(budget.isSpent, false);
});

test('budget: a message that takes too long is unknown, with its bytes', () => {
  const bytes = proto.Message.encode({ extendedTextMessage: { text: 'x'.repeat(2_000_000) } }).finish();
  const { messages, facts } = translateMessage(
    stanza(fromAnn),
    endless({}),
    { ...context(), budget: new Budget(long) },
    bytes,
  );
  assert.deepEqual([messages![0]!.type, messages![0]!.content, facts!.length], ['unknown', bytes, 1]);
});

/** It is spent once the first piece of work is done. */
class SpentSoon extends Budget {
  #runs = 0;

  override run<T>(work: () => T): T {
    this.#runs += 1;
    if (this.#runs > 1) throw new BudgetSpent();
    return super.run(work);
  }
}

test('budget: messages that the phone hands over share it; what is left of them is unknown', () => {
  const infoOf = (id: string, message: proto.IMessage) => ({ key: { id, remoteJid: fromAnn.sender_pn }, message });
  const resent = (id: string, message: proto.IMessage) => ({
    placeholderMessageResendResponse: {
      webMessageInfoBytes: proto.WebMessageInfo.encode(infoOf(id, message)).finish(),
    },
  });
  const peerDataOperationResult = ['R1', 'R2'].map((id) => resent(id, { extendedTextMessage: { text: id } }));
  const type = Type.PEER_DATA_OPERATION_REQUEST_RESPONSE_MESSAGE;
  const protocolMessage = { type, peerDataOperationRequestResponseMessage: { peerDataOperationResult } };
  const typesWith = (budget: Budget) => {
    const { messages } = translateMessage(stanza({ from: me.phone }), { protocolMessage }, { ...context(), budget });
    return messages!.map(({ id, type: read }) => [id, read]);
  };
  assert.deepEqual(typesWith(new Budget(long)), [
    ['R1', 'text'],
    ['R2', 'text'],
  ]);
  assert.deepEqual(typesWith(new SpentSoon(long)), [
    ['R1', 'unknown'],
    ['R2', 'unknown'],
  ]);
});
