/** What a node answers for a device that another one has, or nobody: asked by a caller, or by another node. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { LeaseLost } from '../../src/domain/lease.ts';
import { makeNodeAuth, nodeHeader } from '../../src/http/node-auth.ts';
import type { Place } from '../../src/service/places.ts';
import { startHttp } from './harness.ts';

const auth = makeNodeAuth('the secret of the nodes', Date.now);

test('a device that moves is followed, and 503 is for one that nobody has in time', async () => {
  const statuses = [421, 200];
  const owner = createServer((request, response) => {
    request.resume();
    response.writeHead(statuses.shift() ?? 500, { 'content-type': 'application/json' }).end('{"by":"the owner"}');
  });
  owner.listen(0, '127.0.0.1');
  await once(owner, 'listening');
  const elsewhere: Place = { here: false, url: `http://127.0.0.1:${(owner.address() as AddressInfo).port}` };
  const places: (Place | null)[] = [elsewhere, elsewhere, elsewhere];
  const cluster = {
    auth,
    reachesDatabase: async () => true,
    async locate(deviceId: number): Promise<Place> {
      const place = places.shift() ?? null;
      if (place === null) throw new LeaseLost(deviceId);
      return place;
    },
  };
  await using http = await startHttp({ cluster });
  try {
    const id = await http.device();
    const send = (headers: Record<string, string> = {}) =>
      http.api.post(`/devices/${id}/messages/text`, { toNumber: '4915112345678', message: 'Hello' }, { headers });

    const followed = await send();
    assert.deepEqual([followed.status, followed.body], [200, { by: 'the owner' }]);
    assert.deepEqual([places, statuses], [[], []]);

    const unowned = await send();
    assert.equal(unowned.status, 503);
    assert.match(unowned.body.status.message, /moving to another node/);
    assert.equal(unowned.headers.get('retry-after'), '5');

    const path = `/v1/devices/${id}/messages/text`;
    const passedOn = await send({ [nodeHeader]: auth.sign('POST', path, `Bearer ${http.api.key}`) });
    assert.equal(passedOn.status, 421, 'the node that passed it on goes on looking');
  } finally {
    owner.close();
  }
});
