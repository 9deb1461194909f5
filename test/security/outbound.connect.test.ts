/** Checks at connect time: rebinding, redirects into the network, allow lists, TLS names. */
import assert from 'node:assert/strict';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { generate } from 'selfsigned';
import { startReceiver } from '../support/receiver.ts';
import { failure, names, strict, tripwire } from './outbound.support.ts';

const post = { headers: {}, body: '{}', timeoutMs: 5000 };

test('a name that is public first and loopback afterwards is refused on every connection', async () => {
  await using wire = await tripwire();
  await using receiver = await startReceiver();
  const answers = ['127.0.0.2', '127.0.0.1', '127.0.0.1'];
  let lookups = 0;
  const outbound = strict({
    // 127.0.0.2 stands for the public address of the first answer: the only one that may be reached.
    allowList: ['127.0.0.2'],
    resolve: async () => {
      lookups += 1;
      return [{ address: answers[lookups - 1] ?? '127.0.0.1', family: 4 }];
    },
  });
  await using onTwo = await startReceiver(0, '127.0.0.2');
  await outbound.check(`http://rebind.example.com:${onTwo.port}/`, 'webhookUrl');
  assert.equal(lookups, 0);
  const answer = await outbound.post(`http://rebind.example.com:${onTwo.port}/`, post);
  assert.equal(answer.status, 200);
  assert.equal(onTwo.received[0]?.headers.host, `rebind.example.com:${onTwo.port}`);
  for (const port of [receiver.port, wire.port]) {
    const error = await failure(outbound.post(`http://rebind.example.com:${port}/`, post));
    assert.equal(error.message, 'the host has a private or reserved address');
  }
  assert.equal(lookups, 3);
  assert.equal(receiver.connections, 0);
  assert.equal(wire.touched, 0);
  await outbound.close();
});

test('the address that was judged is the one that is connected to: one lookup for one connection', async () => {
  await using receiver = await startReceiver();
  let lookups = 0;
  const outbound = strict({
    allowList: ['127.0.0.1/32'],
    resolve: async () => {
      lookups += 1;
      return [{ address: lookups === 1 ? '127.0.0.1' : '127.0.0.99', family: 4 }];
    },
  });
  await outbound.post(`http://once.example.com:${receiver.port}/a`, post);
  // A connection is free for the next request one turn after its answer.
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  await outbound.post(`http://once.example.com:${receiver.port}/b`, post);
  assert.equal(lookups, 1, 'the second post used the connection that was checked');
  assert.equal(receiver.connections, 1);
  await outbound.close();
});

test('a download is redirected at most three times, and never into the network', async () => {
  await using wire = await tripwire();
  await using receiver = await startReceiver(0, '127.0.0.2');
  const outbound = strict({
    allowList: ['127.0.0.2'],
    resolve: names({ 'media.example.com': ['127.0.0.2'], 'evil.example.com': ['127.0.0.1'], localhost: ['127.0.0.1'] }),
  });
  const base = `http://media.example.com:${receiver.port}`;
  receiver.answer(({ path }) => {
    const hop = Number(path.slice(1));
    return hop === 0 ? { status: 200, body: 'here' } : { status: 302, headers: { location: `/${hop - 1}` } };
  });
  const limits = { maxBytes: 1000, timeoutMs: 5000 };
  assert.equal(Buffer.from(await outbound.download(`${base}/3`, limits)).toString(), 'here');
  assert.match(
    (await failure(outbound.download(`${base}/4`, limits))).message,
    /^mediaUrl redirects more than 3 times$/,
  );
  const inward = [
    [`http://127.0.0.1:${wire.port}/`, /must not point to a private/],
    [`http://[::1]:${wire.port}/`, /must not point to a private/],
    [`http://localhost:${wire.port}/`, /the host has a private or reserved address/],
    [`http://evil.example.com:${wire.port}/`, /the host has a private or reserved address/],
    [`http://2130706433:${wire.port}/`, /must not point to a private/],
    [`//127.0.0.1:${wire.port}/`, /must not point to a private/],
    ['http://169.254.169.254/latest/meta-data/', /must not point to a private/],
    ['file:///etc/passwd', /must be an http/],
    ['http://user:pass@media.example.com/', /user name or password/],
    ['http://media.example.com:22/', /must use port/],
    ['http://[', /redirects to something that is not a URL/],
  ] as const;
  for (const [location, expected] of inward) {
    receiver.answer({ status: 302, headers: { location } });
    const error = await failure(outbound.download(base, limits));
    assert.equal(error.name, 'InvalidRequest', location);
    assert.match(error.message, /^mediaUrl /, location);
    assert.match(error.message, expected, location);
  }
  assert.equal(wire.touched, 0);
  await outbound.close();
});

test('a post follows no redirect', async () => {
  await using wire = await tripwire();
  await using receiver = await startReceiver(0, '127.0.0.2');
  const outbound = strict({ allowList: ['127.0.0.2'] });
  receiver.answer({ status: 308, headers: { location: `http://127.0.0.1:${wire.port}/` } });
  assert.equal((await outbound.post(receiver.url, post)).status, 308);
  assert.equal(wire.touched, 0);
  await outbound.close();
});

test('listed hosts and ranges may be reached although private; the rest still may not', async () => {
  await using receiver = await startReceiver(0, '127.0.0.2');
  const resolve = names({ 'app.internal': ['127.0.0.2'], 'other.internal': ['127.0.0.3'] });
  const byName = strict({ allowList: ['app.internal'], resolve });
  assert.equal((await byName.post(`http://app.internal:${receiver.port}/`, post)).status, 200);
  assert.match((await failure(byName.post(`http://other.internal:${receiver.port}/`, post))).message, /local host/);
  assert.match((await failure(byName.post(receiver.url, post))).message, /private or reserved/);
  const byRange = strict({ allowList: ['127.0.0.2/31'], resolve });
  assert.equal((await byRange.post(`http://app.internal:${receiver.port}/`, post)).status, 200);
  assert.equal((await byRange.post(receiver.url, post)).status, 200);
  await byRange.check('http://other.internal/', 'webhookUrl');
  assert.match((await failure(byRange.post('http://127.0.0.4/', post))).message, /private or reserved/);
  assert.throws(() => strict({ allowList: ['http://app.internal/'] }), /host name, an address or a CIDR range/);
  await Promise.all([byName.close(), byRange.close()]);
});

test('where private URLs are allowed, instance metadata still is not', async () => {
  await using receiver = await startReceiver();
  const outbound = strict({ allowPrivateUrls: true, resolve: names({ 'm.example.com': ['169.254.169.254'] }) });
  await outbound.check('http://localhost:1/', 'webhookUrl');
  await outbound.check('http://10.0.0.1:22/', 'webhookUrl');
  assert.equal((await outbound.post(receiver.url, post)).status, 200);
  for (const url of ['http://169.254.169.254/', 'http://[fd00:ec2::254]/', 'http://2852039166/']) {
    assert.match((await failure(outbound.check(url, 'mediaUrl'))).message, /^mediaUrl must not point to a private/);
  }
  assert.match((await failure(outbound.post('http://m.example.com/', post))).message, /private or reserved/);
  await outbound.close();
});

test('over TLS the certificate is checked against the name of the URL, not the address', async () => {
  const attributes = [{ name: 'commonName', value: 'hooks.example.com' }];
  const pair = await generate(attributes, {
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'hooks.example.com' }] }],
  });
  let sni: unknown;
  const server = createServer({ key: pair.private, cert: pair.cert }, (request, response) => {
    sni = 'servername' in request.socket ? request.socket.servername : undefined;
    response.end(request.headers.host);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const resolve = names({ 'hooks.example.com': ['127.0.0.1'], 'other.example.com': ['127.0.0.1'] });
  const trusting = strict({ allowList: ['127.0.0.1'], resolve, ca: pair.cert });
  const answer = await trusting.post(`https://hooks.example.com:${port}/`, post);
  assert.equal(answer.excerpt, `hooks.example.com:${port}`);
  assert.equal(sni, 'hooks.example.com');
  const wrongName = await failure(trusting.post(`https://other.example.com:${port}/`, post));
  assert.equal(wrongName.message, 'the TLS certificate is for another host');
  const untrusting = strict({ allowList: ['127.0.0.1'], resolve });
  const untrusted = await failure(untrusting.post(`https://hooks.example.com:${port}/`, post));
  assert.match(untrusted.message, /^the TLS certificate is (self-signed|not trusted)$/);
  await Promise.all([trusting.close(), untrusting.close()]);
  server.closeAllConnections();
  server.close();
});
