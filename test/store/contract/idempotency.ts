/** The contract of Idempotency-Key records. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type OpenStore, dayMs, withStore } from './fixture.ts';

const entry = { key: 'order-7', fingerprint: 'f1', messageId: 'M1', runId: 'run 1', now: 1000 };

export const idempotencyContract = (open: OpenStore): void => {
  describe('idempotency', () => {
    it(
      'gives a key to one request, and its message to all later ones',
      withStore(open, async ({ stores: { idempotency }, device }) => {
        const deviceId = (await device()).id;
        const other = (await device()).id;
        const begin = (rest: Partial<typeof entry> = {}) => idempotency.begin({ ...entry, deviceId, ...rest });
        assert.deepEqual(await begin(), { kind: 'new', messageId: 'M1' });
        assert.deepEqual(await begin({ messageId: 'M2' }), { kind: 'running' });
        assert.deepEqual(await begin({ fingerprint: 'f2' }), { kind: 'mismatch' });
        assert.deepEqual(await idempotency.begin({ ...entry, deviceId: other }), { kind: 'new', messageId: 'M1' });
        await idempotency.finish(deviceId, entry.key);
        assert.deepEqual(await begin({ messageId: 'M3' }), { kind: 'done', messageId: 'M1', answer: null });
        assert.deepEqual(await begin({ messageId: 'M3', runId: 'run 2' }), {
          kind: 'done',
          messageId: 'M1',
          answer: null,
        });
        assert.deepEqual(await begin({ fingerprint: 'f2' }), { kind: 'mismatch' });
      }),
    );

    it(
      'gives a key to one of many at once',
      withStore(open, async ({ stores: { idempotency }, device }) => {
        const deviceId = (await device()).id;
        const answers = await Promise.all(
          Array.from({ length: 20 }, (_, index) => idempotency.begin({ ...entry, deviceId, messageId: `M${index}` })),
        );
        assert.equal(answers.filter(({ kind }) => kind === 'new').length, 1);
        assert.equal(answers.filter(({ kind }) => kind === 'running').length, 19);
      }),
    );

    it(
      'resumes after a crash under the first message id, once',
      withStore(open, async ({ stores: { idempotency }, device, reopen }) => {
        const deviceId = (await device()).id;
        await idempotency.begin({ ...entry, deviceId });
        const again = (await reopen()).idempotency;
        const later = { ...entry, deviceId, messageId: 'M2', runId: 'run 2' };
        assert.deepEqual(await again.begin(later), { kind: 'resume', messageId: 'M1', startedAt: 1000 });
        assert.deepEqual(await again.begin(later), { kind: 'running' });
        await again.finish(deviceId, entry.key);
        assert.deepEqual(await again.begin(later), { kind: 'done', messageId: 'M1', answer: null });
      }),
    );

    it(
      'gives a key back when nothing was sent, but not one that is done',
      withStore(open, async ({ stores: { idempotency }, device }) => {
        const deviceId = (await device()).id;
        await idempotency.begin({ ...entry, deviceId });
        await idempotency.abandon(deviceId, entry.key, 'run 0');
        assert.deepEqual(await idempotency.begin({ ...entry, deviceId }), { kind: 'running' }, 'it is not that run’s');
        await idempotency.abandon(deviceId, entry.key, entry.runId);
        const next = { ...entry, deviceId, messageId: 'M2', fingerprint: 'f2' };
        assert.deepEqual(await idempotency.begin(next), { kind: 'new', messageId: 'M2' });
        await idempotency.finish(deviceId, entry.key, { group: 'Us' });
        await idempotency.abandon(deviceId, entry.key, entry.runId);
        assert.deepEqual(await idempotency.begin(next), { kind: 'done', messageId: 'M2', answer: { group: 'Us' } });
      }),
    );

    it(
      'forgets a key after 24 hours',
      withStore(open, async ({ stores: { idempotency, retention }, device }) => {
        const deviceId = (await device()).id;
        await idempotency.begin({ ...entry, deviceId });
        await idempotency.finish(deviceId, entry.key);
        const at = (now: number) => idempotency.begin({ ...entry, deviceId, messageId: 'M2', now });
        assert.equal((await at(entry.now + dayMs - 1)).kind, 'done');
        assert.equal((await at(entry.now + dayMs)).kind, 'new');
        const older = { events: 0, messages: 0, inbox: 0 };
        assert.equal(await retention.prune({ ...older, idempotency: entry.now + dayMs + 1 }), 1);
        assert.equal((await at(entry.now + dayMs + 5)).kind, 'new');
      }),
    );

    it(
      'is refused for a device that is gone',
      withStore(open, async ({ stores: { idempotency } }) => {
        await assert.rejects(idempotency.begin({ ...entry, deviceId: 99 }), { name: 'DeviceNotFound' });
        await idempotency.finish(99, 'x');
        await idempotency.abandon(99, 'x', 'run');
      }),
    );
  });
};
