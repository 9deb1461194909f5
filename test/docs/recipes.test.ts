/** The recipes against the running service: Node-RED's side is played, as its documentation describes it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ada, addPhones, bob, linkDevice, untilShown } from '../flows/steps.ts';
import { type Installation, ownerKey, startInstallation } from '../support/installation.ts';

const docs = join(import.meta.dirname, '../../docs');

describe('the recipes', () => {
  let installation: Installation;
  let id: number;
  before(async () => {
    installation = await startInstallation();
    await addPhones(installation);
    id = await linkDevice(installation, ada);
  });
  after(() => installation[Symbol.asyncDispose]());

  it('Node-RED: the function of the flow makes a request that answers', async () => {
    const page = readFileSync(join(docs, 'clients/recipes.md'), 'utf8');
    const flow = JSON.parse(/```json\n(\[[\s\S]*?\])\n```/.exec(page)![1]!) as { type: string; func?: string }[];
    const { func = '' } = flow.find(({ type }) => type === 'function')!;
    // oxlint-disable-next-line typescript/no-implied-eval -- as Node-RED runs it
    const run = new Function('msg', 'env', func) as (
      msg: object,
      env: object,
    ) => { method: string; url: string; headers: Record<string, string>; payload: object } | null;
    const { jid } = await installation.phones.get(bob);
    const event = {
      id: 'evt_1',
      type: 'message.received',
      deviceId: id,
      data: { message: { chat: jid, text: 'ping' } },
    };
    const env = { get: () => ownerKey };
    assert.equal(run({ payload: { ...event, type: 'call' } }, env), null);
    const { method, url, headers, payload } = run({ payload: event }, env)!;
    const here = url.replace('http://127.0.0.1:8080', installation.handset.url);
    const sent = await fetch(here, { method, headers, body: JSON.stringify(payload) });
    assert.equal(sent.status, 200, await sent.text());
    await untilShown(installation, bob, 'pong');
  });
});
