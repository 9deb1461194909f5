/** Everything that can happen to a connection, and how the service reacts. */
import assert from 'node:assert/strict';
import { cp, rm } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { pino } from 'pino';
import { readConfig } from '../../src/config.ts';
import { startHandset } from '../../src/main.ts';
import { type Installation, startInstallation } from '../support/installation.ts';
import { eventually } from '../support/wait.ts';
import {
  ada,
  addPhones,
  bob,
  eventsOf,
  linkDevice,
  untilEvent,
  untilOpen,
  untilReconnected,
  untilShown,
} from './steps.ts';

/** So that a silence is found out at once. */
const hasty = { silenceMs: 150, answerMs: 400 };

describe('the connection', () => {
  let installation: Installation;
  let id: number;
  const session = async () => (await installation.api.get(`/devices/${id}/session`)).body.session;
  const reconnected = (reconnects: number) => untilReconnected(installation, id, reconnects);
  const send = async (message: string) => {
    const sent = await installation.api.post(`/devices/${id}/messages/text`, { toNumber: bob, message });
    assert.equal(sent.status, 200, JSON.stringify(sent.body));
    return untilShown(installation, bob, message);
  };
  const heard = (text: string) =>
    untilEvent(
      installation,
      id,
      'message.received',
      (data: { message: { text: string } }) => data.message.text === text,
    );

  before(async () => {
    installation = await startInstallation({}, hasty);
    await addPhones(installation);
    id = await linkDevice(installation);
  });
  after(() => installation[Symbol.asyncDispose]());

  it('half-open socket: a session that is open but deaf is noticed and renewed, and misses nothing', async () => {
    const { reconnects } = await session();
    assert.deepEqual(await installation.phones.request('POST', '/drop', { number: ada, silently: true }), {
      dropped: 1,
    });
    await installation.phones.write(bob, { to: ada, text: 'into the void' });
    await reconnected(reconnects);
    await heard('into the void');
    await send('heard you');
  });

  it('half-open network: it is given up, and is back when the network is', async () => {
    const { reconnects } = await session();
    await installation.phones.request('PUT', '/faults', { halfOpen: true });
    await eventually('it is noticed', async () => {
      const { state, reason } = await session();
      return state === 'reconnecting' && /fallen silent/.test(reason);
    });
    await installation.phones.request('DELETE', '/faults');
    await reconnected(reconnects);
  });

  it('keep-alive loss: a network that answers no keep-alive is not believed to be there', async () => {
    const { reconnects } = await session();
    await installation.phones.request('PUT', '/faults', { withholdPings: true });
    await reconnected(reconnects);
    await installation.phones.request('DELETE', '/faults');
    await untilOpen(installation, id);
  });

  it('a quiet session that answers stays as it is', async () => {
    await untilOpen(installation, id);
    const { reconnects } = await session();
    const { handshakes } = await installation.phones.stats();
    const began = performance.now();
    await eventually('several probes', () => performance.now() - began > 2 * (hasty.silenceMs + hasty.answerMs));
    assert.deepEqual(
      [(await session()).reconnects, (await installation.phones.stats()).handshakes],
      [reconnects, handshakes],
    );
  });

  for (const code of [503, 515]) {
    it(`stream error ${code}: it comes back by itself`, async () => {
      const { reconnects } = await session();
      await installation.phones.request('POST', '/drop', { number: ada, streamError: code });
      await installation.phones.write(bob, { to: ada, text: `after ${code}` });
      await reconnected(reconnects);
      await heard(`after ${code}`);
    });
  }

  it('none of that was news: all of it was back within the grace', async () => {
    const kinds = (await eventsOf(installation, id))
      .map(({ type }) => type)
      .filter((type) => /open|closed|logout/.test(type));
    assert.deepEqual(kinds, ['connection.open']);
    const received = (await eventsOf(installation, id)).filter(({ type }) => type === 'message.received');
    assert.equal(received.length, 3);
  });

  it('replaced: the same credentials elsewhere end this session, in words, and a restart takes over', async () => {
    const copy = `${installation.dataDir}-copy`;
    await installation.stop();
    await cp(installation.dataDir, copy, { recursive: true });
    await installation.restart();
    await untilOpen(installation, id);
    const config = readConfig({
      HANDSET_PORT: '0',
      HANDSET_DATA_DIR: copy,
      HANDSET_NETWORK: installation.phones.controlUrl,
    });
    const twin = await startHandset(config, { log: pino({ level: 'silent' }) });
    try {
      const closed = await untilEvent(
        installation,
        id,
        'connection.closed',
        (data: { reason: string }) => data.reason === 'replaced',
      );
      assert.deepEqual(closed.data, { reason: 'replaced', willReconnect: false });
      const { state, reason } = await session();
      assert.equal(state, 'closed');
      assert.match(reason, /took over/);
      await installation.api.post(`/devices/${id}/restart`);
      await untilOpen(installation, id);
    } finally {
      await twin.close();
      await rm(copy, { recursive: true, force: true });
    }
  });
});
