/** Refusals of media: who may not be written to is found out before a file is fetched or decoded. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRecipient } from '../../src/domain/jid.ts';
import { aPng, setStage } from './stage.ts';

const someone = parseRecipient(undefined, '4917000000001');
/** A request whose time is never up. */
const deadline = { passed: null, watch: () => () => undefined, signal: new AbortController().signal };

test('a recipient who is refused costs no download and no decoding', async (t) => {
  const stage = await setStage(t);
  const { id, session } = await stage.connected();
  const send = (source: { url: string } | { bytes: Uint8Array }) =>
    stage.service.sending.sendFile(stage.scope(id), {
      recipient: someone,
      file: { kind: 'image' },
      source,
      caption: null,
      deadline,
    });
  let prepared = 0;
  const { prepareFile } = stage.network;
  Object.assign(stage.network, {
    prepareFile: (...given: Parameters<typeof prepareFile>) => {
      prepared += 1;
      return prepareFile(...given);
    },
  });
  const notOnNetwork = { name: 'InvalidRequest', message: /no account has this number/ };
  session.nobody.add('4917000000001');
  await assert.rejects(send({ bytes: aPng }), notOnNetwork);
  await assert.rejects(send({ url: 'https://example.com/huge.png' }), notOnNetwork);
  session.nobody.clear();
  const { updateSettings } = stage.service.devices;
  await updateSettings(stage.scope(id), { newChatsPerDay: 0 });
  await assert.rejects(send({ bytes: aPng }), { name: 'RateLimited' });
  await updateSettings(stage.scope(id), { newChatsPerDay: null });
  const opted = { number: '4917000000001', reason: null };
  await stage.store.stores.suppressions.add(stage.user.id, opted, stage.clock.now());
  await assert.rejects(send({ bytes: aPng }), { name: 'Forbidden' });
  assert.equal(prepared, 0);
});
