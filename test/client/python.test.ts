/** The Python client: it is made from the present document, and works against the running service. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { promisify } from 'node:util';
import { version } from '../../src/config.ts';
import { ada, addPhones, bob, linkDevice } from '../flows/steps.ts';
import { ownerKey, startInstallation } from '../support/installation.ts';
import { startReceiver } from '../support/receiver.ts';

const folder = join(import.meta.dirname, '..', '..', 'client-python');

const isVersion = (command: string, test: string): boolean =>
  spawnSync(command, ['-c', `import sys; sys.exit(not sys.version_info[:2] ${test})`]).status === 0;
const oldest = ['python3.9', ...globSync(join(homedir(), '.pyenv/versions/3.9.*/bin/python3'))];
/** The machine's own, and the oldest that the client promises. */
const pythons = [
  { name: 'the machine’s Python', command: ['python3'].find((command) => isVersion(command, '>= (3, 9)')) },
  { name: 'Python 3.9', command: oldest.find((command) => isVersion(command, '== (3, 9)')) },
];

it('its version is ours', () => {
  assert.match(readFileSync(join(folder, 'pyproject.toml'), 'utf8'), new RegExp(`^version = "${version}"$`, 'm'));
});

const callsIn = async (python: string): Promise<void> => {
  await using installation = await startInstallation();
  await using receiver = await startReceiver();
  await addPhones(installation);
  const id = await linkDevice(installation, ada, { webhookUrl: `${receiver.url}/hook` });
  const [delivery] = await receiver.until(1, ({ event }) => event.type === 'connection.open');
  const { webhook } = (await installation.api.get(`/devices/${id}/webhook`)).body;
  let lost = 0;
  // It passes requests on, and loses the first two answers to sends.
  const lossy = createServer((request, response) => {
    void (async () => {
      const names = ['authorization', 'content-type', 'idempotency-key'] as const;
      const body = Buffer.concat(await request.toArray());
      const answer = await fetch(`${installation.handset.url}${request.url}`, {
        method: request.method ?? 'GET',
        headers: names.map((name): [string, string] => [name, String(request.headers[name])]),
        body,
      });
      const text = await answer.text();
      lost += 1;
      if (lost <= 2) response.destroy();
      else response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
    })();
  });
  await new Promise<void>((resolve) => void lossy.listen(0, '127.0.0.1', resolve));
  const env = {
    ...process.env,
    PYTHONPATH: join(folder, 'src'),
    PYTHONDONTWRITEBYTECODE: '1',
    HANDSET_URL: installation.handset.url,
    LOSSY_URL: `http://127.0.0.1:${(lossy.address() as AddressInfo).port}`,
    HANDSET_KEY: ownerKey,
    SANDBOX: installation.phones.controlUrl,
    DEVICE: String(id),
    BOB: bob,
    DELIVERY: JSON.stringify({ body: delivery!.body, headers: delivery!.headers, secret: webhook.secret }),
  };
  try {
    const ran = await promisify(execFile)(python, ['-m', 'unittest', 'tests.test_client'], { cwd: folder, env });
    assert.match(ran.stderr, /\nRan 8 tests in .*\n\nOK\n/);
    assert.equal(lost, 3, 'the answers were lost');
  } finally {
    lossy.close();
    lossy.closeAllConnections();
  }
};

for (const { name, command } of pythons) {
  const skip = command === undefined && 'not installed';
  it(`calls, pages, retries, streams and webhooks against the running service: ${name}`, { skip }, () =>
    callsIn(command!),
  );
}
