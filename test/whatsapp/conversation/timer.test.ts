/** The timer of a chat, while the network is silent. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SendOutcomeUnknown } from '../../../src/errors.ts';
import { setTimer } from '../../../src/whatsapp/conversation/acts.ts';
import { Outbox } from '../../../src/whatsapp/send/outbox.ts';
import { NoAnswer } from '../../../src/whatsapp/socket/query.ts';

/** A link whose first question, for the addresses of the person, ends like this. */
const linkThat = (failure: Error): Parameters<typeof setTimer>[0] => {
  const lidMapping = { find: () => undefined, addressesOf: () => Promise.reject(failure) };
  const outbox = new Outbox(() => Promise.reject(new Error('nothing leaves')), Date);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no more of it is used
  return { deviceId: 1, lidMapping, outbox, log: { warn: () => {} } } as unknown as Parameters<typeof setTimer>[0];
};

test('silence is a timeout, whatever was asked when it began', async () => {
  for (const error of [new NoAnswer(), new SendOutcomeUnknown('no ack')])
    await assert.rejects(setTimer(linkThat(error), '4915112345678@s.whatsapp.net', 86_400), {
      name: 'RequestTimeout',
      message: 'Request timeout',
    });
  await assert.rejects(setTimer(linkThat(new Error('no')), '4915112345678@s.whatsapp.net', 0), { name: 'SendFailed' });
});
