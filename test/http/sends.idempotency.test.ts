/** `Idempotency-Key` on the sends (docs/spec/http-interface.md, Idempotency). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../support/wait.ts';
import { withHttp } from './harness.ts';

const toNumber = '4915112345678';
const mediaBase64 = Buffer.from([0x89, 0x50, 0x4e, 0x47, 1]).toString('base64');

test(
  'the same key and body give the first answer again, whatever the order of the members',
  withHttp(async ({ api, linked, network }) => {
    const id = await linked();
    const headers = { 'idempotency-key': 'order 4711' };
    const path = `/devices/${id}/messages/text`;
    const first = await api.post(path, { toNumber, message: 'Hello' }, { headers });
    const again = await api.post(path, { message: 'Hello', toNumber }, { headers });
    assert.deepEqual([first.status, again.status], [200, 200]);
    assert.deepEqual(again.body, first.body);
    assert.equal(network.sent.length, 1);
    for (const body of [
      { toNumber, message: 'Other' },
      { to: `${toNumber}@s.whatsapp.net`, message: 'Hello' },
    ]) {
      const other = await api.post(path, body, { headers });
      assert.deepEqual(
        [other.status, other.body.status.message],
        [400, 'Idempotency-Key was used before with another request'],
      );
    }
    const media = await api.post(`/devices/${id}/messages/media`, { toNumber, mediaBase64 }, { headers });
    assert.equal(media.status, 400);
    const second = await linked();
    assert.equal(
      (await api.post(`/devices/${second}/messages/text`, { toNumber, message: 'Hello' }, { headers })).status,
      200,
    );
    assert.equal(network.sent.length, 2);
  }),
);

test(
  'while the first is running the second is 409',
  withHttp(async ({ api, linked, network }) => {
    const path = `/devices/${await linked()}/messages/media`;
    const headers = { 'idempotency-key': 'k' };
    network.script.send = 'wait';
    const first = api.post(path, { toNumber, mediaBase64 }, { headers });
    const second = await eventually('the conflict', async () => {
      const answer = await api.post(path, { toNumber, mediaBase64 }, { headers });
      return answer.status === 409 ? answer : null;
    });
    assert.deepEqual(second.body, {
      status: { code: 409, message: 'A request with this Idempotency-Key is still running' },
    });
    await eventually('the first to have been sent', async () => {
      network.release();
      return Promise.race([first.then(() => true), new Promise<false>((resolve) => setImmediate(resolve, false))]);
    });
    assert.equal((await first).status, 200);
    network.script.send = 'accept';
    assert.deepEqual((await api.post(path, { toNumber, mediaBase64 }, { headers })).body, (await first).body);
    assert.equal(network.sent.length, 1);
  }),
);

test(
  'the key is 1 to 255 printable characters',
  withHttp(async ({ api, linked, network }) => {
    const path = `/devices/${await linked()}/messages/text`;
    for (const key of ['', 'x'.repeat(256), 'caf\u00e9']) {
      const answer = await api.post(path, { toNumber, message: 'x' }, { headers: { 'idempotency-key': key } });
      assert.deepEqual(
        [answer.status, answer.body.status.message],
        [400, 'Idempotency-Key must be 1 to 255 printable ASCII characters'],
      );
    }
    assert.equal(network.sent.length, 0);
    const longest = { headers: { 'idempotency-key': 'x'.repeat(255) } };
    assert.equal((await api.post(path, { toNumber, message: 'x' }, longest)).status, 200);
  }),
);
