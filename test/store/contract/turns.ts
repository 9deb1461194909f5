/** The contract of settled chats. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Report } from '../../../src/domain/changes.ts';
import { chatA, messageData, type OpenStore, received, withStore } from './fixture.ts';
import { claimAll, result } from './outbox/outbox.steps.ts';
import { makeWebhook } from './webhooks.ts';

export const turnsContract = (open: OpenStore): void => {
  describe('settled chats', () => {
    it(
      'are told of a turn once it has settled, once, with all messages since the last answer',
      withStore(open, async (fixture) => {
        const { clock, device } = fixture;
        const { id } = await device();
        const bot = await makeWebhook(fixture, id, { events: ['chat.settled'], settleSeconds: 8 });
        await makeWebhook(fixture, id, { events: ['chat.settled'], settleSeconds: 8, chats: { except: [chatA] } });
        const commit = (...facts: Report[]) => fixture.stores.changes.commit(id, { facts });
        const told = async (): Promise<string[]> => {
          await fixture.stores.outbox.nextDueAt();
          const due = (await claimAll(fixture)).filter((each) => each.webhookId === bot.id);
          await fixture.stores.outbox.record(due.map((each) => result(fixture, each)));
          return due.map(({ event: { event } }) =>
            event.type === 'chat.settled'
              ? event.data.messages.map(({ id: name, text }) => `${name} ${text}`).join()
              : '',
          );
        };
        const on = { chat: chatA, chatNumber: null, chatLid: null };
        const edit = (messageId: string, text: string): Report => ({
          ...received('x'),
          event: { type: 'message.updated', data: { messageId, ...on, update: { text } } },
          id: text,
        });
        const revoked: Report = {
          ...received('x'),
          event: {
            type: 'message.deleted',
            data: { messageId: '2', ...on, by: { jid: chatA, number: null, lid: null } },
          },
        };
        const answer = (source: 'api' | 'phone', timestamp: number): Report => ({
          ...received('x'),
          event: { type: 'message.sent', data: { message: { ...messageData(`out ${timestamp}`), timestamp }, source } },
        });
        const typing = (state: 'text' | 'none'): Report => ({
          ...received('x'),
          event: {
            type: 'chat.presence',
            data: { chat: chatA, person: { jid: chatA, number: null, lid: null }, state, lastSeenAt: null },
          },
        });
        const stage = (text: string, at: number): Report => ({
          ...received(text),
          event: {
            type: 'message.received',
            data: { message: { ...messageData(text), timestamp: at } },
          },
        });
        const start = clock.now();
        await commit(stage('2', start + 2000), stage('1', start + 1000));
        await clock.advance(7_000);
        assert.deepEqual(await told(), []);
        await commit(edit('1', 'Hi'), stage('3', start + 3000), revoked);
        await clock.advance(7_999);
        assert.deepEqual(await told(), []);
        await clock.advance(1);
        await fixture.reopen();
        assert.deepEqual(await told(), ['1 Hi,3 Hello'], 'in the order of writing, edited, without what was deleted');
        await clock.advance(60_000);
        assert.deepEqual(await told(), [], 'once');
        await commit(stage('4', start + 80_000));
        await clock.advance(8_000);
        const both = await Promise.all([told(), told()]);
        assert.deepEqual(
          both.flat(),
          ['1 Hi,3 Hello,4 Hello'],
          'nobody has answered yet, and two at once tell it once',
        );
        await commit(answer('phone', start + 3500), stage('5', start + 90_000));
        await commit(typing('text'));
        await clock.advance(30_000);
        await commit(typing('none'));
        assert.deepEqual(await told(), []);
        await clock.advance(8_000);
        assert.deepEqual(await told(), ['4 Hello,5 Hello'], 'the answer came late and was to the first two');
        await commit(stage('6', start + 100_000), typing('text'));
        await clock.advance(67_999);
        assert.deepEqual(await told(), []);
        await clock.advance(1);
        assert.equal((await told()).length, 1, 'typing puts it off by a minute at most');
        await commit(stage('7', start + 110_000), answer('api', start));
        await clock.advance(120_000);
        assert.deepEqual(await told(), [], 'answered');
        assert.equal(await fixture.bytesIn('chat_turns'), 0);
      }),
    );

    it(
      'keep no text: a turn of long messages takes a few kilobytes, one for all times, and its event at most a million characters',
      withStore(open, async (fixture) => {
        const { clock, device, stores } = fixture;
        const { id } = await device();
        for (const settleSeconds of [1, 2, 3, 60])
          await makeWebhook(fixture, id, { events: ['chat.settled'], settleSeconds });
        const text = 'x'.repeat(65_536);
        const write = (n: number): Report => ({
          ...received(`m${n}`),
          event: { type: 'message.received', data: { message: messageData(`m${n}`, chatA, text) } },
        });
        for (let n = 0; n < 120; n += 1) await stores.changes.commit(id, { facts: [write(n)] });
        assert.ok((await fixture.bytesIn('chat_turns')) < 10_000);
        await clock.advance(3_000);
        await stores.outbox.nextDueAt();
        const events = (await claimAll(fixture)).map(({ event: { event } }) => event);
        const turns = events.flatMap((event) => (event.type === 'chat.settled' ? [event.data] : []));
        assert.deepEqual(new Set(turns.map(({ settleSeconds }) => settleSeconds)), new Set([1, 2, 3]));
        for (const { messages } of turns) {
          assert.equal(messages.at(-1)!.id, 'm119');
          assert.ok(messages.length > 10 && JSON.stringify(messages).length < 1_000_200, `${messages.length}`);
        }
      }),
    );
  });
};
